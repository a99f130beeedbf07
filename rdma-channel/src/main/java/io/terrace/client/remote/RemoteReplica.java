package io.terrace.client.remote;

/**
 * A block that a DataNode of another host says it has in memory; nothing is granted yet.
 *
 * @param datanode its UUID
 * @param holder its index in the block's locations
 */
public record RemoteReplica(String datanode, RemoteDataNode node, int holder) {}
