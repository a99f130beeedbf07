package io.terrace.placement;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.move.FirstReads;
import io.terrace.placement.move.WrittenBlocks;
import io.terrace.placement.policy.RuleEvaluator;
import io.terrace.placement.policyfile.RuleDecision;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.HomeChoice;
import io.terrace.placement.state.HomeSelector;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.MoveTracker;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.placement.state.Reach;
import io.terrace.placement.state.ResidentBlocks.Resident;
import io.terrace.policy.api.Access;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes the heat of heartbeats, as far as it counts ({@link ReportValidator}): chooses the home of each block that was read
 * ({@link HomeChoice}), and tells its policy of the reads that a copy there would serve. Owned by the loop's thread.
 */
final class HeatProcessor {
    /** A standby looks up no rules; the pool of blocks without one. */
    private static final int ANY_POOL = 0;

    private final ClusterState clusterState;
    private final MoveTracker moveTracker;
    private final RuleEvaluator ruleEvaluator;
    private final ReportValidator reportValidator;
    private final HomeChoice homeChoice;
    private final HolderLookup holderLookup;
    private final WrittenBlocks writtenBlocks;
    private final FirstReads firstReads;
    private final MetricRegistry metricRegistry;
    private final Access access = new Access();

    HeatProcessor(
            ClusterState clusterState,
            NamespaceView view,
            RuleEvaluator ruleEvaluator,
            ReportValidator reportValidator,
            WrittenBlocks writtenBlocks,
            FirstReads firstReads,
            HomeChoice homeChoice) {
        this.clusterState = clusterState;
        this.moveTracker = clusterState.moveTracker();
        this.ruleEvaluator = ruleEvaluator;
        this.reportValidator = reportValidator;
        this.homeChoice = homeChoice;
        this.holderLookup = new HolderLookup(clusterState, new HomeSelector(clusterState), view);
        this.writtenBlocks = writtenBlocks;
        this.firstReads = firstReads;
        this.metricRegistry = clusterState.metricRegistry();
    }

    void take(long nowMs, DataNodeState node, List<Heat> entries) {
        reportValidator.askAboutHeat(nowMs, node, entries);
        List<Heat> counted = new ArrayList<>(entries.size());
        for (Heat entry : entries) {
            if (counts(nowMs, node, entry)) {
                counted.add(entry);
            }
        }
        ruleEvaluator.prepare(nowMs, node, counted, entry -> firstReads.asksFor(nowMs, entry));
        holderLookup.ask(nowMs, node, counted);
        for (Heat entry : counted) {
            heat(nowMs, node, entry);
        }
    }

    /**
     * Counts heat while another NameNode decides. The NameNode's map is not asked: what a DataNode says of blocks that it does
     * not hold is found out once this NameNode decides and another DataNode reports them.
     */
    void count(long nowMs, DataNodeState node, List<Heat> entries) {
        for (Heat entry : entries) {
            metricRegistry.add(Metric.PLACEMENT_STANDBY_READS, entry.reads());
            BlockHeat known = clusterState.heat().peek(entry.block().id());
            if (known != null
                    && !known.block().sameContent(entry.block())
                    && (known.isReportedByOthers(node)
                            || known.block().stamp() > entry.block().stamp())) {
                metricRegistry.increment(Metric.PLACEMENT_HEAT_STALE);
                continue;
            }
            BlockHeat heat = clusterState.heat().touch(nowMs, entry.block());
            heat.record(nowMs, node, entry, clusterState.heatSettings().halfLifeMs());
            heat.doubt();
            if (entry.reads() > 0) {
                heat.home(homeChoice.choose(nowMs, heat, ANY_POOL));
            }
        }
    }

    private boolean counts(long nowMs, DataNodeState node, Heat entry) {
        metricRegistry.add(Metric.PLACEMENT_READS, entry.reads());
        metricRegistry.add(Metric.PLACEMENT_READ_BYTES, entry.bytesRead());
        metricRegistry.add(Metric.PLACEMENT_READ_MEMORY_BYTES, entry.bytesReadFromMemory());
        switch (reportValidator.judge(nowMs, node, entry)) {
            case COUNTS -> {
                return true;
            }
            case SUPERSEDES -> {
                supersede(nowMs, entry.block().id());
                return true;
            }
            case STALE -> metricRegistry.increment(Metric.PLACEMENT_HEAT_STALE);
            case UNCONFIRMED -> metricRegistry.increment(Metric.PLACEMENT_HEAT_UNCONFIRMED);
        }
        return false;
    }

