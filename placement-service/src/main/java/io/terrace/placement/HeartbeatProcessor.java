package io.terrace.placement;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.Heartbeat.Residency;
import io.terrace.placement.heartbeat.Heartbeat.Result;
import io.terrace.placement.move.WrittenBlocks;
import io.terrace.placement.policy.RuleEvaluator;
import io.terrace.placement.policyfile.RuleDecision;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.HomeSelector;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.MoveQueue;
import io.terrace.placement.state.MoveTracker;
import io.terrace.placement.state.ResidentBlocks.Resident;
import io.terrace.policy.api.Access;
import io.terrace.protocol.HeartbeatLimits;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes what heartbeats bring: results of moves, what is resident, and heat, which goes to the policy of the block's
 * home where it counts ({@link ReportValidator}). Owned by the loop's thread.
 */
final class HeartbeatProcessor {

    static final long NO_ROOM_PAUSE_MS = 200;
    static final int NO_ROOM_ATTEMPTS = 4;

    private final ClusterState clusterState;
    private final MoveTracker moveTracker;
    private final RuleEvaluator ruleEvaluator;
    private final ReportValidator reportValidator;
    private final WrittenBlocks writtenBlocks;
    private final MetricRegistry metricRegistry;
    private final Access access = new Access();

    HeartbeatProcessor(
            ClusterState clusterState,
            RuleEvaluator ruleEvaluator,
            ReportValidator reportValidator,
            WrittenBlocks writtenBlocks) {
        this.clusterState = clusterState;
        this.moveTracker = clusterState.moveTracker();
        this.ruleEvaluator = ruleEvaluator;
        this.reportValidator = reportValidator;
        this.writtenBlocks = writtenBlocks;
        this.metricRegistry = clusterState.metricRegistry();
    }

    void results(long nowMs, long epoch, DataNodeState node, List<Result> results) {
        for (Result result : results) {
            Move move = result.epoch() == epoch ? node.moveQueue().inFlight(result.moveId()) : null;
            if (move == null || !move.block().sameContent(result.block())) {
                metricRegistry.increment(Metric.PLACEMENT_RESULTS_STALE);
            } else {
                settle(nowMs, node, move, result);
            }
        }
    }

    private void settle(long nowMs, DataNodeState node, Move move, Result result) {
        StampedBlock block = move.block();
        if (result.outcome() == MoveOutcome.NO_ROOM
                && move.isPromotion()
                && !move.isOvertaken()
                && move.retry(nowMs, NO_ROOM_PAUSE_MS, NO_ROOM_ATTEMPTS)) {
            node.moveQueue().waitAgain(move);
            return;
        }
        String message = result.message();
        move.took(result.tookMs());
        moveTracker.end(
                nowMs,
                node,
                move,
                result.outcome(),
                message == null ? result.outcome().text() : message,
                result.bytesMoved());
        switch (result.outcome()) {
            case DONE -> done(nowMs, node, move);
            case CHANGED -> node.policy().vanished(nowMs, block.id());
            case PINNED -> {
                Resident resident = node.residents().find(block.id());
                node.residents().put(new Resident(block, resident == null ? nowMs : resident.sinceMs, true));
                node.policy().vanished(nowMs, block.id());
                node.resizePolicy(nowMs);
            }
            default -> {
                node.backoffTable().failed(nowMs, block.id());
                moveTracker.correct(nowMs, node, block, node.tierOf(block.id()));
            }
        }
    }

    private void done(long nowMs, DataNodeState node, Move move) {
        StampedBlock block = move.block();
        // Only residency reports say what is resident; a copy that was made may be gone again by now.
        if (!move.isPromotion()) {
            left(node, block.id());
        }
        if (!move.isOvertaken()) {
            moveTracker.confirm(nowMs, node, block, move.to());
            return;
        }
        // Meanwhile the policy requested the opposite move and waits for its result.
        MoveQueue queue = node.moveQueue();
        if (move.isPromotion() ? queue.isFullForDrops() : queue.isFullForPromotions()) {
            moveTracker.correct(nowMs, node, block, move.to());
        } else {
            Move next = moveTracker.open(
                    nowMs, node, move.to(), move.from(), block, Cause.POLICY, "changed its mind meanwhile");
            queue.enqueue(next, false);
        }
    }

    private void left(DataNodeState node, long blockId) {
        Resident gone = node.residents().remove(blockId);
        if (gone != null && gone.bytesServed == 0) {
            metricRegistry.increment(Metric.PLACEMENT_MOVES_UNPAID);
        }
    }

    void residency(long nowMs, DataNodeState node, List<Residency> changes, boolean full) {
        if (full) {
            node.session().fullBegins(nowMs, node.residents().ids());
        }
        changes.forEach(
                change -> node.session().unreported().remove(change.block().id()));
        if (changes.size() < HeartbeatLimits.ENTRIES) {
            // The report is complete, so the DataNode evicted by itself what is not in it.
            node.session().unreported().forEach(id -> wentAway(nowMs, node, id));
            node.session().unreported().clear();
        }
        reportValidator.askAboutHomes(nowMs, node, changes);
        for (Residency change : changes) {
            if (change.resident()) {
                arrived(nowMs, node, change);
            } else {
                wentAway(nowMs, node, change.block().id());
            }
        }
        if (!changes.isEmpty()) {
            node.resizePolicy(nowMs);
        }
    }

