package io.terrace.placementctl.simulate;

import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PathRule.Place;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.policyfile.PoolSpec;
import io.terrace.placement.policyfile.RuleDecision;
import io.terrace.policy.ForwardingPolicy;
import io.terrace.policy.api.Access;
import io.terrace.policy.api.MoveRequests;
import io.terrace.policy.api.PlacementPolicy;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the service makes of a policy file around its policy, for simulations: objects that a rule or the bounds of size
 * keep out are not reported to it, preferred ones count more, pinned ones are brought to memory at their first read and
 * take their room away from the policy, and each object is reported in its pool.
 */
public final class RuleAwarePolicy extends ForwardingPolicy {

    private static final int MEMORY = 0;
    private static final int HOME = 1;

    private final PolicySpec spec;
    private final RuleAssignments rules;
    private final long memoryBytes;
    /** Size of what is pinned. */
    private final Long2LongOpenHashMap pinned = new Long2LongOpenHashMap();

    /** Pinned objects whose copy is under way: asking again would begin it anew. */
    private final LongOpenHashSet coming = new LongOpenHashSet();

    private final long[] pinnedByRule;
    private long pinnedBytes;
    private final long[] poolReads;
    private final long[] poolHits;

    /** How a pool's reads went. */
    public record PoolReads(String name, long reads, long fromMemory) {}

    RuleAwarePolicy(PlacementPolicy policy, PolicySpec spec, RuleAssignments rules, long memoryBytes) {
        super(policy);
        this.spec = spec;
        this.rules = rules;
        this.memoryBytes = memoryBytes;
        pinned.defaultReturnValue(-1);
        pinnedByRule = new long[spec.rules().size() + 1];
        poolReads = new long[Math.max(1, spec.pools().size())];
        poolHits = new long[poolReads.length];
    }

    /** Of each pool; empty where memory is not divided. */
    List<PoolReads> poolReads() {
        List<PoolReads> reads = new ArrayList<>();
        for (PoolSpec pool : spec.pools()) {
            int number = reads.size();
            reads.add(new PoolReads(pool.name(), poolReads[number], poolHits[number]));
        }
        return reads;
    }

    private @Nullable PathRule rule(long object) {
        int number = rules.of(object);
        return number <= 0 ? null : spec.rules().get(number - 1);
    }

    @Override
    public void access(Access access, MoveRequests moveRequests) {
        RuleDecision decision = spec.decide(rule(access.object()), access.sizeBytes());
        PathRule rule = decision.rule();
        int pool = decision.pool();
        if (!access.isWrite()) {
            poolReads[pool] += access.burst();
            poolHits[pool] += access.tier() == MEMORY ? access.burst() : 0;
        }
        if (pinned.containsKey(access.object())) {
            pin(access, rule, moveRequests);
            return;
        }
        if (decision.forbids()) {
            return;
        }
        if (rule != null && rule.place() == Place.PIN && !access.isWrite() && pin(access, rule, moveRequests)) {
            return;
        }
        super.access(access.burst(access.burst() * decision.weight()).in(pool), moveRequests);
    }

    /** Keeps room for a pinned object of the access's size; false when that is beyond the rule's bound or the memory. */
    private boolean pin(Access access, @Nullable PathRule rule, MoveRequests moveRequests) {
        long object = access.object();
        long before = Math.max(0, pinned.get(object));
        long more = access.sizeBytes() - before;
        int number = rule == null ? 0 : rule.number();
        long most = rule == null ? Long.MAX_VALUE : rule.mostBytes();
        if (more > memoryBytes - pinnedBytes || more > most - pinnedByRule[number]) {
            return false;
        }
        if (more != 0) {
            vanished(access.nowMs(), object);
            pinned.put(object, access.sizeBytes());
            coming.remove(object);
            pinnedByRule[number] += more;
            pinnedBytes += more;
            resize(access.nowMs(), MEMORY, memoryBytes - pinnedBytes, moveRequests);
        }
        if (access.tier() != MEMORY && coming.add(object)) {
            moveRequests.place(object, access.sizeBytes(), HOME, MEMORY);
        }
        return true;
    }

    @Override
    public void moved(long nowMs, long object, long sizeBytes, int tier, MoveRequests moveRequests) {
        coming.remove(object);
        if (!pinned.containsKey(object)) {
            super.moved(nowMs, object, sizeBytes, tier, moveRequests);
        }
    }

    @Override
    public void moveFailed(long nowMs, long object, long sizeBytes, int tier, MoveRequests moveRequests) {
        // A pinned object is requested again when it is read again.
        coming.remove(object);
        if (!pinned.containsKey(object)) {
            super.moveFailed(nowMs, object, sizeBytes, tier, moveRequests);
        }
    }
}
