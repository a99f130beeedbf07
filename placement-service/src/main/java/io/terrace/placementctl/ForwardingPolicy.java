package io.terrace.placementctl;

import io.terrace.policy.Access;
import io.terrace.policy.Explanation;
import io.terrace.policy.Policy;
import io.terrace.policy.Wishes;
import io.terrace.policy.pool.PoolUse;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Stands around another policy and hands on every call; those that look or step in override what concerns them. */
class ForwardingPolicy implements Policy {
    private final Policy policy;

    ForwardingPolicy(Policy policy) {
        this.policy = policy;
    }

    @Override
    public String name() {
        return policy.name();
    }

    @Override
    public void access(Access access, Wishes wishes) {
        policy.access(access, wishes);
    }

    @Override
    public void moved(long nowMs, long object, long sizeBytes, int tier, Wishes wishes) {
        policy.moved(nowMs, object, sizeBytes, tier, wishes);
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
    public void belongs(long nowMs, long object, int pool, Wishes wishes) {
        policy.belongs(nowMs, object, pool, wishes);
    }

    @Override
    public List<PoolUse> pools() {
        return policy.pools();
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
