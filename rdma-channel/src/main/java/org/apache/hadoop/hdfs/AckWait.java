package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedChannelException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;

/** Waits for acknowledgements as long as stock's streamer does, and logs what that logs: operators find slow pipelines by it. */
final class AckWait {
    /** What is waited for. */
    interface Acks {
        /** Waits until it is there; false when the time has passed. */
        boolean await(long timeoutMs) throws InterruptedException;
    }

    private AckWait() {}

    /**
     * Waits, and fails as stock does where the streamer has ended.
     *
     * @throws InterruptedIOException also when the time has passed
     * @throws LeftToStockException where stock's stream has, or is to have, what was queued
     */
    static void await(TerraceDataStreamer streamer, Acks acks) throws IOException {
        awaitInTime(streamer, acks);
        if (streamer.output().isLeftToStock()) {
            throw new LeftToStockException();
        }
        if (streamer.streamerClosed()) {
            try {
                streamer.getLastException().throwException4Close();
            } catch (ClosedChannelException e) {
                DataStreamer.LOG.debug("Closed channel exception", e);
            }
        }
    }

    private static void awaitInTime(DataStreamer streamer, Acks acks) throws InterruptedIOException {
        DatanodeInfo[] nodes = streamer.getNodes();
        int timeoutMs = streamer.dfsClient.getDatanodeWriteTimeout(nodes == null ? 3 : nodes.length);
        long beganNs = System.nanoTime();
        boolean there;
        try {
            there = acks.await(timeoutMs);
        } catch (InterruptedException e) {
            throw new InterruptedIOException("Interrupted while waiting for data to be acknowledged by pipeline");
        }
        long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
        if (!there) {
            DataStreamer.LOG.error("No ack received, {}", slow(streamer, tookMs, timeoutMs));
            throw new InterruptedIOException(
                    "No ack received after " + tookMs / 1000 + "s and a timeout of " + timeoutMs / 1000 + "s");
        }
        long slowMs = streamer.dfsClient.getConf().getSlowIoWarningThresholdMs();
        if (tookMs > slowMs) {
            DataStreamer.LOG.warn("Slow waitForAckedSeqno {}", slow(streamer, tookMs, slowMs));
        }
    }

    private static String slow(DataStreamer streamer, long tookMs, long thresholdMs) {
        return "took " + tookMs + "ms (threshold=" + thresholdMs + "ms). File being written: " + streamer.src
                + ", block: " + streamer.block + ", Write pipeline datanodes: " + Arrays.toString(streamer.getNodes())
                + ".";
    }
}
