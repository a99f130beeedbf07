/**
 * A file that is written over the channel to simulated DataNodes: the client's real classes, and those by which a DataNode takes
 * frames in and answers them, around a simulated dataset, NameNode and stock streamer.
 *
 * <p>Imports: {@code bench.simulation.kernel}, the real code.
 */
@NullMarked
package io.terrace.bench.simulation.write;

import org.jspecify.annotations.NullMarked;