    private void heat(long nowMs, DataNodeState node, Heat entry) {
        StampedBlock block = entry.block();
        BlockHeat heat = clusterState.heat().touch(nowMs, block);
        heat.record(nowMs, node, entry, clusterState.heatSettings().halfLifeMs());
        if (entry.reads() + entry.timedReads() > 0) {
            clusterState.controlTrial().read(block.id(), entry.reads(), entry.timedReads(), entry.timedNs());
        }
        Resident here = node.residents().find(block.id());
        if (here != null) {
            here.bytesServed += entry.bytesReadFromMemory();
        }
        if (entry.reads() > 0 && ruleEvaluator.isLookedUp(block.id())) {
            firstReads.lookedUp(nowMs, block.id());
        }
        RuleDecision ruleDecision = ruleEvaluator.of(nowMs, heat, block);
        if (ruleDecision == null) {
            metricRegistry.increment(Metric.PLACEMENT_RULES_DEFERRED);
        } else if (ruleDecision.forbids()) {
            moveTracker.dropCopy(nowMs, node, block.id(), Cause.RULE, ruleDecision.sentence());
        }
        if (ruleDecision == null
                || ruleDecision.forbids()
                || heat.excluded() != null
                || entry.reads() + entry.writes() == 0) {
            return;
        }
        Named file = ruleEvaluator.file(block.id());
        if (entry.writes() > 0) {
            writtenBlocks.written(nowMs, node, block, ruleDecision);
            firstReads.written(nowMs, node, block, ruleDecision, file == null ? null : file.path());
        }
        if (entry.reads() > 0) {
            firstReads.read(nowMs, node, entry, file, ruleDecision.pool());
        }
        holderLookup.locate(nowMs, node, heat);
        @Nullable DataNodeState before = heat.home();
        noteReach(nowMs, node, heat, entry.reads());
        DataNodeState home = entry.reads() > 0 ? homeChoice.choose(nowMs, heat, ruleDecision.pool()) : before;
        heat.home(home);
        if (before != home && before != null) {
            moveHome(nowMs, before, block, home);
        }
        if (home != null && !home.residents().isPinned(block.id())) {
            tellPolicy(nowMs, node, heat, home, entry, ruleDecision);
        }
    }

    private void noteReach(long nowMs, DataNodeState reporter, BlockHeat heat, long reads) {
        DataNodeState home = heat.home();
        Resident copy = home == null ? null : home.residents().find(heat.block().id());
        if (reads > 0 && copy != null && nowMs - copy.sinceMs >= Reach.SETTLED_MS) {
            clusterState.reach().heard(reads, reporter == home, Math.max(2, heat.nodeCount()));
        }
    }

    private void moveHome(long nowMs, DataNodeState before, StampedBlock block, @Nullable DataNodeState home) {
        metricRegistry.increment(Metric.PLACEMENT_HOMES_CHANGED);
        Move open = before.moveQueue().open(block.id());
        if (open != null && !open.isSent() && open.isPromotion()) {
            moveTracker.withdraw(nowMs, before, open, MoveOutcome.CANCELLED, "its home has moved", false);
        } else if (home != null && before.leaving() == null) {
            moveTracker.dropCopy(nowMs, before, block.id(), Cause.MOVED_HOME, "its home is now " + home.name());
        }
    }

    private void tellPolicy(
            long nowMs,
            DataNodeState reporter,
            BlockHeat heat,
            DataNodeState home,
            Heat entry,
            RuleDecision ruleDecision) {
        StampedBlock block = entry.block();
        int tier = home.tierOf(block.id());
        long reads = servedByCopy(nowMs, reporter, home, entry);
        if (reads > 0) {
            long bytes = (long) ((double) entry.bytesRead() / entry.reads() * reads);
            access.read(nowMs, block.id(), block.lengthBytes(), bytes, tier)
                    .burst((int) Math.min(Integer.MAX_VALUE, reads * ruleDecision.weight()))
                    .in(ruleDecision.pool())
                    .of(ruleEvaluator.inputBytes(block.id()))
                    .saving(savedNs(heat, entry.replica(), reads * ruleDecision.weight()));
            home.policy().access(access, home::request);
        }
        if (entry.writes() > 0) {
            access.write(nowMs, block.id(), block.lengthBytes(), entry.bytesWritten(), tier)
                    .burst((int) Math.min(Integer.MAX_VALUE, entry.writes()))
                    .in(ruleDecision.pool());
            home.policy().access(access, home::request);
        }
    }

    /**
     * What memory saves of the time of reads. How long they are is known from all reads of the block so far; while none has told its
     * length, as of a scan that goes on or a short-circuit client, each counts as one of the whole block.
     */
    private long savedNs(BlockHeat heat, StorageTier replica, long reads) {
        double bytes = heat.bytesRead() == 0 ? heat.block().lengthBytes() : (double) heat.bytesRead() / heat.reads();
        return clusterState.controlTrial().readCosts().savedNs(replica, reads, bytes);
    }

    /** Of the reads that a DataNode reports, those that a copy at the home serves or would serve. */
    private long servedByCopy(long nowMs, DataNodeState reporter, DataNodeState home, Heat entry) {
        Resident copy = home.residents().find(entry.block().id());
        if (copy == null || nowMs - copy.sinceMs < Reach.SETTLED_MS) {
            return reporter == home ? entry.reads() : clusterState.reach().of(entry.reads());
        }
        return reporter == home ? entry.reads() : 0;
    }

    /** What was known of a block was another content's: it is void. */
    private void supersede(long nowMs, long id) {
        BlockHeat old = clusterState.heat().find(id);
        if (old == null) {
            return;
        }
        for (DataNodeState node : old.reporters()) {
            Move open = node.moveQueue().open(id);
            if (open != null && !open.isSent() && open.isPromotion()) {
                moveTracker.withdraw(nowMs, node, open, MoveOutcome.CANCELLED, "the block changed", true);
            }
        }
        DataNodeState home = old.home();
        if (home != null) {
            moveTracker.forget(nowMs, home, old.block());
        }
        clusterState.heat().remove(id);
    }
}
