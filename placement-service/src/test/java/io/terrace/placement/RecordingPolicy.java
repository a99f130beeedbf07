package io.terrace.placement;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.Explanation;
import io.terrace.policy.api.MoveRequests;
import io.terrace.policy.api.PlacementPolicy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A policy that requests nothing and writes down what it is told. */
public final class RecordingPolicy implements PlacementPolicy {

    /** Latest last, e.g. {@code 1 moved to 0}, or {@code 1 read 3 times in 1} with the index of the tier last. */
    public final List<String> told = new ArrayList<>();

    public long capacityBytes;

    @Override
    public String name() {
        return "recording";
    }

    @Override
    public void access(Access access, MoveRequests moveRequests) {
        told.add(access.object() + (access.isWrite() ? " written " : " read ") + access.burst() + " times in "
                + access.tier());
    }

    @Override
    public void moved(long nowMs, long object, long sizeBytes, int tier, MoveRequests moveRequests) {
        told.add(object + " moved to " + tier);
    }

    @Override
    public void moveFailed(long nowMs, long object, long sizeBytes, int tier, MoveRequests moveRequests) {
        told.add(object + " stays in " + tier);
    }

    @Override
    public void vanished(long nowMs, long object) {
        told.add(object + " vanished");
    }

    @Override
    public void tick(long nowMs, MoveRequests moveRequests) {}

    @Override
    public void resize(long nowMs, int tier, long newBytes, MoveRequests moveRequests) {
        capacityBytes = newBytes;
    }

    @Override
    public @Nullable Explanation explain(long nowMs, long object) {
        return null;
    }

    @Override
    public long trackedObjects() {
        return 0;
    }

    @Override
    public long memoryBytes() {
        return 0;
    }
}
