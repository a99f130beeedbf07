package io.terrace.placement.move;

import io.terrace.placement.policy.RuleEvaluator;
import io.terrace.placement.policy.RulePins;
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
 * policy is told of it. They are those that an operator pinned and those that rules pin. Files are looked at again and again
 * by {@link PinnedFiles}, as they may be appended to, deleted or re-replicated; pinned directories are walked by
 * {@link PinnedDirectories}. Owned by the loop's thread.
 */
public final class PinnedBlocks {

    /** From the end of a round through the pinned files to the next. */
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
    private RuleEvaluator ruleEvaluator;
    private final PinnedFiles pinnedFiles;
    private final PinnedDirectories directories;
    private final Map<Long, Pinned> blocks = new HashMap<>();
    private final Map<Long, Long> bytesByPin = new HashMap<>();
    private final Map<Long, Long> leftOutByDirectory = new HashMap<>();
    private boolean changed;
    private long beganMs = Long.MIN_VALUE;
    /** A block has no DataNode because reports are waited for. */
    private boolean waitsForReports;

    /** A pinned block and the DataNode that reserves room for it; null when none has any, or is known to have. */
    public record Pinned(StampedBlock block, @Nullable DataNodeState node) {}

    public PinnedBlocks(ClusterState clusterState, NamespaceView view, RuleEvaluator ruleEvaluator) {
        this.clusterState = clusterState;
        this.moveTracker = clusterState.moveTracker();
        this.ruleEvaluator = ruleEvaluator;
        this.pinnedFiles = new PinnedFiles(view, MOST_BLOCKS);
        this.directories = new PinnedDirectories(view, MOST_BLOCKS);
    }

    /** Other rules pin other files from now on. */
    public void rules(RuleEvaluator others) {
        ruleEvaluator = others;
        changed();
    }

    /** The pins changed. */
    public void changed() {
        changed = true;
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
        return pinnedFiles.leftOut()
                + leftOutByDirectory.values().stream()
                        .mapToLong(Long::longValue)
                        .sum();
    }

    public void turn(long nowMs, OperatorState operatorState) {
        if (beganMs == Long.MIN_VALUE) {
            beganMs = nowMs;
        }
        Set<Long> files = new LinkedHashSet<>();
        Set<Long> pinnedDirectories = new LinkedHashSet<>();
        operatorState.pins().forEach((inode, pin) -> (pin.recursive() ? pinnedDirectories : files).add(inode));
        files.addAll(ruleEvaluator.pins().inodes());
        boolean walked = directories.turn(nowMs, pinnedDirectories);
        boolean ended = pinnedFiles.turn(nowMs, files);
        List<Located> latest = pinnedFiles.latest();
        if (ended || !latest.isEmpty()) {
            Set<Long> unpinned = endRulePins(ended);
            files.removeIf(
                    file -> unpinned.contains(file) && !operatorState.pins().containsKey(file));
        }
        boolean allFound = ended || (!latest.isEmpty() && pinnedFiles.rests());
        if (walked || allFound || changed || waitsForReports) {
            changed = false;
            waitsForReports = false;
            holdAll(nowMs, operatorState, files, pinnedDirectories);
            return;
        }
        for (Located located : latest) {
            if (files.contains(located.inode())
                    && (blocks.size() < MOST_BLOCKS
                            || blocks.containsKey(located.block().id()))) {
                hold(nowMs, located);
            }
        }
    }

    /**
     * Ends pins of rules where files have grown beyond what the rule may pin and, once a round ended, where they are gone.
     *
     * @return the inodes
     */
    private Set<Long> endRulePins(boolean roundEnded) {
        RulePins pins = ruleEvaluator.pins();
        Set<Long> before = new HashSet<>(pins.inodes());
        Map<Long, Long> bytesByFile = new HashMap<>(pinnedFiles.bytesByFile());
        bytesByFile.values().removeIf(bytes -> bytes == 0);
        if (roundEnded) {
            pins.remove(before.stream()
                    .filter(file -> !bytesByFile.containsKey(file)
                            && pinnedFiles.bytesByFile().containsKey(file))
                    .toList());
        }
        pins.haveBytes(bytesByFile);
        before.removeAll(pins.inodes());
        changed |= !before.isEmpty();
        return before;
    }

    private void holdAll(long nowMs, OperatorState operatorState, Set<Long> files, Set<Long> pinnedDirectories) {
        Map<Long, Located> wanted = new LinkedHashMap<>();
        bytesByPin.clear();
        for (Located located : pinnedFiles.blocks()) {
            if (files.contains(located.inode()) && wanted.size() < MOST_BLOCKS) {
                wanted.put(located.block().id(), located);
                if (operatorState.pins().containsKey(located.inode())) {
                    bytesByPin.merge(located.inode(), located.block().lengthBytes(), Long::sum);
                }
            }
        }
        leftOutByDirectory.clear();
        for (long directory : pinnedDirectories) {
            addBelow(directory, wanted);
        }
        for (Pinned pinned : List.copyOf(blocks.values())) {
            Located located = wanted.get(pinned.block.id());
            if (located == null) {
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
        if (known != null && !known.block.sameContent(block)) {
            release(nowMs, known);
            known = null;
        }
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
