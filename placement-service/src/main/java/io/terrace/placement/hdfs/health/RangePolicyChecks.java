package io.terrace.placement.hdfs.health;

import io.terrace.placement.hdfs.namesystem.NamesystemLookup.PolicyBelow;
import io.terrace.placement.heartbeat.HealthFinding;
import io.terrace.placement.heartbeat.HealthFinding.Severity;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.policyfile.TierRange;
import io.terrace.protocol.proto.AdminProtos.FindingProto;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What {@code placementctl doctor} finds wrong with ranges of tiers: those without a type of the storage policy that holds where
 * their rule begins to match. Anybody may ask, so the NameNode's lock is held once in ten seconds for a policy file, for as many
 * paths as in one look, and patterns are not said. Thread-safe.
 */
public final class RangePolicyChecks {

    private static final long VALID_NS = TimeUnit.SECONDS.toNanos(10);

    private final Function<List<String>, List<@Nullable PolicyBelow>> policiesOf;
    private final int mostPaths;
    private final LongSupplier nanoClock;
    private @Nullable Found last;

    /** What was found, for which policy and when. */
    private record Found(PolicySpec spec, long atNs, List<FindingProto> findings) {}

    /** Where files of a range begin. */
    private record RangeRoot(PathRule rule, TierRange range, String path) {}

    /**
     * Nothing is looked up yet.
     *
     * @param policiesOf the storage policies at paths, in one hold of the lock; null where nothing is there
     * @param mostPaths that are looked up
     */
    public RangePolicyChecks(
            Function<List<String>, List<@Nullable PolicyBelow>> policiesOf, int mostPaths, LongSupplier nanoClock) {
        this.policiesOf = policiesOf;
        this.mostPaths = mostPaths;
        this.nanoClock = nanoClock;
    }

    /** What is wrong with the ranges of that policy, as of ten seconds ago or later. */
    public synchronized List<FindingProto> find(PolicySpec spec) {
        long nowNs = nanoClock.getAsLong();
        Found known = last;
        if (known == null || !known.spec.equals(spec) || nowNs - known.atNs >= VALID_NS) {
            known = new Found(spec, nowNs, look(spec));
            last = known;
        }
        return known.findings;
    }

    private List<FindingProto> look(PolicySpec spec) {
        List<RangeRoot> roots = roots(spec);
        if (roots.isEmpty()) {
            return List.of();
        }
        List<RangeRoot> looked = roots.subList(0, Math.min(roots.size(), mostPaths));
        List<@Nullable PolicyBelow> policies =
                policiesOf.apply(looked.stream().map(RangeRoot::path).toList());
        Map<String, FindingProto> byRule = new LinkedHashMap<>();
        for (int i = 0; i < looked.size(); i++) {
            RangeRoot root = looked.get(i);
            PolicyBelow policy = policies.get(i);
            if (policy != null
                    && !policy.tiers().isEmpty()
                    && policy.tiers().stream().noneMatch(root.range()::contains)) {
                byRule.putIfAbsent(root.rule().name(), offPolicy(root, policy));
            }
        }
        List<FindingProto> found = new ArrayList<>(byRule.values());
        if (looked.size() < roots.size()) {
            found.add(unchecked(roots.size() - looked.size(), roots.size()));
        }
        return List.copyOf(found);
    }

    private static List<RangeRoot> roots(PolicySpec spec) {
        List<RangeRoot> roots = new ArrayList<>();
        for (PathRule rule : spec.rules()) {
            TierRange range = TierRange.of(rule);
            if (range != null) {
                rule.path().roots().forEach(path -> roots.add(new RangeRoot(rule, range, path)));
            }
        }
        return roots;
    }

    private static FindingProto offPolicy(RangeRoot root, PolicyBelow policy) {
        return finding(
                "range.off-policy",
                root.rule().name() + " keeps files in " + root.range() + ", and their storage policy " + policy.name()
                        + " wants none of these types",
                "where that is not meant, set another storage policy (hdfs storagepolicies -setStoragePolicy) or range:"
                        + " hdfs mover takes such replicas out of the range, and under a quota by storage type nothing"
                        + " moves");
    }

    private static FindingProto unchecked(int left, int all) {
        return finding(
                "range.unchecked",
                left + " of " + all + " directories of ranges were not compared with their storage policies: one look"
                        + " at the NameNode's namespace takes no more",
                "explain says for a file whether its range has a type of its storage policy; terrace.placement.lock.blocks"
                        + " sets how many one look takes");
    }

    private static FindingProto finding(String id, String text, String remedy) {
        return HealthChecks.finding("NameNode", new HealthFinding(id, Severity.NOTE, text, remedy));
    }
}
