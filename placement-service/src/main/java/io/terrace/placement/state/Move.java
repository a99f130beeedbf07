package io.terrace.placement.state;

import io.terrace.common.StorageTier;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One requested change of a block's tier on one DataNode, from request to result. Owned by the engine's thread; once it
 * has an outcome it does not change any more and any thread may read it.
 */
public final class Move {

    /** Who requested it. */
    public enum Cause {
        POLICY,
        OPERATOR,
        PIN,
        /** Another DataNode has become the block's home. */
        MOVED_HOME,
        /** A rule of the policy file. */
        RULE,
        /** A rule gives a range of tiers, and within it the block was accessed much. */
        HEAT,
        /** The same; it was not accessed for long. */
        COLD,
        /** The same; the tier is full. */
        FULL,
        /** The DataNode with the only copy in memory is decommissioned or enters maintenance. */
        LEAVING,
        /** It was written, and blocks of its directory are read soon after that. */
        FIRST_READ,
        /** A reader of its file is on the way to it. */
        READ_AHEAD;

        /** Whether a promotion for it is kept from the policy for a time. */
        boolean isHeld() {
            return this == OPERATOR || this == RULE || this == LEAVING || isAhead();
        }

        /** Whether a copy for it is made before a read, and waits for that. */
        public boolean isAhead() {
            return this == FIRST_READ || this == READ_AHEAD;
        }
    }

    private static final int MOST_SENDINGS = 10;

    private final long id;
    private final int from;
    private final int to;
    private final StampedBlock block;
    private final String node;
    private final Cause cause;
    private final String reason;
    private final long requestedMs;
    private final List<Move> victims = new ArrayList<>(0);
    private final @Nullable Volumes volumes;

    private long examinedMs = -1;
    private long notBeforeMs;
    private long sentMs = -1;
    private long endedMs = -1;
    private int attempts;
    private boolean overtaken;
    private Occasion occasion = Occasion.UNKNOWN;
    private long tookMs = -1;
    private @Nullable MoveOutcome outcome;
    private String message = "";
    private long bytesMoved;

    /**
     * What led to a move, as far as a person wants to know it.
     *
     * @param by short name of the user who ordered it; empty if nobody did
     * @param reads of the block until then; -1 where they did not matter
     * @param withinMs the time that they took; -1 where that is not known
     * @param roomFor id of the block that this one leaves for; -1 if it leaves for none
     * @param roomMade whether others leave for this one
     */
    public record Occasion(String by, long reads, long withinMs, long roomFor, boolean roomMade) {

        static final Occasion UNKNOWN = new Occasion("", -1, -1, -1, false);
    }

    /**
     * The tiers of a move between volumes.
     *
     * @param kept a range of tiers keeps the replica there
     */
    public record Volumes(StorageTier from, StorageTier to, boolean kept) {

        /** Of a move after which nothing keeps the replica where it is. */
        public Volumes(StorageTier from, StorageTier to) {
            this(from, to, false);
        }

        /** Whether it leads to a faster tier. */
        public boolean isUp() {
            return to.compareTo(from) < 0;
        }
    }

    Move(long id, int from, int to, StampedBlock block, String node, Cause cause, String reason, long requestedMs) {
        this.id = id;
        this.from = from;
        this.to = to;
        this.block = block;
        this.node = node;
        this.cause = cause;
        this.reason = reason;
        this.requestedMs = requestedMs;
        this.volumes = null;
    }

    /** A move of a replica between volumes. */
    Move(long id, Volumes volumes, StampedBlock block, String node, Cause cause, String reason, long requestedMs) {
        this.id = id;
        this.from = 0;
        this.to = 0;
        this.block = block;
        this.node = node;
        this.cause = cause;
        this.reason = reason;
        this.requestedMs = requestedMs;
        this.volumes = volumes;
    }

    public long id() {
        return id;
    }

    /** The tiers of a move of the replica itself; null for one into memory or out of it. */
    public @Nullable Volumes volumes() {
        return volumes;
    }

    /**
     * Index of the tier in the DataNode's {@link TierLayout} that the block is to leave; likewise {@link #to}. Of no use for
     * a move between {@link #volumes}.
     */
    public int from() {
        return from;
    }

    public int to() {
        return to;
    }

