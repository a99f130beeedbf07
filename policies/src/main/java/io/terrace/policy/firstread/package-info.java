/**
 * What is read soon after it was written: learned by directory, so that it can be in memory before its first read. Pure and
 * deterministic, as policies are.
 *
 * <p>Imports: {@code policy}, {@code policy.api}.
 */
@NullMarked
package io.terrace.policy.firstread;

import org.jspecify.annotations.NullMarked;
