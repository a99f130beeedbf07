/**
 * Writes replicas for clients of the channel, with the steps and checks of stock's DataXceiver and BlockReceiver.
 *
 * <p>Imports: {@code common}, {@code datanode.write}, {@code datanode.writethrough}, {@code channel},
 * {@code channel.transport}, {@code channel.tcp}, {@code channel.write}; DataNode classes.
 */
@NullMarked
package io.terrace.datanode.hdfs.write;

import org.jspecify.annotations.NullMarked;
