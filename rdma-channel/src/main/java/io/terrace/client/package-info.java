/**
 * The entry of the HDFS client, its shared state, and reads of blocks in the memory of this host. On any doubt stock
 * HDFS reads, counted by reason.
 *
 * <p>Imports: {@code common}, {@code conf}, {@code metrics}, {@code channel}, {@code transport}, {@code shm},
 * {@code write} of the channel, Hadoop's client.
 */
@NullMarked
package io.terrace.client;

import org.jspecify.annotations.NullMarked;
