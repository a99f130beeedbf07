/**
 * {@code bin/terrace test write-faults}: files written over the channel to real DataNodes, under faults drawn from a seed.
 *
 * <p>Imports: {@code bench.cluster}, {@code bench.faults}, {@code bench.load}.
 */
@NullMarked
package io.terrace.bench.writefaults;

import org.jspecify.annotations.NullMarked;
