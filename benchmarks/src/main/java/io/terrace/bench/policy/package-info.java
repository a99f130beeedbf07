/**
 * Placement quality: policies replayed over traces and memory sizes, scored against reference results, and the placement
 * engine replayed over several DataNodes.
 *
 * <p>Imports: {@code policy} and its sub-packages; {@code placement} and what it needs for a replay of the
 * cluster; {@code bench.cluster}, {@code bench.load}.
 */
@NullMarked
package io.terrace.bench.policy;

import org.jspecify.annotations.NullMarked;
