package io.terrace.placement.state;

import it.unimi.dsi.fastutil.longs.Long2ObjectMap;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import it.unimi.dsi.fastutil.objects.ObjectLinkedOpenHashSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The open moves of one DataNode of one sort (into memory and out of it, or between volumes): those that wait, in the
 * sequence they are to be sent, and those in flight. One open move per block, so no more drops wait than there are copies.
 * Owned by one thread.
 */
public final class MoveQueue {

    /** Orders in one answer at most; more go with the next one, a quarter of a second later. */
    public static final int ORDERS_PER_ANSWER = 256;

    private final int mostWaiting;
    /** Tens of thousands of drops may wait, and any of them may end, so that each is found without a search. */
    private final ObjectLinkedOpenHashSet<Move> waiting = new ObjectLinkedOpenHashSet<>(0);

    private final Long2ObjectMap<Move> inFlight = new Long2ObjectOpenHashMap<>(0);
    private final Long2ObjectMap<Move> openByBlock = new Long2ObjectOpenHashMap<>(0);
    private int promotionsWaiting;
    private long promotionBytesWaiting;
    private int promotionsInFlight;

    /** @param mostWaiting promotions or moves between volumes that may wait */
    MoveQueue(int mostWaiting) {
        this.mostWaiting = mostWaiting;
    }

    /** The open move of a block. Of most DataNodes none is open, which costs no look into the map. */
    @Nullable
    public Move open(long blockId) {
        return openByBlock.isEmpty() ? null : openByBlock.get(blockId);
    }

    public boolean isFullForPromotions() {
        return promotionsWaiting >= mostWaiting;
    }

    /** Whether no further move between volumes may wait. */
    public boolean isFull() {
        return waiting.size() >= mostWaiting;
    }

    /** Makes it the block's one open move; it waits once it is enqueued, or goes along with the move it serves. */
    void book(Move move) {
        if (openByBlock.putIfAbsent(move.block().id(), move) != null) {
            throw new IllegalStateException("two open moves of " + move.block() + " on " + move.node());
        }
    }

    public void enqueue(Move move, boolean first) {
        if (first) {
            waiting.addAndMoveToFirst(move);
        } else {
            waiting.addAndMoveToLast(move);
        }
        countWaiting(move, 1);
    }

    private void countWaiting(Move move, int more) {
        if (move.isPromotion()) {
            promotionsWaiting += more;
            promotionBytesWaiting += more * move.block().lengthBytes();
        }
    }

    /** Takes a drop away from the promotion that it was to make room for. */
    public void detach(Move victim) {
        Move promotion = openByBlock.get(victim.occasion().roomFor());
        if (promotion != null) {
            promotion.victims().remove(victim);
        }
    }

    public void sent(Move move) {
        if (waiting.remove(move)) {
            countWaiting(move, -1);
        }
        inFlight.put(move.id(), move);
        promotionsInFlight += move.isPromotion() ? 1 : 0;
    }

    @Nullable
    public Move inFlight(long moveId) {
        return inFlight.get(moveId);
    }

    /** A sent move waits again. */
    public void waitAgain(Move move) {
        inFlight.remove(move.id());
        promotionsInFlight -= move.isPromotion() ? 1 : 0;
        waiting.addAndMoveToFirst(move);
        countWaiting(move, 1);
    }

    /** The move is over, whether it was waiting or in flight. */
    void close(Move move) {
        openByBlock.remove(move.block().id(), move);
        if (inFlight.remove(move.id()) != null) {
            promotionsInFlight -= move.isPromotion() ? 1 : 0;
        } else if (waiting.remove(move)) {
            countWaiting(move, -1);
        }
    }

    /** Waiting moves in their sequence; a copy, because looking at them may change them. */
    public List<Move> waiting() {
        return new ArrayList<>(waiting);
    }

    /** The first of them, at most so many. */
    public List<Move> firstWaiting(int most) {
        return waiting.stream().limit(most).toList();
    }

    public Collection<Move> inFlight() {
        return Collections.unmodifiableCollection(inFlight.values());
    }

    /** Bytes of the promotions that wait. */
    public long promotionBytesWaiting() {
        return promotionBytesWaiting;
    }

    public int promotionsInFlight() {
        return promotionsInFlight;
    }

    public int waitingCount() {
        return waiting.size();
    }

    public int inFlightCount() {
        return inFlight.size();
    }

    public List<Move> all() {
        List<Move> moves = new ArrayList<>(waiting);
        moves.addAll(inFlight.values());
        return moves;
    }
}
