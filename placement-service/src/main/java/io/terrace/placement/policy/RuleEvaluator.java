package io.terrace.placement.policy;

import io.terrace.common.TokenBucket;
import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.ReportQuota;
import io.terrace.placement.heartbeat.StampedBlock;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PathRule.Place;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.policyfile.RuleDecision;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Candidate;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.placement.state.NamespaceView.Verdict;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Applies the rules of the policy file. A block's path is looked up when it is first read, and again after {@value
 * #VALID_MS} ms, so a rename is heeded within that time; what is in memory is looked at as often, read or not. Each look
 * takes the NameNode's read lock for a bounded number of blocks, and a heartbeat leads to at most {@value
 * ReportQuota#LOOKS_FOR_PATHS} of them, within the {@link ReportQuota} of its DataNode: of blocks beyond, no policy hears
 * until the next heartbeat. Without rules by path nothing is looked up. A file is pinned on the word of a DataNode that holds the block
 * it speaks of, and on nobody else's. Owned by the loop's thread.
 */
public final class RuleEvaluator {

    public static final long VALID_MS = 60_000;

    /** Files that rules pin; more are refused and counted. */
    static final int MOST_PINNED = 1000;

    private final NamespaceView view;
    private final ClusterState clusterState;
    private final PolicySpec spec;
    /** By block id: a path is the NameNode's word, whoever speaks of the block and whatever length he gives it. */
    private final Map<Long, Match> fresh = new HashMap<>();
    /** By inode; the file that was pinned first, first. */
    private final Map<Long, PinnedFile> pinned = new LinkedHashMap<>();

    private final ArrayDeque<Spoken> toSweep = new ArrayDeque<>();
    private long sweptMs = Long.MIN_VALUE;

    /** The rule that a block's path matches, if any. */
    private record Match(@Nullable PathRule rule) {}

    private record PinnedFile(PathRule rule, long lengthBytes) {}

    /** A file that a rule pins if the witness holds the block. */
    private record ToPin(PathRule rule, Named file, Candidate witness) {}

    /** A block, and the DataNode that said that it has or served it. */
    private record Spoken(DataNodeState node, StampedBlock block) {}

    public RuleEvaluator(ClusterState clusterState, NamespaceView view, PolicySpec spec) {
        this.clusterState = clusterState;
        this.view = view;
        this.spec = spec;
    }

    /** Looks up what the entries of a DataNode's heartbeat need. */
    public void prepare(long nowMs, DataNodeState node, List<Heat> entries) {
        fresh.clear();
        if (spec.rules().isEmpty()) {
            return;
        }
        TokenBucket looks = node.reportQuota().looks();
        long limit = Math.min(ReportQuota.LOOKS_FOR_PATHS, looks.available(nowMs)) * view.lockBlocks();
        List<Spoken> unknown = new ArrayList<>();
        for (Heat entry : entries) {
            BlockHeat heat = clusterState.heat().find(entry.block().id());
            if (unknown.size() < limit && (heat == null || !isValid(nowMs, heat))) {
                unknown.add(new Spoken(node, entry.block()));
            }
        }
        for (int from = 0; from < unknown.size(); from += view.lockBlocks()) {
            int to = Math.min(unknown.size(), from + view.lockBlocks());
            looks.charge(nowMs, lookUp(unknown.subList(from, to)));
        }
    }

    private boolean isValid(long nowMs, BlockHeat heat) {
        return heat.isRuledBy(spec) && nowMs - heat.ruledMs() < VALID_MS;
    }

    /** @return looks at the NameNode's maps */
    private int lookUp(List<Spoken> blocks) {
        clusterState.metricRegistry().add(Metric.PLACEMENT_RULES_LOOKUPS, blocks.size());
        List<@Nullable Named> names =
                view.names(blocks.stream().map(spoken -> spoken.block.id()).toList());
        List<ToPin> toPin = new ArrayList<>();
        for (int i = 0; i < blocks.size(); i++) {
            Named named = names.get(i);
            if (named != null) {
                judge(blocks.get(i), named, toPin);
            }
        }
        pin(toPin);
        return toPin.isEmpty() ? 1 : 2;
    }

    private void judge(Spoken spoken, Named named, List<ToPin> toPin) {
        StampedBlock block = spoken.block;
        PathRule rule = spec.ruleFor(named.path());
        if (rule != null && rule.place() == Place.PIN) {
            if (!isPinned(rule, named)) {
                toPin.add(new ToPin(rule, named, new Candidate(block, spoken.node.uuid())));
            }
        } else {
            pinned.remove(named.inode());
        }
        fresh.put(block.id(), new Match(rule));
    }

