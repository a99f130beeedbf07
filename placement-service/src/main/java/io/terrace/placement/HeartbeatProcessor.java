package io.terrace.placement;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.heartbeat.Heartbeat.Residency;
import io.terrace.placement.heartbeat.Heartbeat.Result;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.MoveQueue;
import io.terrace.placement.state.MoveTracker;
import io.terrace.placement.state.ResidentBlocks.Resident;
import io.terrace.protocol.HeartbeatLimits;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.List;

/** Takes what heartbeats bring of moves and copies: results, and what is resident. Owned by the loop's thread. */
final class HeartbeatProcessor {

    static final long NO_ROOM_PAUSE_MS = 200;
    static final int NO_ROOM_ATTEMPTS = 4;

    private final ClusterState clusterState;
    private final MoveTracker moveTracker;
    private final ReportValidator reportValidator;
    private final MetricRegistry metricRegistry;

    HeartbeatProcessor(ClusterState clusterState, ReportValidator reportValidator) {
        this.clusterState = clusterState;
        this.moveTracker = clusterState.moveTracker();
        this.reportValidator = reportValidator;
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
            case CHANGED -> moveTracker.forget(nowMs, node, block);
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
        } else if (!node.residents().holds(block.id())) {
            node.session().promised(block);
        }
        if (!move.isOvertaken()) {
            moveTracker.confirm(nowMs, node, block, move.to());
            return;
        }
        // Meanwhile the policy requested the opposite move and waits for its result.
        MoveQueue queue = node.moveQueue();
        if (!move.isPromotion() && queue.isFullForPromotions()) {
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
        changes.forEach(change -> node.session().reported(change.block().id()));
        if (changes.size() < HeartbeatLimits.ENTRIES) {
            // The report is complete, so the DataNode evicted by itself what is not in it.
            node.session().unreported().forEach(id -> {
                boolean unused = wentAway(nowMs, node, id);
            });
            // Nor is what came and went before the first report.
            node.session().doubtful().forEach(block -> neverSeen(nowMs, node, block));
            node.session().pagesEnd();
        }
        reportValidator.askAboutHomes(nowMs, node, changes);
        for (Residency change : changes) {
            if (change.resident()) {
                arrived(nowMs, node, change);
            } else if (!wentAway(nowMs, node, change.block().id())) {
                neverSeen(nowMs, node, change.block());
            }
        }
        if (!changes.isEmpty()) {
            node.resizePolicy(nowMs);
        }
    }

    /** It came and went between two reports: a result may have told the policy that it is there. */
    private void neverSeen(long nowMs, DataNodeState node, StampedBlock block) {
        if (node.moveQueue().open(block.id()) == null) {
            moveTracker.confirm(nowMs, node, block, node.layout().base());
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
        if (same == null) {
            clusterState.controlTrial().climbed(StorageTier.MEMORY, block.id());
        }
        Move open = node.moveQueue().open(block.id());
        if (open != null && isNeedless(open, block)) {
            moveTracker.withdraw(nowMs, node, open, MoveOutcome.CANCELLED, "already in memory", false);
        } else if (open == null && (same == null || same.pinnedThere)) {
            moveTracker.correct(nowMs, node, block, node.tierOf(block.id()));
        }
        settle(nowMs, node, block, same == null);
    }

    /** Whether the policy requested what is there already, before a DataNode that is new to the service had said so. */
    private static boolean isNeedless(Move open, StampedBlock resident) {
        return open.isPromotion()
                && !open.isSent()
                && open.cause() == Cause.POLICY
                && open.block().sameContent(resident);
    }

    /**
     * The DataNode of a copy becomes the block's home, unless the present home has a copy.
     *
     * @param isNew the copy was not known before
     */
    private void settle(long nowMs, DataNodeState node, StampedBlock block, boolean isNew) {
        BlockHeat known = clusterState.heat().find(block.id());
        if (known != null && !known.block().equals(block) && known.isReportedByOthers(node)) {
            return; // Others report another content; the NameNode is asked which is right at the next read.
        }
        BlockHeat heat = clusterState.heat().touch(nowMs, block);
        DataNodeState home = heat.home();
        if (home == null || !home.isLive() || home.leaving() != null) {
            heat.claim(node);
        } else if (home == node) {
            if (heat.isConfirmed(nowMs)) {
                dropOthers(nowMs, node, heat);
            }
        } else if (home.residents().holds(block.id())) {
            if (reportValidator.isHomeReal(nowMs, heat)) {
                moveTracker.dropCopy(nowMs, node, block.id(), Cause.MOVED_HOME, "its home is " + home.name());
            } else if (heat.home() == null) {
                heat.claim(node);
            }
        }
        if (isNew && heat.home() == node) {
            heat.arrived(clusterState.reach().share());
        }
    }

    /** The home has a copy, so copies that others made while they were the home are not needed. */
    private void dropOthers(long nowMs, DataNodeState home, BlockHeat heat) {
        for (DataNodeState other : heat.reporters()) {
            if (other != home) {
                moveTracker.dropCopy(
                        nowMs, other, heat.block().id(), Cause.MOVED_HOME, "its home is now " + home.name());
            }
        }
    }

    /** A copy left; whether it was known to be there. */
    private boolean wentAway(long nowMs, DataNodeState node, long blockId) {
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
        return wasHere;
    }
}
