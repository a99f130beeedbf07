package io.terrace.placementctl.simulate;

import io.terrace.policy.ForwardingPolicy;
import io.terrace.policy.api.Access;
import io.terrace.policy.api.MoveRequests;
import io.terrace.policy.api.PlacementPolicy;

/**
 * A policy as it is, watched while it is simulated: how many bytes were read, served by memory, and moved into it, in {@value
 * #SLICES} slices of the trace's time.
 */
public final class ReplayTimeline extends ForwardingPolicy {

    static final int SLICES = 120;

    private final long sliceMs;
    private final double[] readBytes = new double[SLICES];
    private final double[] memoryBytes = new double[SLICES];
    private final double[] movedBytes = new double[SLICES];

    ReplayTimeline(PlacementPolicy policy, long lengthMs) {
        super(policy);
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
    public void access(Access access, MoveRequests moveRequests) {
        if (!access.isWrite()) {
            readBytes[slice(access.nowMs())] += access.bytes();
            memoryBytes[slice(access.nowMs())] += access.tier() == 0 ? access.bytes() : 0;
        }
        super.access(access, moveRequests);
    }

    @Override
    public void moved(long nowMs, long object, long sizeBytes, int tier, MoveRequests moveRequests) {
        movedBytes[slice(nowMs)] += tier == 0 ? sizeBytes : 0;
        super.moved(nowMs, object, sizeBytes, tier, moveRequests);
    }
}
