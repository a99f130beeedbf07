/**
 * The policy file in YAML: policy, parameters, rules by path, pools, annotations, and the history of what was applied.
 *
 * <p>Imports: {@code conf}, {@code policy}, {@code policy.api}.
 */
@NullMarked
package io.terrace.placement.policyfile;

import org.jspecify.annotations.NullMarked;
