package io.terrace.datanode.heartbeat;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Who this DataNode is to a placement service.
 *
 * @param incarnation new with every start of the process
 * @param links how many links this process has made, to any service
 */
public record NodeIdentity(String datanodeUuid, String hostName, int transferPort, long incarnation, AtomicLong links) {

    /** More heartbeats than one link sends. */
    private static final int SEQUENCE_BITS = 40;

    /** Of a process that has made no link yet. */
    public NodeIdentity(String datanodeUuid, String hostName, int transferPort, long incarnation) {
        this(datanodeUuid, hostName, transferPort, incarnation, new AtomicLong());
    }

    /**
     * The sequence of the first heartbeat of another link, above all of the earlier links. A service that knew an earlier link
     * of this incarnation would take a lower one for a heartbeat that comes late, and answer it as a standby.
     */
    long firstSequence() {
        return links.getAndIncrement() << SEQUENCE_BITS;
    }
}