    private void arrived(long nowMs, DataNodeState node, Residency change) {
        StampedBlock block = change.block();
        Resident before = node.residents().find(block.id());
        if (before == null
                && node.residents().size() >= clusterState.heatSettings().trackedBlocks()) {
            metricRegistry.increment(Metric.PLACEMENT_HEARTBEAT_ENTRIES_CUT);
            return;
        }
        Resident same = before != null && before.block.sameContent(block) ? before : null;
        Resident now = new Resident(block, same == null ? nowMs : same.sinceMs, change.pinned());
        now.bytesServed = same == null ? 0 : same.bytesServed;
        node.residents().put(now);
        if (change.pinned()) {
            node.policy().vanished(nowMs, block.id());
            return;
        }
        Move open = node.moveQueue().open(block.id());
        if (open == null && (same == null || same.pinnedThere)) {
            moveTracker.correct(nowMs, node, block, node.tierOf(block.id()));
        }
        settle(nowMs, node, block);
    }

    /** The DataNode of a copy becomes the block's home, unless the present home has a copy. */
    private void settle(long nowMs, DataNodeState node, StampedBlock block) {
        BlockHeat known = clusterState.heat().find(block.id());
        if (known != null && !known.block().equals(block) && known.isReportedByOthers(node)) {
            return; // Others report another content; the NameNode is asked which is right at the next read.
        }
        BlockHeat heat = clusterState.heat().touch(nowMs, block);
        DataNodeState home = heat.home();
        if (home == null || !home.isLive() || home.leaving() != null) {
            heat.claim(node);
        } else if (home != node && home.residents().holds(block.id())) {
            if (reportValidator.isHomeReal(nowMs, heat)) {
                moveTracker.dropCopy(nowMs, node, block.id(), Cause.MOVED_HOME, "its home is " + home.name());
            } else if (heat.home() == null) {
                heat.claim(node);
            }
        }
    }

    private void wentAway(long nowMs, DataNodeState node, long blockId) {
        Move open = node.moveQueue().open(blockId);
        if (open != null && !open.isPromotion() && !open.isSent()) {
            node.moveQueue().detach(open);
            moveTracker.end(nowMs, node, open, MoveOutcome.CANCELLED, "it left by itself", 0);
        }
        boolean wasHere = node.residents().holds(blockId);
        left(node, blockId);
        // For a drop that was ordered, the result tells the policy.
        if (wasHere && (open == null || !open.isSent())) {
            node.policy().vanished(nowMs, blockId);
        }
    }

    void heat(long nowMs, DataNodeState node, List<Heat> entries) {
        reportValidator.askAboutHeat(nowMs, node, entries);
        List<Heat> counted = new ArrayList<>(entries.size());
        for (Heat entry : entries) {
            if (counts(nowMs, node, entry)) {
                counted.add(entry);
            }
        }
        ruleEvaluator.prepare(nowMs, node, counted);
        for (Heat entry : counted) {
            heat(nowMs, node, entry);
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
        Resident here = node.residents().find(block.id());
        if (here != null) {
            here.bytesServed += entry.bytesReadFromMemory();
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
        if (entry.writes() > 0) {
            writtenBlocks.written(nowMs, node, block, ruleDecision);
        }
        @Nullable DataNodeState before = heat.home();
        DataNodeState home = entry.reads() > 0 ? HomeSelector.choose(heat) : before;
        heat.home(home);
        if (before != home && before != null) {
            moveHome(nowMs, before, block, home);
        }
        if (home != null && !home.residents().isPinned(block.id())) {
            tellPolicy(nowMs, home, entry, ruleDecision);
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

    private void tellPolicy(long nowMs, DataNodeState home, Heat entry, RuleDecision ruleDecision) {
        StampedBlock block = entry.block();
        int tier = home.tierOf(block.id());
        if (entry.reads() > 0) {
            access.read(nowMs, block.id(), block.lengthBytes(), entry.bytesRead(), tier)
                    .burst((int) Math.min(Integer.MAX_VALUE, entry.reads() * ruleDecision.weight()))
                    .in(ruleDecision.pool());
            home.policy().access(access, home::request);
        }
        if (entry.writes() > 0) {
            access.write(nowMs, block.id(), block.lengthBytes(), entry.bytesWritten(), tier)
                    .burst((int) Math.min(Integer.MAX_VALUE, entry.writes()))
                    .in(ruleDecision.pool());
            home.policy().access(access, home::request);
        }
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
            home.policy().vanished(nowMs, id);
        }
        clusterState.heat().remove(id);
    }
}
