/**
 * Data whose every byte is known, and workloads that read it: seeded, from the user's files, or by a trace.
 *
 * <p>Imports: Hadoop's client, the trace format of {@code policy.replay}.
 */
@NullMarked
package io.terrace.bench.load;

import org.jspecify.annotations.NullMarked;
