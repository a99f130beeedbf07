/**
 * Simulated machines around the real code of DataNodes, service and clients, and those who write. {@code ClusterHooks} and
 * {@code ClusterObserver} are where planted bugs and checks come in.
 *
 * <p>Imports: {@code bench.simulation.kernel}, the real code.
 */
@NullMarked
package io.terrace.bench.simulation.cluster;

import org.jspecify.annotations.NullMarked;
