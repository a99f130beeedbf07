package io.terrace.bench.demo;

import io.terrace.bench.load.VerifyingClient.Outcome;

/** Reads by the tier that served them. A read that memory served only in part counts as disk's. Not thread-safe. */
final class ReadTally {
    private final TierReads memory = new TierReads();
    private final TierReads disk = new TierReads();
    private long memoryBytes;
    private long wrongBytes;

    void record(Outcome outcome) {
        boolean hit = outcome.memoryBytes() == outcome.bytes();
        (hit ? memory : disk).record(outcome.bytes(), outcome.latencyNs());
        memoryBytes += outcome.memoryBytes();
        wrongBytes += outcome.wrongBytes();
    }

    void add(ReadTally other) {
        memory.add(other.memory);
        disk.add(other.disk);
        memoryBytes += other.memoryBytes;
        wrongBytes += other.wrongBytes;
    }

    TierReads memory() {
        return memory;
    }

    TierReads disk() {
        return disk;
    }

    /** Both tiers in one, for the latency of all reads. */
    TierReads all() {
        TierReads all = new TierReads();
        all.add(memory);
        all.add(disk);
        return all;
    }

    long reads() {
        return memory.reads() + disk.reads();
    }

    long bytes() {
        return memory.bytes() + disk.bytes();
    }

    long wrongBytes() {
        return wrongBytes;
    }

    /** Share of the reads that memory served whole. */
    double hitOps() {
        return reads() == 0 ? 0 : (double) memory.reads() / reads();
    }

    /** Share of the bytes that memory served. */
    double hitBytes() {
        return bytes() == 0 ? 0 : (double) memoryBytes / bytes();
    }
}
