package io.terrace.fs;

/**
 * A block that a DataNode of another host says it has in memory; nothing is granted yet.
 *
 * @param datanode its UUID
 * @param holder its index in the block's locations
 */
record RemoteCopy(String datanode, RemoteNode node, int holder) {}
