package io.terrace.datanode.heartbeat;

/** Who this DataNode is to a placement service; {@code incarnation} is new with every start of the process. */
public record NodeIdentity(String datanodeUuid, String hostName, int transferPort, long incarnation) {}
