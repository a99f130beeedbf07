package io.terrace.placement.move;

import io.terrace.placement.policy.RuleEvaluator;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.MoveTracker;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of pinned files: each is promoted on one DataNode that holds it, room for it is reserved there, and no
 * policy is told of it. They are those that an operator pinned and those that rules pin. Files are looked at again
 * every {@value #REFRESH_MS} ms, as they may be appended to, deleted or re-replicated; pinned directories are walked by
 * {@link PinnedDirectories}. Owned by the loop's thread.
 */
public final class PinnedBlocks {

    public static final long REFRESH_MS = 5_000;

    /** Blocks of pinned files that are looked after; of more, the first ones are. */
    public static final int MOST_BLOCKS = 20_000;

    /**
     * So long after an epoch began the DataNodes with a replica are waited for to say what they have: at the slowest each sends
     * a heartbeat in 10 s, and reports with the second one.
     */
    static final long FIRST_REPORTS_MS = 30_000;

    private final ClusterState clusterState;
    private final MoveTracker moveTracker;
    private final NamespaceView view;
    private RuleEvaluator ruleEvaluator;
    private final PinnedDirectories directories;
    private final Map<Long, Pinned> blocks = new HashMap<>();
    /** Blocks of pinned files, as they were looked at last. */
    private final Map<Long, Located> ofFiles = new LinkedHashMap<>();

    private final Map<Long, Long> bytesByPin = new HashMap<>();
    private final Map<Long, Long> leftOutByDirectory = new HashMap<>();
    private long leftOutOfFiles;
    private long refreshedMs = Long.MIN_VALUE;
    private long beganMs = Long.MIN_VALUE;
    /** A block has no DataNode because reports are waited for. */
    private boolean waitsForReports;

    /** A pinned block and the DataNode that reserves room for it; null when none has any, or is known to have. */
    public record Pinned(StampedBlock block, @Nullable DataNodeState node) {}

    public PinnedBlocks(ClusterState clusterState, NamespaceView view, RuleEvaluator ruleEvaluator) {
        this.clusterState = clusterState;
        this.moveTracker = clusterState.moveTracker();
        this.view = view;
        this.ruleEvaluator = ruleEvaluator;
        this.directories = new PinnedDirectories(view, MOST_BLOCKS);
    }

    /** Other rules pin other files from now on. */
    public void rules(RuleEvaluator others) {
        ruleEvaluator = others;
        changed();
    }

    /** The pins changed: look at once. */
    public void changed() {
        refreshedMs = Long.MIN_VALUE;
    }

    @Nullable
    public Pinned find(long blockId) {
        return blocks.get(blockId);
    }

    public int size() {
        return blocks.size();
    }

    /** Bytes of the blocks that are looked after for each pin of an operator, by the inode id of its file or directory. */
    public Map<Long, Long> bytesByPin() {
        return Map.copyOf(bytesByPin);
    }

    /** Blocks of each pinned directory that are beyond the limit, by its inode id; without those that have none. */
    public Map<Long, Long> leftOutByDirectory() {
        return Map.copyOf(leftOutByDirectory);
    }

    /** Blocks of pinned files and directories that are beyond the limit. */
    public long leftOut() {
        return leftOutOfFiles
                + leftOutByDirectory.values().stream()
                        .mapToLong(Long::longValue)
                        .sum();
    }

    public void turn(long nowMs, OperatorState operatorState) {
        Set<Long> files = new LinkedHashSet<>();
        Set<Long> pinnedDirectories = new LinkedHashSet<>();
        operatorState.pins().forEach((inode, pin) -> (pin.recursive() ? pinnedDirectories : files).add(inode));
        boolean walked = directories.turn(nowMs, pinnedDirectories);
        boolean due = refreshedMs == Long.MIN_VALUE || nowMs - refreshedMs >= REFRESH_MS;
        if (beganMs == Long.MIN_VALUE) {
            beganMs = nowMs;
        }
        if (!walked && !due && !waitsForReports) {
            return;
        }
        waitsForReports = false;
        files.addAll(ruleEvaluator.pins().inodes());
        if (files.isEmpty() && pinnedDirectories.isEmpty() && blocks.isEmpty()) {
            leftOutOfFiles = 0;
            leftOutByDirectory.clear();
            return;
        }
        Map<Long, Located> wanted = due ? look(nowMs, operatorState, files) : new LinkedHashMap<>(ofFiles);
        bytesByPin.keySet().retainAll(operatorState.pins().keySet());
        leftOutByDirectory.clear();
        for (long directory : pinnedDirectories) {
            addBelow(directory, wanted);
        }
        for (Pinned pinned : List.copyOf(blocks.values())) {
            Located located = wanted.get(pinned.block.id());
            if (located == null || !located.block().sameContent(pinned.block)) {
                release(nowMs, pinned);
            }
        }
        wanted.values().forEach(located -> hold(nowMs, located));
    }

    private void addBelow(long directory, Map<Long, Located> wanted) {
        long bytes = 0;
        long leftOut = directories.leftOut(directory);
        for (Located located : directories.below(directory)) {
            if (wanted.size() < MOST_BLOCKS
                    || wanted.containsKey(located.block().id())) {
                wanted.putIfAbsent(located.block().id(), located);
                bytes += located.block().lengthBytes();
            } else {
                leftOut++;
            }
        }
        bytesByPin.put(directory, bytes);
        if (leftOut > 0) {
            leftOutByDirectory.put(directory, leftOut);
        }
    }

    /** Looks at the blocks of pinned files. */
    private Map<Long, Located> look(long nowMs, OperatorState operatorState, Set<Long> files) {
        refreshedMs = nowMs;
        List<Located> found = files.isEmpty() ? List.of() : view.blocksOf(files, MOST_BLOCKS);
        Map<Long, Long> bytesByInode = new HashMap<>();
        found.forEach(
                located -> bytesByInode.merge(located.inode(), located.block().lengthBytes(), Long::sum));
        leftOutOfFiles = found.size() < MOST_BLOCKS ? 0 : Math.max(0, view.blockCount(files) - found.size());
        Set<Long> gone = new HashSet<>(ruleEvaluator.pins().inodes());
        gone.removeAll(bytesByInode.keySet());
        if (found.size() >= MOST_BLOCKS) {
            // The blocks of some were not looked at.
            gone.removeIf(inode -> view.lengthOf(inode) > 0);
        }
        ruleEvaluator.pins().remove(gone);
        ruleEvaluator.pins().haveBytes(bytesByInode);
        ofFiles.clear();
        bytesByPin.clear();
        for (Located located : found) {
            boolean ofOperator = operatorState.pins().containsKey(located.inode());
            if (ofOperator) {
                bytesByPin.merge(located.inode(), located.block().lengthBytes(), Long::sum);
            }
            if (ofOperator || ruleEvaluator.pins().inodes().contains(located.inode())) {
                ofFiles.put(located.block().id(), located);
            }
        }
        return new LinkedHashMap<>(ofFiles);
    }

    private void release(long nowMs, Pinned pinned) {
        blocks.remove(pinned.block.id());
        DataNodeState node = pinned.node;
        if (node != null) {
            node.residents().unpin(pinned.block.id());
            node.resizePolicy(nowMs);
            Move open = node.moveQueue().open(pinned.block.id());
            if (open != null && open.cause() == Cause.PIN && !open.isSent()) {
                moveTracker.withdraw(
                        nowMs, node, open, MoveOutcome.CANCELLED, "it is not pinned there any more", false);
            }
            if (node.residents().holds(pinned.block.id())) {
                moveTracker.correct(nowMs, node, pinned.block, node.tierOf(pinned.block.id()));
            }
        }
    }

    private void hold(long nowMs, Located located) {
        StampedBlock block = located.block();
        Pinned known = blocks.get(block.id());
        DataNodeState node = known == null ? null : known.node;
        if (node == null || !keeps(node, located)) {
            if (known != null) {
                release(nowMs, known);
            }
            node = choose(nowMs, located);
            blocks.put(block.id(), new Pinned(block, node));
            if (node == null) {
                return;
            }
            node.policy().vanished(nowMs, block.id());
            node.residents().pin(block);
            node.resizePolicy(nowMs);
        }
        Move open = node.moveQueue().open(block.id());
        if (open != null && !open.isPromotion() && !open.isSent()) {
            node.moveQueue().detach(open);
            moveTracker.end(nowMs, node, open, MoveOutcome.CANCELLED, "the file was pinned", 0);
        }
        if (!node.residents().holds(block.id())
                && node.moveQueue().open(block.id()) == null
                && !node.backoffTable().holdsBack(nowMs, block.id())
                && !node.moveQueue().isFullForPromotions()) {
            Move move = moveTracker.promote(nowMs, node, block, Cause.PIN, "the file is pinned");
            node.moveQueue().enqueue(move, true);
        }
    }

    /** Whether a DataNode goes on with a pinned block: it has the copy, or can still make it. */
    private static boolean keeps(DataNodeState node, Located located) {
        StampedBlock block = located.block();
        return node.isLive()
                && node.leaving() == null
                && located.nodes().contains(node.uuid())
                && (node.residents().holds(block.id())
                        || (node.canHold(block.lengthBytes()) && HeldPromotion.room(node) >= 0));
    }

    /** The DataNode that has it in memory already, else the one with the most memory that no pin reserves. */
    private @Nullable DataNodeState choose(long nowMs, Located located) {
        long needed = located.block().lengthBytes();
        DataNodeState best = null;
        boolean awaited = false;
        for (String uuid : located.nodes()) {
            DataNodeState node = clusterState.nodes().get(uuid);
            awaited |= node == null || (node.isLive() && !node.session().hasReported());
            if (node == null || !node.canHold(needed) || HeldPromotion.room(node) < needed) {
                continue;
            }
            if (node.residents().holds(located.block().id())) {
                return node;
            }
            if (best == null || HeldPromotion.room(node) > HeldPromotion.room(best)) {
                best = node;
            }
        }
        if (awaited && nowMs - beganMs < FIRST_REPORTS_MS) {
            waitsForReports = true;
            return null;
        }
        return best;
    }
}
