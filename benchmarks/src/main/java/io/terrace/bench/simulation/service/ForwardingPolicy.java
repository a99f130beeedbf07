package io.terrace.bench.simulation.service;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.Explanation;
import io.terrace.policy.api.MoveRequests;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.PoolUsage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A policy that decides as another one does, for those who change or watch one call. */
public class ForwardingPolicy implements PlacementPolicy {

    private final PlacementPolicy policy;

    public ForwardingPolicy(PlacementPolicy policy) {
        this.policy = policy;
    }

    @Override
    public String name() {
        return policy.name();
    }

    @Override
    public void access(Access access, MoveRequests moveRequests) {
        policy.access(access, moveRequests);
    }

    @Override
    public void moved(long nowMs, long object, long sizeBytes, int tier, MoveRequests moveRequests) {
        policy.moved(nowMs, object, sizeBytes, tier, moveRequests);
    }

    @Override
    public void moveFailed(long nowMs, long object, long sizeBytes, int tier, MoveRequests moveRequests) {
        policy.moveFailed(nowMs, object, sizeBytes, tier, moveRequests);
    }

    @Override
    public void vanished(long nowMs, long object) {
        policy.vanished(nowMs, object);
    }

    @Override
    public void tick(long nowMs, MoveRequests moveRequests) {
        policy.tick(nowMs, moveRequests);
    }

    @Override
    public void resize(long nowMs, int tier, long capacityBytes, MoveRequests moveRequests) {
        policy.resize(nowMs, tier, capacityBytes, moveRequests);
    }

    @Override
    public void belongs(long nowMs, long object, int pool, MoveRequests moveRequests) {
        policy.belongs(nowMs, object, pool, moveRequests);
    }

    @Override
    public long freeBytes(int tier, int pool) {
        return policy.freeBytes(tier, pool);
    }

    @Override
    public long nextToLeave(int tier, int pool) {
        return policy.nextToLeave(tier, pool);
    }

    @Override
    public List<PoolUsage> pools() {
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