    private boolean isPinned(PathRule rule, Named named) {
        PinnedFile file = pinned.get(named.inode());
        return file != null && file.rule == rule;
    }

    private void pin(List<ToPin> toPin) {
        if (toPin.isEmpty()) {
            return;
        }
        List<Verdict> verdicts = view.examine(toPin.stream().map(ToPin::witness).toList());
        Set<Long> judged = new HashSet<>();
        for (int i = 0; i < toPin.size(); i++) {
            Named file = toPin.get(i).file;
            if (verdicts.get(i).refutes()) {
                clusterState.metricRegistry().increment(Metric.PLACEMENT_HEAT_UNCONFIRMED);
            } else if (judged.add(file.inode())) { // Other blocks of it may stand in the same look.
                pin(toPin.get(i).rule, file);
            }
        }
    }

    private void pin(PathRule rule, Named named) {
        long taken = pinned.values().stream()
                .filter(file -> file.rule == rule)
                .mapToLong(PinnedFile::lengthBytes)
                .sum();
        // Its length costs the NameNode a look at each of its blocks: nobody asks for it where there is no room anyway.
        long room = pinned.size() >= MOST_PINNED ? 0 : rule.mostBytes() - taken;
        long lengthBytes = room > 0 ? view.lengthOf(named.inode()) : Long.MAX_VALUE;
        if (lengthBytes > room) {
            clusterState.metricRegistry().increment(Metric.PLACEMENT_RULES_PINS_REFUSED);
        } else if (lengthBytes >= 0) {
            pinned.remove(named.inode()); // What another rule pinned is the last one now.
            pinned.put(named.inode(), new PinnedFile(rule, lengthBytes));
        }
    }

    /**
     * What holds for a block that was just read or looked at; null while its path is not known.
     *
     * @param said the block as the DataNode has it that the ruling is for: another one may have lied about its length
     */
    @Nullable
    public RuleDecision of(long nowMs, BlockHeat heat, StampedBlock said) {
        Match found = fresh.get(said.id());
        if (found != null) {
            heat.rule(nowMs, spec, found.rule);
        }
        return decide(heat, said.lengthBytes());
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

    /** Inodes of files that rules pin. */
    public Collection<Long> pinnedFiles() {
        return pinned.keySet();
    }

    /**
     * What the pinned files have of blocks by now. Where that exceeds what a rule may pin, the files that it pinned last
     * are pinned no longer.
     */
    public void pinnedFilesHave(Map<Long, Long> bytesByInode) {
        Map<PathRule, Long> taken = new HashMap<>();
        for (Iterator<Map.Entry<Long, PinnedFile>> files = pinned.entrySet().iterator(); files.hasNext(); ) {
            Map.Entry<Long, PinnedFile> entry = files.next();
            PathRule rule = entry.getValue().rule;
            long bytes = bytesByInode.getOrDefault(entry.getKey(), entry.getValue().lengthBytes);
            long before = taken.getOrDefault(rule, 0L);
            if (bytes > rule.mostBytes() - before) {
                clusterState.metricRegistry().increment(Metric.PLACEMENT_RULES_PINS_REFUSED);
                files.remove();
            } else {
                taken.put(rule, before + bytes);
                entry.setValue(new PinnedFile(rule, bytes));
            }
        }
    }

    /** These pinned files have no blocks any more. */
    public void pinnedFilesGone(Collection<Long> inodes) {
        pinned.keySet().removeAll(inodes);
    }

    /** Looks at some of what is in memory; at everything within {@value #VALID_MS} ms where the lock's bound allows. */
    public List<Breach> sweep(long nowMs) {
        if (!spec.hasRules()) {
            return List.of();
        }
        if (toSweep.isEmpty() && (sweptMs == Long.MIN_VALUE || nowMs - sweptMs >= VALID_MS)) {
            sweptMs = nowMs;
            for (DataNodeState node : clusterState.nodes().values()) {
                node.residents().all().forEach(resident -> toSweep.add(new Spoken(node, resident.block)));
            }
        }
        List<Spoken> looked = new ArrayList<>();
        while (looked.size() < view.lockBlocks() && !toSweep.isEmpty()) {
            looked.add(toSweep.remove());
        }
        fresh.clear();
        if (!spec.rules().isEmpty() && !looked.isEmpty()) {
            lookUp(looked);
        }
        List<Breach> breaches = new ArrayList<>();
        for (Spoken resident : looked) {
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

    /** A copy in memory that a rule forbids. */
    public record Breach(DataNodeState node, StampedBlock block, RuleDecision ruleDecision) {}
}
