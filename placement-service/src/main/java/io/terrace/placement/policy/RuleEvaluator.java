package io.terrace.placement.policy;

import io.terrace.common.TokenBucket;
import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.ReportQuota;
import io.terrace.placement.policyfile.AnnotatedRule;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PathRule.Place;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.policyfile.RuleDecision;
import io.terrace.placement.policyfile.TierRange;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Asker;
import io.terrace.placement.state.NamespaceView.Candidate;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.placement.state.NamespaceView.Verdict;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Applies the rules of the policy file and the annotations of files. A block's path is looked up when it is first read,
 * and again after {@value #VALID_MS} ms, so a rename is heeded within that time; what is in memory is looked at as often,
 * read or not; later while the NameNode's lock is held for too much of the time. Each look takes the NameNode's read lock for a bounded number of blocks, and a heartbeat leads to at most
 * {@value ReportQuota#LOOKS_FOR_PATHS} of them, within the {@link ReportQuota} of its DataNode: of blocks beyond, no policy
 * is told until the next heartbeat. Without rules by path nothing is looked up, unless a policy wants to know how large files are, or {@link #prepare} is asked to. A file is pinned only when a DataNode that
 * holds a block of it reports that block. Owned by the engine's thread.
 */
public final class RuleEvaluator {

    public static final long VALID_MS = 60_000;

    private final NamespaceView view;
    private final NamespaceView reviews;
    private final ClusterState clusterState;
    private final PolicySpec spec;
    /** By block id: the path comes from the NameNode, whoever reports the block and with whatever length. */
    private final Map<Long, Match> fresh = new HashMap<>();

    /** Whose paths were looked up for the heartbeat that is being taken, found or not. */
    private final Set<Long> lookedUp = new HashSet<>();

    private final RulePins pins;
    private final ArrayDeque<Reported> toSweep = new ArrayDeque<>();
    private long sweptMs = Long.MIN_VALUE;
    private long changedMs = Long.MIN_VALUE;

    /** A block's file, and the rule that it matches, if any. */
    private record Match(Named file, @Nullable PathRule rule) {}

    /** A file that a rule pins if the reporter holds its block. */
    private record ToPin(PathRule rule, Named file, Candidate reporter) {}

    /** A block, and the DataNode that reported that it has or served it. */
    private record Reported(DataNodeState node, StampedBlock block) {}

    public RuleEvaluator(ClusterState clusterState, NamespaceView view, PolicySpec spec) {
        this.clusterState = clusterState;
        this.view = view.askedBy(Asker.REPORTS);
        this.reviews = view.askedBy(Asker.REVIEWS);
        this.spec = spec;
        this.pins = new RulePins(view, clusterState.metricRegistry());
    }

    /** Annotations changed, of which files is not known: what was looked up before is to be looked up again. */
    public void annotationsChanged(long nowMs) {
        changedMs = nowMs;
        sweptMs = Long.MIN_VALUE;
        toSweep.clear();
    }

    /**
     * Looks up what the entries of a DataNode's heartbeat need: first those of which no policy is told without.
     *
     * @param asked which blocks' files are wanted, for {@link #file}
     */
    public void prepare(long nowMs, DataNodeState node, List<Heat> entries, Predicate<Heat> asked) {
        fresh.clear();
        lookedUp.clear();
        boolean rules = !spec.rules().isEmpty() || spec.countsJobs();
        TokenBucket looks = node.reportQuota().looks();
        long limit = Math.min(ReportQuota.LOOKS_FOR_PATHS, looks.available(nowMs)) * view.lockBlocks();
        boolean mayLook = view.mayLook();
        boolean mayReview = reviews.mayLook();
        List<Reported> unknown = new ArrayList<>();
        List<Reported> again = new ArrayList<>();
        for (Heat entry : entries) {
            BlockHeat heat = clusterState.heat().peek(entry.block().id());
            if (rules && (heat == null || !isKnown(heat))) {
                unknown.add(new Reported(node, entry.block()));
            } else if ((rules && heat != null && !isValid(nowMs, heat)) || asked.test(entry)) {
                again.add(new Reported(node, entry.block()));
            }
        }
        List<Reported> due = mayLook ? unknown : new ArrayList<>();
        int awaited = due.size();
        if (mayReview) {
            due.addAll(again);
        }
        int most = (int) Math.min(due.size(), limit);
        for (int from = 0; from < most; from += view.lockBlocks()) {
            int to = Math.min(most, from + view.lockBlocks());
            looks.charge(nowMs, lookUp(from < awaited ? view : reviews, due.subList(from, to)));
        }
    }

    /** Whether its path was looked up for these rules, since annotations changed. */
    private boolean isKnown(BlockHeat heat) {
        return heat.isRuledBy(spec) && heat.ruledMs() > changedMs;
    }

    /** Where the rule gives tiers, the sweep over such blocks sees the path once a minute. */
    private boolean isValid(long nowMs, BlockHeat heat) {
        boolean isSwept = TierRange.of(heat.rule()) != null;
        return isKnown(heat) && nowMs - heat.ruledMs() < (isSwept ? 2 * VALID_MS : VALID_MS);
    }

    /** @return looks at the NameNode's maps */
    private int lookUp(NamespaceView by, List<Reported> blocks) {
        clusterState.metricRegistry().add(Metric.PLACEMENT_RULES_LOOKUPS, blocks.size());
        List<@Nullable Named> names =
                by.names(blocks.stream().map(reported -> reported.block.id()).toList());
        List<ToPin> toPin = new ArrayList<>();
        for (int i = 0; i < blocks.size(); i++) {
            lookedUp.add(blocks.get(i).block.id());
            Named named = names.get(i);
            if (named != null) {
                judge(blocks.get(i), named, toPin);
            }
        }
        pin(toPin);
        return toPin.isEmpty() ? 1 : 2;
    }

    private void judge(Reported reported, Named named, List<ToPin> toPin) {
        StampedBlock block = reported.block;
        AnnotatedRule annotated = spec.ruleFor(named.path(), named.annotations());
        if (!annotated.ignored().isEmpty()) {
            clusterState.metricRegistry().increment(Metric.PLACEMENT_ANNOTATIONS_IGNORED);
        }
        PathRule rule = annotated.rule();
        if (rule != null && rule.place() == Place.PIN) {
            if (!pins.isPinned(rule, named)) {
                toPin.add(new ToPin(rule, named, new Candidate(block, reported.node.uuid())));
            }
        } else {
            pins.unpin(named.inode());
        }
        fresh.put(block.id(), new Match(named, rule));
    }

    private void pin(List<ToPin> toPin) {
        if (toPin.isEmpty()) {
            return;
        }
        List<Verdict> verdicts =
                view.examine(toPin.stream().map(ToPin::reporter).toList());
        Set<Long> judged = new HashSet<>();
        for (int i = 0; i < toPin.size(); i++) {
            Named file = toPin.get(i).file;
            if (verdicts.get(i).refutes()) {
                clusterState.metricRegistry().increment(Metric.PLACEMENT_HEAT_UNCONFIRMED);
            } else if (judged.add(file.inode())) { // Other blocks of it may stand in the same look.
                pins.pin(toPin.get(i).rule, file);
            }
        }
    }

    /**
     * What holds for a block that was just read or looked at; null while its path is not known.
     *
     * @param reported the block as the DataNode has it for which this is decided: another one may give a wrong length
     */
    @Nullable
    public RuleDecision of(long nowMs, BlockHeat heat, StampedBlock reported) {
        Match found = fresh.get(reported.id());
        if (found != null) {
            heat.rule(nowMs, spec, found.rule);
        }
        return decide(heat, reported.lengthBytes());
    }

    /** Whether the file of a block was looked up for the heartbeat that is being taken, which may have found none. */
    public boolean isLookedUp(long blockId) {
        return lookedUp.contains(blockId);
    }

    /** The file of a block, if it was looked up for the heartbeat that is being taken. */
    public @Nullable Named file(long blockId) {
        Match found = fresh.get(blockId);
        return found == null ? null : found.file;
    }

    /** About how large the file of a block is, if it has more than one and was looked up for this heartbeat; else 0. */
    public long inputBytes(long blockId) {
        Match found = fresh.get(blockId);
        return found == null ? 0 : found.file.inputBytes();
    }

    private @Nullable RuleDecision decide(BlockHeat heat, long lengthBytes) {
        if (spec.rules().isEmpty()) {
            return spec.decide(null, lengthBytes);
        }
        return heat.isRuledBy(spec) ? spec.decide(heat.rule(), lengthBytes) : null;
    }

    /** What is known to hold for a block, without a look. */
    @Nullable
    public RuleDecision known(BlockHeat heat) {
        return decide(heat, heat.block().lengthBytes());
    }

    /** The files that rules pin. */
    public RulePins pins() {
        return pins;
    }

    /** Looks at some of what is in memory; at everything within {@value #VALID_MS} ms where the lock's bound allows. */
    public List<Breach> sweep(long nowMs) {
        if (!spec.hasRules()) {
            return List.of();
        }
        if (toSweep.isEmpty() && (sweptMs == Long.MIN_VALUE || nowMs - sweptMs >= VALID_MS)) {
            sweptMs = nowMs;
            for (DataNodeState node : clusterState.nodes().values()) {
                node.residents().all().forEach(resident -> toSweep.add(new Reported(node, resident.block)));
            }
        }
        if (!reviews.mayLook()) {
            return List.of();
        }
        List<Reported> looked = new ArrayList<>();
        while (looked.size() < view.lockBlocks() && !toSweep.isEmpty()) {
            looked.add(toSweep.remove());
        }
        fresh.clear();
        List<Reported> unknown = spec.rules().isEmpty() ? List.of() : notLookedUp(nowMs, looked);
        if (!unknown.isEmpty()) {
            lookUp(reviews, unknown);
        }
        List<Breach> breaches = new ArrayList<>();
        for (Reported resident : looked) {
            BlockHeat heat = clusterState.heat().of(nowMs, resident.block);
            RuleDecision ruleDecision = of(nowMs, heat, resident.block);
            if (ruleDecision != null && ruleDecision.forbids()) {
                breaches.add(new Breach(resident.node, resident.block, ruleDecision));
            } else if (ruleDecision != null && !resident.node.residents().isPinned(resident.block.id())) {
                resident.node.policy().belongs(nowMs, resident.block.id(), ruleDecision.pool(), resident.node::request);
            }
        }
        fresh.clear();
        return breaches;
    }

    /** Without those whose path was looked up just now, as they are read. */
    private List<Reported> notLookedUp(long nowMs, List<Reported> all) {
        return all.stream()
                .filter(reported -> {
                    BlockHeat heat = clusterState.heat().peek(reported.block.id());
                    return heat == null || !isValid(nowMs, heat);
                })
                .toList();
    }

    /** A copy in memory that a rule forbids. */
    public record Breach(DataNodeState node, StampedBlock block, RuleDecision ruleDecision) {}
}
