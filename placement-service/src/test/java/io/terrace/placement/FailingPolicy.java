package io.terrace.placement;

import io.terrace.policy.Access;
import io.terrace.policy.Explanation;
import io.terrace.policy.Policy;
import io.terrace.policy.Wishes;

/** A policy that breaks at the first access. */
record FailingPolicy(Policy whole) implements Policy {

    @Override
    public String name() {
        return whole.name();
    }

    @Override
    public void access(Access access, Wishes wishes) {
        throw new IllegalStateException("planted");
    }

    @Override
    public void moved(long nowMs, long object, long sizeBytes, int tier, Wishes wishes) {
        whole.moved(nowMs, object, sizeBytes, tier, wishes);
    }

    @Override
    public void moveFailed(long nowMs, long object, long sizeBytes, int tier, Wishes wishes) {
        whole.moveFailed(nowMs, object, sizeBytes, tier, wishes);
    }

    @Override
    public void vanished(long nowMs, long object) {
        whole.vanished(nowMs, object);
    }

    @Override
    public void tick(long nowMs, Wishes wishes) {
        whole.tick(nowMs, wishes);
    }

    @Override
    public void resize(long nowMs, int tier, long capacityBytes, Wishes wishes) {
        whole.resize(nowMs, tier, capacityBytes, wishes);
    }

    @Override
    public Explanation explain(long nowMs, long object) {
        return whole.explain(nowMs, object);
    }

    @Override
    public long trackedObjects() {
        return whole.trackedObjects();
    }

    @Override
    public long memoryBytes() {
        return whole.memoryBytes();
    }
}
