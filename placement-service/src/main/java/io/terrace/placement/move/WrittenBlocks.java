package io.terrace.placement.move;

import io.terrace.metrics.Metric;
import io.terrace.placement.policyfile.RuleDecision;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Asker;
import io.terrace.placement.state.NamespaceView.Candidate;
import io.terrace.placement.state.NamespaceView.Verdict;
import io.terrace.placement.state.ResidentBlocks.Held;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Blocks that were just written and whose rule or annotation says {@code write: memory}, or whose first read is expected soon
 * ({@link FirstReads}); and blocks that are ahead of a reader ({@link ReadAhead}). A block waits here until the
 * NameNode has it complete, then a copy of it is ordered ({@link HeldPromotion}): on the DataNode that reported the write
 * first, unless another one has become its home. No copy is ordered where one is there already, as after a write through
 * memory.
 *
 * <p>What is held so is at most one {@value #HELD_PART}th of a DataNode's memory. For a newer block the oldest is left to
 * the policy, so a large load does not evict what is read much. What waits when the NameNode stops is forgotten; those
 * blocks come into memory by their reads. Owned by the loop's thread.
 */
public final class WrittenBlocks {

    static final int MOST_WAITING = 10_000;
    static final int HELD_PART = 4;

    /** Time for the last block of a file to be complete, and for a DataNode to report a copy that it made by itself. */
    static final long ASK_AGAIN_MS = 1_000;

    static final long GIVE_UP_MS = 60_000;

    private final ClusterState clusterState;
    private final NamespaceView view;
    private final Map<Long, Written> waiting = new LinkedHashMap<>();

    /**
     * A block, who reported it, and why it is wanted in memory.
     *
     * @param ordered told where its copy was ordered; null if it is not wanted any more, or was refused
     */
    private record Written(
            StampedBlock block,
            DataNodeState node,
            Cause cause,
            String reason,
            Consumer<@Nullable DataNodeState> ordered,
            long sinceMs,
            long askMs) {

        Written later(long nowMs) {
            return new Written(block, node, cause, reason, ordered, sinceMs, nowMs + ASK_AGAIN_MS);
        }
    }

    public WrittenBlocks(ClusterState clusterState, NamespaceView view) {
        this.clusterState = clusterState;
        this.view = view.askedBy(Asker.ORDERS);
    }

    /** A DataNode reports that a client has written a block. */
    public void written(long nowMs, DataNodeState node, StampedBlock block, RuleDecision ruleDecision) {
        if (ruleDecision.rule() == null || !ruleDecision.writesToMemory()) {
            return;
        }
        want(nowMs, node, block, Cause.RULE, ruleDecision.rule().name() + " says write: memory", at -> {});
    }

    /**
     * A block is wanted in memory, for a rule or for a read that is expected.
     *
     * @param ordered is told once where its copy was ordered; null if it was not
     */
    void want(
            long nowMs,
            DataNodeState node,
            StampedBlock block,
            Cause cause,
            String reason,
            Consumer<@Nullable DataNodeState> ordered) {
        Written before = waiting.get(block.id());
        boolean known = before != null && before.block.sameContent(block);
        if (known || (before == null && waiting.size() >= MOST_WAITING)) {
            if (!known) {
                refuse(cause);
            }
            ordered.accept(null);
            return;
        }
        if (before != null) {
            before.ordered.accept(null);
        }
        long askMs = cause == Cause.READ_AHEAD ? nowMs : nowMs + ASK_AGAIN_MS;
        waiting.put(block.id(), new Written(block, node, cause, reason, ordered, nowMs, askMs));
    }

    /** The read of a block came before its copy was ordered: it is not wanted any more, unless for a rule. */
    void withdraw(long blockId) {
        Written written = waiting.get(blockId);
        if (written != null && written.cause.isAhead()) {
            waiting.remove(blockId);
            written.ordered.accept(null);
        }
    }

    /** Orders copies of what is complete, with one look at the NameNode's maps. */
    public void turn(long nowMs, MovePlanner planner) {
        List<Written> due = due(nowMs);
        if (due.isEmpty()) {
            return;
        }
        List<Verdict> verdicts = view.examine(due.stream()
                .map(written -> new Candidate(written.block, written.node.uuid()))
                .toList());
        HeldPromotion promotion = new HeldPromotion(clusterState, planner);
        for (int i = 0; i < due.size(); i++) {
            Written written = due.get(i);
            Verdict verdict = verdicts.get(i);
            if (verdict == Verdict.FIT) {
                written.ordered.accept(order(nowMs, written, promotion));
            } else if (!verdict.refutes() && verdict != Verdict.ERASURE_CODED && nowMs - written.sinceMs < GIVE_UP_MS) {
                waiting.put(written.block.id(), written.later(nowMs));
            } else {
                written.ordered.accept(null);
            }
        }
    }

    /** Takes out those that are due, at most as many as one look may ask about. */
    private List<Written> due(long nowMs) {
        List<Written> due = new ArrayList<>();
        Iterator<Written> all = waiting.values().iterator();
        while (all.hasNext() && due.size() < view.lockBlocks()) {
            Written written = all.next();
            if (written.askMs <= nowMs) {
                due.add(written);
                all.remove();
            }
        }
        return due;
    }

    /** The DataNode of the copy that was ordered; null if none was. */
    private @Nullable DataNodeState order(long nowMs, Written written, HeldPromotion promotion) {
        StampedBlock block = written.block;
        BlockHeat heat = clusterState.heat().find(block.id());
        DataNodeState home = heat == null ? null : heat.home();
        DataNodeState node = home != null && home.isLive() ? home : written.node;
        if (node.residents().holds(block.id()) || node.moveQueue().open(block.id()) != null) {
            return null;
        }
        if (!node.canHold(block.lengthBytes()) || !makeRoom(nowMs, node, block.lengthBytes(), written.cause)) {
            refuse(written.cause);
            return null;
        }
        promotion.order(nowMs, node, block, written.cause, written.reason, "");
        clusterState
                .metricRegistry()
                .increment(
                        switch (written.cause) {
                            case FIRST_READ -> Metric.PLACEMENT_FIRST_READ_ORDERED;
                            case READ_AHEAD -> Metric.PLACEMENT_READ_AHEAD_ORDERED;
                            default -> Metric.PLACEMENT_WRITTEN_ORDERED;
                        });
        return node;
    }

    private void refuse(Cause cause) {
        clusterState
                .metricRegistry()
                .increment(
                        switch (cause) {
                            case FIRST_READ -> Metric.PLACEMENT_FIRST_READ_REFUSED;
                            case READ_AHEAD -> Metric.PLACEMENT_READ_AHEAD_REFUSED;
                            default -> Metric.PLACEMENT_WRITTEN_REFUSED;
                        });
    }

    /**
     * Whether there is room for one more block of that cause. For a newer block of a rule, the oldest that were held for their
     * write are left to the policy; one that waits for a read is worth no less than a newer one.
     */
    private boolean makeRoom(long nowMs, DataNodeState node, long bytes, Cause cause) {
        long most = node.memory().capacityBytes() / HELD_PART;
        if (bytes > most || node.moveQueue().isFullForPromotions()) {
            return false;
        }
        List<Held> written = node.residents().held().stream()
                .filter(held ->
                        held.by() == cause || (cause.isAhead() && held.by().isAhead()))
                .toList();
        long heldBytes =
                written.stream().mapToLong(held -> held.block().lengthBytes()).sum();
        for (Held held : written) {
            if (heldBytes + bytes <= most || cause.isAhead()) {
                break;
            }
            if (held.arrivedMs() >= 0) {
                HeldBlocks.release(clusterState, nowMs, node, held.block().id());
                heldBytes -= held.block().lengthBytes();
            }
        }
        return heldBytes + bytes <= most && HeldPromotion.room(node) >= bytes;
    }
}
