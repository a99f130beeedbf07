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
import io.terrace.placement.state.ResidentBlocks.Resident;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Blocks that were just written and whose rule or annotation says {@code write: memory}, or whose first read is expected soon
 * ({@link FirstReads}); and blocks that are ahead of a reader ({@link ReadAhead}). A block waits here until the
 * NameNode has it complete, then a copy of it is ordered ({@link HeldPromotion}): on its home, or on the first DataNode of
 * those that reported the write which can hold it; ahead of a reader, on the first such of those that were named. No copy is
 * ordered where one is there already, as after a write through memory, which is held then; nor where nobody waits for it any more.
 *
 * <p>What is held so is at most one {@value #HELD_PART}th of a DataNode's memory. For a newer block the oldest is left to
 * the policy, so a large load does not evict what is read much. What waits when the NameNode stops is forgotten; those
 * blocks come into memory by their reads. Owned by the loop's thread.
 */
public final class WrittenBlocks {

    static final int MOST_WAITING = 10_000;
    private static final int MOST_NODES = 16;
    static final int HELD_PART = 4;

    /** Time for the last block of a file to be complete, and for a DataNode to report a copy that it made by itself. */
    static final long ASK_AGAIN_MS = 1_000;

    static final long GIVE_UP_MS = 60_000;

    private final ClusterState clusterState;
    private final NamespaceView view;
    private final Map<Long, Written> waiting = new LinkedHashMap<>();

    /** On the side of whoever wants a block in memory. */
    interface Wish {

        /** Of a rule. */
        Wish LASTING = new Wish() {
            @Override
            public boolean isAwaited(long nowMs) {
                return true;
            }

            @Override
            public void ordered(@Nullable DataNodeState node) {}
        };

        /** Whether the copy is still of use: asked just before it is ordered. */
        boolean isAwaited(long nowMs);

        /** Told once where the copy was ordered; null if it was not, as it is not wanted any more or was refused. */
        void ordered(@Nullable DataNodeState node);
    }

    /**
     * A block, and why it is wanted in memory.
     *
     * @param nodes that hold it, the best first
     */
    private record Written(
            StampedBlock block,
            List<DataNodeState> nodes,
            Cause cause,
            String reason,
            Wish wish,
            long sinceMs,
            long askMs) {

        Written later(long nowMs) {
            return new Written(block, nodes, cause, reason, wish, sinceMs, nowMs + ASK_AGAIN_MS);
        }
    }

    /** A block that is due, and the DataNode where its copy would be. */
    private record Placed(Written written, DataNodeState node) {}

    public WrittenBlocks(ClusterState clusterState, NamespaceView view) {
        this.clusterState = clusterState;
        this.view = view.askedBy(Asker.ORDERS);
    }

    /** A DataNode reports that a client has written a block. */
    public void written(long nowMs, DataNodeState node, StampedBlock block, RuleDecision ruleDecision) {
        if (ruleDecision.rule() == null || !ruleDecision.writesToMemory()) {
            return;
        }
        String reason = ruleDecision.rule().name() + " says write: memory";
        want(nowMs, List.of(node), block, Cause.RULE, reason, Wish.LASTING);
    }

    /** Another DataNode reports a write that was reported before. */
    void writtenToo(DataNodeState node, StampedBlock block) {
        Written before = waiting.get(block.id());
        if (before != null
                && before.block.sameContent(block)
                && before.nodes.size() < MOST_NODES
                && !before.nodes.contains(node)) {
            before.nodes.add(node);
        }
    }

    /**
     * A block is wanted in memory, for a rule or for a read that is expected.
     *
     * @param nodes that hold it, the best first
     */
    void want(long nowMs, List<DataNodeState> nodes, StampedBlock block, Cause cause, String reason, Wish wish) {
        Written before = waiting.get(block.id());
        boolean known = before != null && before.block.sameContent(block);
        if (known || (before == null && waiting.size() >= MOST_WAITING)) {
            if (known) {
                nodes.forEach(node -> writtenToo(node, block));
            } else {
                refuse(cause);
            }
            wish.ordered(null);
            return;
        }
        if (before != null) {
            before.wish.ordered(null);
        }
        long askMs = cause == Cause.READ_AHEAD ? nowMs : nowMs + ASK_AGAIN_MS;
        waiting.put(block.id(), new Written(block, new ArrayList<>(nodes), cause, reason, wish, nowMs, askMs));
    }

    /** The read of a block came before its copy was ordered: it is not wanted any more, unless for a rule. */
    void withdraw(long blockId) {
        Written written = waiting.get(blockId);
        if (written != null && written.cause.isAhead()) {
            waiting.remove(blockId);
            written.wish.ordered(null);
        }
    }

    /** Orders copies of what is complete, with one look at the NameNode's maps. */
    public void turn(long nowMs, MovePlanner planner) {
        List<Placed> due = due(nowMs, planner);
        if (due.isEmpty()) {
            return;
        }
        List<Verdict> verdicts = view.examine(due.stream()
                .map(placed -> new Candidate(placed.written.block, placed.node.uuid()))
                .toList());
        HeldPromotion promotion = new HeldPromotion(clusterState, planner);
        for (int i = 0; i < due.size(); i++) {
            Written written = due.get(i).written;
            Verdict verdict = verdicts.get(i);
            if (verdict == Verdict.FIT) {
                order(nowMs, written, due.get(i).node, promotion);
            } else if (!verdict.refutes() && verdict != Verdict.ERASURE_CODED && nowMs - written.sinceMs < GIVE_UP_MS) {
                waiting.put(written.block.id(), written.later(nowMs));
            } else {
                written.wish.ordered(null);
            }
        }
    }

    /** Takes out those that are due, at most as many as one look may ask about, and says where their copies would be. */
    private List<Placed> due(long nowMs, MovePlanner planner) {
        List<Placed> due = new ArrayList<>();
        Iterator<Written> all = waiting.values().iterator();
        while (all.hasNext() && due.size() < view.lockBlocks()) {
            Written written = all.next();
            if (written.askMs > nowMs) {
                continue;
            }
            all.remove();
            DataNodeState node = isAwaited(nowMs, written) ? place(nowMs, written, planner) : null;
            if (node == null) {
                written.wish.ordered(null);
            } else {
                due.add(new Placed(written, node));
            }
        }
        return due;
    }

    /** Wishes wait while moves are paused. */
    private static boolean isAwaited(long nowMs, Written written) {
        return !written.cause.isAhead() || (nowMs - written.sinceMs < GIVE_UP_MS && written.wish.isAwaited(nowMs));
    }

    /** Where a copy would be: null if there is one, or it would find no room. */
    private @Nullable DataNodeState place(long nowMs, Written written, MovePlanner planner) {
        StampedBlock block = written.block;
        Set<DataNodeState> nodes = new LinkedHashSet<>();
        BlockHeat heat = clusterState.heat().peek(block.id());
        DataNodeState home = heat == null ? null : heat.home();
        if (home != null && written.cause != Cause.READ_AHEAD) { // Whose home was looked at as it was wanted.
            nodes.add(home);
        }
        nodes.addAll(written.nodes);
        for (DataNodeState node : nodes) {
            if (isThere(node, block)) {
                keep(nowMs, node, written, planner);
                return null;
            }
        }
        for (DataNodeState node : nodes) {
            if (node.canHold(block.lengthBytes()) && hasRoom(node, block.lengthBytes(), written.cause)) {
                return node;
            }
        }
        refuse(written.cause);
        return null;
    }

    /** Whether a block is in memory there, or a move of it is open. */
    private static boolean isThere(DataNodeState node, StampedBlock block) {
        return node.residents().holds(block.id()) || node.moveQueue().open(block.id()) != null;
    }

    /** A copy that the DataNode filled while the block was written stays for as long as one that is ordered. */
    private void keep(long nowMs, DataNodeState node, Written written, MovePlanner planner) {
        StampedBlock block = written.block;
        if (written.cause != Cause.RULE) {
            return;
        }
        // What the policy asked for by now may be that this one leaves.
        planner.plan(nowMs, node, true);
        Resident copy = node.residents().find(block.id());
        if (copy == null
                || !copy.block.sameContent(block)
                || node.residents().isPinned(block.id())
                || node.moveQueue().open(block.id()) != null
                || !hasRoom(node, block.lengthBytes(), written.cause)) {
            return;
        }
        node.policy().vanished(nowMs, block.id());
        makeRoom(nowMs, node, block.lengthBytes(), written.cause);
        node.residents().hold(block, written.cause, nowMs);
        node.resizePolicy(nowMs);
        planner.plan(nowMs, node, true);
    }

    private void order(long nowMs, Written written, DataNodeState node, HeldPromotion promotion) {
        StampedBlock block = written.block;
        if (!hasRoom(node, block.lengthBytes(), written.cause)) { // Others of this look took it.
            waiting.put(block.id(), written.later(nowMs));
            return;
        }
        makeRoom(nowMs, node, block.lengthBytes(), written.cause);
        promotion.order(nowMs, node, block, written.cause, written.reason, "");
        clusterState
                .metricRegistry()
                .increment(
                        switch (written.cause) {
                            case FIRST_READ -> Metric.PLACEMENT_FIRST_READ_ORDERED;
                            case READ_AHEAD -> Metric.PLACEMENT_READ_AHEAD_ORDERED;
                            default -> Metric.PLACEMENT_WRITTEN_ORDERED;
                        });
        written.wish.ordered(node);
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
     * Whether there is room for one more block of that cause, or {@link #makeRoom} would make it. One that waits for a read
     * is worth no less than a newer one.
     */
    private static boolean hasRoom(DataNodeState node, long bytes, Cause cause) {
        long most = node.memory().capacityBytes() / HELD_PART;
        if (bytes > most || node.moveQueue().isFullForPromotions()) {
            return false;
        }
        long heldBytes = 0;
        long releasedBytes = 0;
        for (Held held : node.residents().held()) {
            if (isOfKind(held, cause)) {
                boolean stays = cause.isAhead() || held.arrivedMs() < 0;
                heldBytes += stays ? held.block().lengthBytes() : 0;
                releasedBytes += stays ? 0 : held.block().lengthBytes();
            }
        }
        long overBytes = Math.max(0, heldBytes + releasedBytes + bytes - most);
        return heldBytes + bytes <= most && HeldPromotion.room(node) + Math.min(overBytes, releasedBytes) >= bytes;
    }

    private static boolean isOfKind(Held held, Cause cause) {
        return held.by() == cause || (cause.isAhead() && held.by().isAhead());
    }

    /** For a newer block of a rule, the oldest that were held for their write are left to the policy. */
    private void makeRoom(long nowMs, DataNodeState node, long bytes, Cause cause) {
        long most = node.memory().capacityBytes() / HELD_PART;
        List<Held> written = node.residents().held().stream()
                .filter(held -> isOfKind(held, cause))
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
    }
}
