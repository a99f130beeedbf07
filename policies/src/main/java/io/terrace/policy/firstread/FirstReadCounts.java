package io.terrace.policy.firstread;

import io.terrace.policy.ForwardingPolicy;
import io.terrace.policy.api.Access;
import io.terrace.policy.api.MoveRequests;
import io.terrace.policy.api.PlacementPolicy;
import java.util.BitSet;

/**
 * A policy as it is, watched while a trace is replayed: counts first reads of objects, and those that the fastest tier served. An
 * object's first read is the first one in the trace, and the first one after each write. Objects are numbered from 0.
 */
public final class FirstReadCounts extends ForwardingPolicy {

    private final BitSet read = new BitSet();
    private long reads;
    private long served;

    public FirstReadCounts(PlacementPolicy policy) {
        super(policy);
    }

    @Override
    public void access(Access access, MoveRequests moveRequests) {
        int object = (int) access.object();
        if (access.isWrite()) {
            read.clear(object);
        } else if (!read.get(object)) {
            read.set(object);
            reads++;
            served += access.tier() == 0 ? 1 : 0;
        }
        super.access(access, moveRequests);
    }

    public long reads() {
        return reads;
    }

    /** Of these, by the fastest tier. */
    public long served() {
        return served;
    }

    public double share() {
        return reads == 0 ? 0 : (double) served / reads;
    }
}
