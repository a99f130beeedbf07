package io.terrace.placement.heartbeat;

/**
 * A block as it was when it was reported. The generation stamp names its content: another stamp is another content.
 *
 * @param id block id, unique in the service's one block pool
 * @param stamp generation stamp
 * @param lengthBytes length of the finalised replica
 */
public record StampedBlock(long id, long stamp, long lengthBytes) {

    public boolean sameContent(StampedBlock other) {
        return id == other.id && stamp == other.stamp;
    }

    @Override
    public String toString() {
        return "blk_" + id + "_" + stamp;
    }
}
