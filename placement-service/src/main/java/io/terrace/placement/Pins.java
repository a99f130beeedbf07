package io.terrace.placement;

import io.terrace.placement.Move.Cause;
import io.terrace.placement.Move.Kind;
import io.terrace.placement.NameView.Located;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of pinned files: each is promoted on one DataNode that holds it, room for it is reserved there, and no
 * policy hears of it. They are those of the standing orders and those that rules pin. Files are looked at again every
 * {@value #REFRESH_MS} ms, as they may be appended to, deleted or re-replicated. Owned by the loop's thread.
 */
final class Pins {

    static final long REFRESH_MS = 5_000;

    /** Blocks of pinned files that are looked after; of more, the first ones are. */
    static final int MOST_BLOCKS = 20_000;

    private final Board board;
    private final NameView view;
    private Rulings rulings;
    private final Map<Long, Pinned> blocks = new HashMap<>();
    private long refreshedMs = Long.MIN_VALUE;

    /** A pinned block and the DataNode that reserves room for it; null when none has any. */
    record Pinned(StampedBlock block, @Nullable Node node) {}

    Pins(Board board, NameView view, Rulings rulings) {
        this.board = board;
        this.view = view;
        this.rulings = rulings;
    }

    /** Other rules pin other files from now on. */
    void obey(Rulings others) {
        rulings = others;
        changed();
    }

    /** The pins changed: look at once. */
    void changed() {
        refreshedMs = Long.MIN_VALUE;
    }

    @Nullable
    Pinned find(long blockId) {
        return blocks.get(blockId);
    }

    int size() {
        return blocks.size();
    }

    void turn(long nowMs, StandingOrders orders) {
        if (refreshedMs != Long.MIN_VALUE && nowMs - refreshedMs < REFRESH_MS) {
            return;
        }
        Set<Long> files = new LinkedHashSet<>(orders.pins());
        files.addAll(rulings.pinnedFiles());
        if (files.isEmpty() && blocks.isEmpty()) {
            return;
        }
        refreshedMs = nowMs;
        List<Located> found = view.blocksOf(files, MOST_BLOCKS);
        Map<Long, Long> bytesByInode = new HashMap<>();
        found.forEach(
                located -> bytesByInode.merge(located.inode(), located.block().lengthBytes(), Long::sum));
        if (found.size() < MOST_BLOCKS) {
            Set<Long> gone = new HashSet<>(rulings.pinnedFiles());
            gone.removeAll(bytesByInode.keySet());
            rulings.pinnedFilesGone(gone);
        }
        rulings.pinnedFilesHave(bytesByInode);
        Map<Long, Located> wanted = new HashMap<>();
        for (Located located : found) {
            if (orders.pins().contains(located.inode()) || rulings.pinnedFiles().contains(located.inode())) {
                wanted.put(located.block().id(), located);
            }
        }
        for (Pinned pinned : List.copyOf(blocks.values())) {
            Located located = wanted.get(pinned.block.id());
            if (located == null || !located.block().sameContent(pinned.block)) {
                release(nowMs, pinned);
            }
        }
        wanted.values().forEach(located -> hold(nowMs, located));
    }

    private void release(long nowMs, Pinned pinned) {
        blocks.remove(pinned.block.id());
        Node node = pinned.node;
        if (node != null) {
            node.unpin(pinned.block.id());
            node.resizePolicy(nowMs);
            if (node.residents().containsKey(pinned.block.id())) {
                board.correct(nowMs, node, pinned.block, true);
            }
        }
    }

    private void hold(long nowMs, Located located) {
        StampedBlock block = located.block();
        Pinned known = blocks.get(block.id());
        Node node = known == null ? null : known.node;
        if (node == null || !node.isLive() || !located.nodes().contains(node.uuid())) {
            if (known != null) {
                release(nowMs, known);
            }
            node = choose(located);
            blocks.put(block.id(), new Pinned(block, node));
            if (node == null) {
                return;
            }
            node.policy().vanished(nowMs, block.id());
            node.pin(block);
            node.resizePolicy(nowMs);
        }
        Move open = node.agenda().open(block.id());
        if (open != null && !open.isPromotion() && !open.isSent()) {
            node.agenda().detach(open);
            board.end(nowMs, node, open, Outcome.CANCELLED, "the file was pinned", 0);
        }
        if (!node.residents().containsKey(block.id())
                && node.agenda().open(block.id()) == null
                && !node.backOff().holdsBack(nowMs, block.id())
                && !node.agenda().isFullFor(Kind.PROMOTE)) {
            Move move = board.open(nowMs, node, Kind.PROMOTE, block, Cause.PIN, "the file is pinned");
            node.agenda().enqueue(move, true);
        }
    }

    /** The DataNode that has it in memory already, else the one with the most room that no pin has taken. */
    private @Nullable Node choose(Located located) {
        long needed = located.block().lengthBytes();
        Node best = null;
        for (String uuid : located.nodes()) {
            Node node = board.nodes().get(uuid);
            if (node == null || !node.canHold(needed) || room(node) < needed) {
                continue;
            }
            if (node.residents().containsKey(located.block().id())) {
                return node;
            }
            if (best == null || room(node) > room(best)) {
                best = node;
            }
        }
        return best;
    }

    private static long room(Node node) {
        return node.memory().capacityBytes() - node.pinnedBytes();
    }
}
