package io.terrace.datanode.memory;

import io.terrace.common.BlockVersion;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The blocks that {@code hdfs cacheadmin} directives ask for on this DataNode, whether their copies could be made yet or
 * not. What could not be made is tried again with growing pauses, since the NameNode asks only once for a while.
 *
 * <p>Bounded; a request beyond the limit is dropped, as if there were no room, and asked for again by the NameNode.
 * Thread-safe.
 */
public final class PinRequests implements ResidencyListener {

    private static final long FIRST_PAUSE_NS = 500_000_000L;
    private static final long LONGEST_PAUSE_NS = 30_000_000_000L;

    /** A block that a directive asks for. */
    public record Pin(String pool, long blockId) {}

    private static final class Attempt {
        long pauseNs;
        long notBeforeNs;
        /** Handed out, and not ended: a copy may wait in a queue for longer than the pauses. */
        boolean begun;
        /** The copy left memory or is not pinned any more, perhaps before its attempt ended. */
        boolean lost;
        /** Its replica was corrupt: whoever asks again says nothing new before the pause is over. */
        boolean corrupt;

        void from(long nowNs) {
            pauseNs = FIRST_PAUSE_NS;
            notBeforeNs = nowNs;
            corrupt = false;
        }
    }

    private final int most;
    private final Map<Pin, Attempt> wanted = new LinkedHashMap<>();

    /** None; at most so many. */
    public PinRequests(int most) {
        this.most = most;
    }

    /** A directive asks for the block. */
    public synchronized boolean add(Pin pin, long nowNs) {
        if (wanted.size() >= most && !wanted.containsKey(pin)) {
            return false;
        }
        Attempt attempt = wanted.computeIfAbsent(pin, added -> new Attempt());
        if (!attempt.corrupt || attempt.notBeforeNs - nowNs <= 0) {
            attempt.from(nowNs);
        }
        return true;
    }

    /** No directive asks for it any more. */
    public synchronized boolean remove(Pin pin) {
        return wanted.remove(pin) != null;
    }

    /** All pins of a pool go with it. */
    public synchronized void removeAll(String pool) {
        wanted.keySet().removeIf(pin -> pin.pool().equals(pool));
    }

    /** All of them, which are its own no more. */
    public synchronized List<Pin> takeAll() {
        List<Pin> all = List.copyOf(wanted.keySet());
        wanted.clear();
        return all;
    }

    /** Whether a directive asks for it. */
    public synchronized boolean contains(Pin pin) {
        return wanted.containsKey(pin);
    }

    /**
     * Those whose turn it is, for each of which {@link #satisfied} or {@link #ended} must follow; it is then left alone for a
     * pause that doubles.
     */
    public synchronized List<Pin> due(long nowNs) {
        List<Pin> due = new ArrayList<>();
        wanted.forEach((pin, attempt) -> {
            if (attempt.lost && !attempt.begun) {
                attempt.lost = false;
                attempt.from(nowNs + FIRST_PAUSE_NS);
            }
            if (!attempt.begun && attempt.notBeforeNs - nowNs <= 0) {
                due.add(pin);
                attempt.begun = true;
                attempt.notBeforeNs = nowNs + attempt.pauseNs;
                attempt.pauseNs = Math.min(2 * attempt.pauseNs, LONGEST_PAUSE_NS);
            }
        });
        return due;
    }

    /** An attempt is over, and the block is not in memory by it. */
    public synchronized void ended(Pin pin) {
        Attempt attempt = wanted.get(pin);
        if (attempt != null) {
            attempt.begun = false;
        }
    }

    /**
     * An attempt is over, as the replica is corrupt. Each one reads the replica and reports it, so the next comes after the
     * longest pause.
     */
    public synchronized void corrupt(Pin pin, long nowNs) {
        Attempt attempt = wanted.get(pin);
        if (attempt != null) {
            attempt.begun = false;
            attempt.lost = false;
            attempt.from(nowNs + LONGEST_PAUSE_NS);
            attempt.corrupt = true;
        }
    }

    /**
     * There is no finalised replica of it. Given up when that has lasted until its pauses are longest, lest blocks that
     * were deleted fill the list: the NameNode asks again for what it still wants.
     */
    public synchronized void missing(Pin pin) {
        Attempt attempt = wanted.get(pin);
        if (attempt != null && attempt.pauseNs == LONGEST_PAUSE_NS) {
            wanted.remove(pin);
        }
    }

    /** It is in memory. {@link #residency} says when it leaves again; whoever does not hear of that looks now and then. */
    public synchronized void satisfied(Pin pin, long nowNs) {
        Attempt attempt = wanted.get(pin);
        if (attempt != null) {
            attempt.begun = false;
            attempt.from(nowNs + LONGEST_PAUSE_NS);
        }
    }

    /** A copy that is wanted and leaves memory is soon tried again. */
    @Override
    public synchronized void residency(BlockVersion block, boolean resident, boolean pinned) {
        if (!resident || !pinned) {
            Attempt attempt = wanted.get(new Pin(block.key().pool(), block.key().blockId()));
            if (attempt != null) {
                attempt.lost = true;
            }
        }
    }

    /** How many there may be. */
    public int most() {
        return most;
    }

    /** How many there are. */
    public synchronized int size() {
        return wanted.size();
    }
}
