/**
 * Serves clients that write blocks: connections, their threads and limits, the order of frames, and sending a block on to the
 * next DataNode. What a replica is it does not know.
 *
 * <p>Imports: {@code common}, {@code metrics}, {@code channel}, {@code channel.write}; no Hadoop classes.
 */
@NullMarked
package io.terrace.datanode.write;

import org.jspecify.annotations.NullMarked;
