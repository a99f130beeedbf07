/**
 * The client's half of writing: the bytes of a file go in large frames to the DataNode of each block. On any doubt
 * stock HDFS writes, counted by reason.
 *
 * <p>Imports: {@code client}, {@code client.landing}, {@code common}, {@code metrics}, {@code channel}, {@code channel.write}, {@code tcp},
 * {@code shm}, Hadoop's client.
 */
@NullMarked
package io.terrace.client.write;

import org.jspecify.annotations.NullMarked;
