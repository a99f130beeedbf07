package io.terrace.datanode.write;

/**
 * Measures how fast a client sends the frames of one block. A client sends a frame when it has all of it, so from a frame's
 * header to its last byte it is the link, or this DataNode's disk, that takes the time. A DataNode that sends a block on may
 * send a frame while it comes in. What has arrived while this DataNode
 * waited for the next one or for its disk is in the kernel's buffer and says nothing, nor do small frames. Used by one thread.
 */
final class SpeedMeter {
    private static final int LEAST_FRAME_BYTES = 256 << 10;

    /** More than a socket's buffer usually holds. */
    private static final long BUFFERED_BYTES = 8L << 20;

    /** A wait that is no wait. */
    private static final long SHORT_NS = 1_000_000;

    private final ClientSpeeds speeds;
    private final ClientSpeeds.Sender sender;
    private long skippedBytes;

    SpeedMeter(ClientSpeeds speeds, ClientSpeeds.Sender sender) {
        this.speeds = speeds;
        this.sender = sender;
    }

    /** This DataNode did not receive for so long. */
    void waited(long ns) {
        if (ns > SHORT_NS) {
            skippedBytes = BUFFERED_BYTES;
        }
    }

    /** A frame was received and written. */
    void received(int bytes, long tookNs) {
        if (skippedBytes > 0) {
            skippedBytes -= bytes;
        } else if (bytes >= LEAST_FRAME_BYTES) {
            speeds.received(sender, bytes, tookNs);
        }
    }
}
