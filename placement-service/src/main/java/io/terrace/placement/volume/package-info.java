/**
 * Moves of replicas between the volumes of a DataNode: what rules and heat ask for, what others moved, shares of pools, budgets,
 * orders and results.
 *
 * <p>Imports: {@code common}, {@code metrics}, {@code protocol}, {@code placement.heartbeat}, {@code placement.policyfile},
 * {@code placement.state}, {@code policy}, {@code policy.api}.
 */
@NullMarked
package io.terrace.placement.volume;

import org.jspecify.annotations.NullMarked;
