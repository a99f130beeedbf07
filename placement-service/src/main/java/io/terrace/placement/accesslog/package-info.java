/**
 * The access log: segments of reads that policy simulations replay.
 *
 * <p>Imports: {@code common}, {@code conf}, {@code metrics}, {@code heartbeat}, the trace format of {@code policy.replay}.
 */
@NullMarked
package io.terrace.placement.accesslog;

import org.jspecify.annotations.NullMarked;
