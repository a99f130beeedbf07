/**
 * Trace-driven simulation: replays accesses against a policy and a hierarchy of tiers.
 *
 * <p>Imports: {@code policy.api}, {@code policy.firstread}.
 */
@NullMarked
package io.terrace.policy.replay;

import org.jspecify.annotations.NullMarked;
