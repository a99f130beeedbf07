/**
 * Simulated machines around the real code of DataNodes, service and clients.
 *
 * <p>Imports: {@code bench.simulation.kernel}, the real code.
 */
@NullMarked
package io.terrace.bench.simulation.cluster;

import org.jspecify.annotations.NullMarked;
