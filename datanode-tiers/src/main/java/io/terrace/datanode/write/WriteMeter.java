package io.terrace.datanode.write;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;

/**
 * Counts what clients write over the channel. Thread-safe.
 *
 * @param speeds of the clients of which this DataNode is the first of a pipeline
 */
public record WriteMeter(MetricRegistry registry, ClientSpeeds speeds) {
    public WriteMeter(MetricRegistry registry) {
        this(registry, new ClientSpeeds());
    }

    /** A connection beyond the limit. */
    void refused() {
        registry.increment(Metric.CHANNEL_WRITE_CONNECTIONS_REFUSED);
    }

    /** A block that was not opened. */
    void notOpened() {
        registry.increment(Metric.CHANNEL_WRITE_REFUSED);
    }

    /** A block that was not finalised. */
    void failed() {
        registry.increment(Metric.CHANNEL_WRITE_FAILED);
    }

    /** A client that was silent for too long. */
    void cut() {
        registry.increment(Metric.CHANNEL_WRITE_CUT);
    }

    void written(int bytes) {
        registry.add(Metric.CHANNEL_WRITE_BYTES, bytes);
    }

    /** Part of what was written, by RDMA. */
    void landed(int bytes) {
        registry.add(Metric.CHANNEL_WRITE_LANDED_BYTES, bytes);
    }

    /** A client that gets no landing window. */
    void windowRefused() {
        registry.increment(Metric.CHANNEL_WRITE_WINDOWS_REFUSED);
    }

    void finalised() {
        registry.increment(Metric.CHANNEL_WRITE_BLOCKS);
    }

    void forwarded(int bytes) {
        registry.add(Metric.CHANNEL_WRITE_FORWARDED_BYTES, bytes);
    }

    /** Data that is sent on from a replica's files. */
    void readBack(int bytes) {
        registry.add(Metric.CHANNEL_WRITE_FORWARDED_READ_BYTES, bytes);
    }

    /** The next DataNode of a block failed. */
    void forwardFailed() {
        registry.increment(Metric.CHANNEL_WRITE_FORWARD_FAILED);
    }
}
