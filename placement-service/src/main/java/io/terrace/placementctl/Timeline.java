package io.terrace.placementctl;

import io.terrace.policy.Access;
import io.terrace.policy.Explanation;
import io.terrace.policy.Policy;
import io.terrace.policy.Wishes;
import org.jspecify.annotations.Nullable;

/**
 * A policy as it is, watched while it is simulated: how many bytes were read, served by memory, and moved into it, in {@value
 * #SLICES} slices of the trace's time.  */
final class Timeline implements Policy {

    static final int SLICES = 120;

    private final Policy policy;
    private final long sliceMs;
    private final double[] readBytes = new double[SLICES];
    private final double[] memoryBytes = new double[SLICES];
    private final double[] movedBytes = new double[SLICES];

    Timeline(Policy policy, long lengthMs) {
        this.policy = policy;
        this.sliceMs = lengthMs / SLICES + 1;
    }

    private int slice(long nowMs) {
        return (int) Math.max(0, Math.min(SLICES - 1, nowMs / sliceMs));
    }

    /** Share of the bytes read up to the end of each slice that memory served; NaN before the first read. */
    double[] memoryShare() {
        double[] shares = new double[SLICES];
        double read = 0;
        double memory = 0;
        for (int i = 0; i < SLICES; i++) {
            read += readBytes[i];
            memory += memoryBytes[i];
            shares[i] = read == 0 ? Double.NaN : memory / read;
        }
        return shares;
    }

    /** Bytes moved into memory up to the end of each slice. */
    double[] moved() {
        double[] sums = new double[SLICES];
        double sum = 0;
        for (int i = 0; i < SLICES; i++) {
            sum += movedBytes[i];
            sums[i] = sum;
        }
        return sums;
    }

    @Override
    public void access(Access access, Wishes wishes) {
        if (!access.isWrite()) {
            readBytes[slice(access.nowMs())] += access.bytes();
            memoryBytes[slice(access.nowMs())] += access.tier() == 0 ? access.bytes() : 0;
        }
        policy.access(access, wishes);
    }

    @Override
    public void moved(long nowMs, long object, long sizeBytes, int tier, Wishes wishes) {
        movedBytes[slice(nowMs)] += tier == 0 ? sizeBytes : 0;
        policy.moved(nowMs, object, sizeBytes, tier, wishes);
    }

    @Override
    public String name() {
        return policy.name();
    }

    @Override
    public void moveFailed(long nowMs, long object, long sizeBytes, int tier, Wishes wishes) {
        policy.moveFailed(nowMs, object, sizeBytes, tier, wishes);
    }

    @Override
    public void vanished(long nowMs, long object) {
        policy.vanished(nowMs, object);
    }

    @Override
    public void tick(long nowMs, Wishes wishes) {
        policy.tick(nowMs, wishes);
    }

    @Override
    public void resize(long nowMs, int tier, long capacityBytes, Wishes wishes) {
        policy.resize(nowMs, tier, capacityBytes, wishes);
    }

    @Override
    public @Nullable Explanation explain(long nowMs, long object) {
        return policy.explain(nowMs, object);
    }

    @Override
    public long trackedObjects() {
        return policy.trackedObjects();
    }

    @Override
    public long memoryBytes() {
        return policy.memoryBytes();
    }
}
