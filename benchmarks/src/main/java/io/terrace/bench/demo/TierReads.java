package io.terrace.bench.demo;

import org.HdrHistogram.Histogram;

/** The reads that one tier served: how many, how many bytes, how long they took. Not thread-safe. */
final class TierReads {
    private static final long LONGEST_NS = 60_000_000_000L;
    private static final int DIGITS = 3;

    private final Histogram latencyNs = new Histogram(LONGEST_NS, DIGITS);
    private long bytes;

    void record(long readBytes, long readNs) {
        latencyNs.recordValue(Math.min(readNs, LONGEST_NS));
        bytes += readBytes;
    }

    void add(TierReads other) {
        latencyNs.add(other.latencyNs);
        bytes += other.bytes;
    }

    long reads() {
        return latencyNs.getTotalCount();
    }

    long bytes() {
        return bytes;
    }

    /** Microseconds that the given percentage of the reads did not exceed; 0 without a read. */
    double percentileUs(double percentage) {
        return reads() == 0 ? 0 : latencyNs.getValueAtPercentile(percentage) / 1e3;
    }
}