    public StampedBlock block() {
        return block;
    }

    /** UUID of the DataNode. */
    public String node() {
        return node;
    }

    public Cause cause() {
        return cause;
    }

    /** The rule and its numbers, for a person to read. */
    public String reason() {
        return reason;
    }

    public Occasion occasion() {
        return occasion;
    }

    /** Until it is sent. */
    public void orderedBy(String user) {
        occasion = new Occasion(user, occasion.reads, occasion.withinMs, occasion.roomFor, occasion.roomMade);
    }

    /**
     * As {@link #orderedBy}.
     *
     * @param withinMs the time that the reads took; -1 where that is not known
     */
    public void causedByReads(long reads, long withinMs) {
        occasion = new Occasion(occasion.by, reads, withinMs, occasion.roomFor, occasion.roomMade);
    }

    /** The block of this drop leaves for that of a promotion, with which it is sent. */
    public void makesRoomFor(Move promotion) {
        occasion = new Occasion(occasion.by, occasion.reads, occasion.withinMs, promotion.block.id(), false);
        Occasion its = promotion.occasion;
        promotion.occasion = new Occasion(its.by, its.reads, its.withinMs, its.roomFor, true);
        promotion.victims.add(this);
    }

    /** How long the DataNode took to carry it out; -1 if it did not say. */
    public long tookMs() {
        return tookMs;
    }

    public void took(long ms) {
        tookMs = ms;
    }

    public long requestedMs() {
        return requestedMs;
    }

    /** When it was last sent to its DataNode; -1 before. */
    public long sentMs() {
        return sentMs;
    }

    /** -1 while it is open. */
    public long endedMs() {
        return endedMs;
    }

    public @Nullable MoveOutcome outcome() {
        return outcome;
    }

    /** What the DataNode or the NameNode said about the outcome; may be empty. */
    public String message() {
        return message;
    }

    public long bytesMoved() {
        return bytesMoved;
    }

    public boolean isSent() {
        return sentMs >= 0 && outcome == null;
    }

    public boolean isPromotion() {
        return to < from;
    }

    /** Drops that make room for this promotion: sent just before it, not at all if it comes to nothing. */
    public List<Move> victims() {
        return victims;
    }

    /** The policy wants the opposite since this was sent; to be looked at when the result is in. */
    public boolean isOvertaken() {
        return overtaken;
    }

    public void overtaken(boolean is) {
        overtaken = is;
    }

    public void examined(long nowMs) {
        examinedMs = nowMs;
    }

    public boolean needsExamination(long nowMs, long validMs) {
        return (isPromotion() || volumes != null) && (examinedMs < 0 || nowMs - examinedMs > validMs);
    }

    public boolean isDue(long nowMs) {
        return nowMs >= notBeforeMs;
    }

    public MoveOrder order(long nowMs, long bytesPerSecond) {
        sentMs = nowMs;
        attempts++;
        if (volumes != null) {
            return new MoveOrder(id, block, volumes.from, volumes.to, bytesPerSecond, volumes.kept);
        }
        return isPromotion() ? MoveOrder.promotion(id, block, bytesPerSecond) : MoveOrder.drop(id, block);
    }

    /** The order did not arrive: it may be sent again at once, a few times. */
    public boolean unsend() {
        if (attempts >= MOST_SENDINGS) {
            return false;
        }
        sentMs = -1;
        return true;
    }

    /** Puts a sent move back among the waiting ones; says false when it was tried often enough. */
    public boolean retry(long nowMs, long pauseMs, int mostAttempts) {
        if (attempts >= mostAttempts) {
            return false;
        }
        sentMs = -1;
        notBeforeMs = nowMs + (pauseMs << (attempts - 1));
        return true;
    }

    void end(long nowMs, MoveOutcome how, String said, long bytes) {
        if (outcome != null) {
            throw new IllegalStateException("move " + id + " of " + block + " ended twice: " + outcome + ", " + how);
        }
        outcome = how;
        message = said;
        bytesMoved = bytes;
        endedMs = nowMs;
    }

    @Override
    public String toString() {
        String kind = volumes != null ? volumes.from + " to " + volumes.to : isPromotion() ? "PROMOTE" : "DROP";
        return kind + " " + block + " on " + node + (outcome == null ? "" : ": " + outcome);
    }
}
