package io.terrace.placement.heartbeat;

import io.terrace.protocol.StampedBlock;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The exchange of heartbeats with one process of a DataNode: its sequence number, the last answer, and how
 * far its full report is. Owned by the engine's thread.
 */
public final class HeartbeatSession {

    /** What the DataNode has and what the service knows differ for no longer than this. */
    static final long FULL_REPORT_MS = 600_000;

    /** Ended processes that are remembered; a heartbeat is late by less than so many restarts. */
    private static final int MOST_ENDED = 8;

    private long incarnation;
    private long sequence = -1;
    private @Nullable HeartbeatAnswer lastAnswer;
    private boolean fullSeen;
    private boolean reported;
    private long fullMs;
    private final Set<Long> unreported = new HashSet<>();

    /**
     * Blocks that are in memory by the result of a move, of which no report has said anything yet. A report of
     * the block removes it, and each full report all of them, which comes every ten minutes at least.
     */
    private final Map<Long, StampedBlock> promised = new HashMap<>();

    /** Those of them that were there when the full report that is under way began. */
    private final Map<Long, StampedBlock> doubtful = new HashMap<>();

    /** The last sequence of each process that another one followed. */
    private final Map<Long, Long> ended = new LinkedHashMap<>();

    /** Takes the heartbeat's place in the sequence; says whether the DataNode was restarted. */
    public boolean received(Heartbeat heartbeat) {
        boolean anew = heartbeat.incarnation() != incarnation;
        if (anew) {
            ended.put(incarnation, sequence);
            ended.remove(heartbeat.incarnation());
            if (ended.size() > MOST_ENDED) {
                ended.remove(ended.keySet().iterator().next());
            }
            fullSeen = false;
            reported = false;
            unreported.clear();
            promised.clear();
            doubtful.clear();
        }
        incarnation = heartbeat.incarnation();
        sequence = anew ? heartbeat.sequence() : Math.max(sequence, heartbeat.sequence());
        return anew;
    }

    /** Goes on where the session of another epoch ended. */
    public void follow(HeartbeatSession other) {
        incarnation = other.incarnation;
        sequence = other.sequence;
        ended.clear();
        ended.putAll(other.ended);
    }

    /** Whether the heat of this heartbeat was counted before, in this epoch or an earlier one. */
    public boolean isCounted(Heartbeat heartbeat) {
        return heartbeat.incarnation() == incarnation && heartbeat.sequence() <= sequence;
    }

    /**
     * Whether this heartbeat was taken before and comes again late: after the next one of the same process, which waits for the
     * answer to this one, or after one of another process. One of a process that is new is taken: which process followed which
     * cannot be told.
     */
    public boolean isTakenBefore(Heartbeat heartbeat) {
        return heartbeat.incarnation() == incarnation
                ? heartbeat.sequence() < sequence
                : heartbeat.sequence() <= ended.getOrDefault(heartbeat.incarnation(), Long.MIN_VALUE);
    }

    public long sequence() {
        return sequence;
    }

    public long incarnation() {
        return incarnation;
    }

    /** The answer to a heartbeat that is sent again; null for a new one. */
    public @Nullable HeartbeatAnswer answerAgain(Heartbeat heartbeat) {
        return heartbeat.incarnation() == incarnation && heartbeat.sequence() == sequence ? lastAnswer : null;
    }

    public @Nullable HeartbeatAnswer lastAnswer() {
        return lastAnswer;
    }

    public void answered(HeartbeatAnswer answer) {
        lastAnswer = answer;
    }

    /** Whether the last answer asked for everything that is resident; true before the first one. */
    public boolean askedForFull() {
        return lastAnswer == null || lastAnswer.fullWanted();
    }

    /** Whether the next heartbeat is to report everything: at first, and now and then, whatever went wrong before. */
    public boolean needsFull(long nowMs) {
        return !fullSeen || nowMs - fullMs > FULL_REPORT_MS;
    }

    /** The first page of a full report is here, and these blocks are resident as far as is known. */
    public void fullBegins(long nowMs, Set<Long> resident) {
        fullSeen = true;
        fullMs = nowMs;
        unreported.clear();
        unreported.addAll(resident);
        doubtful.clear();
        doubtful.putAll(promised);
        promised.clear();
    }

    /** A result says that this block, of which no report has said anything, is in memory. */
    public void promised(StampedBlock block) {
        promised.put(block.id(), block);
    }

    /** A report says whether this block is resident. */
    public void reported(long blockId) {
        unreported.remove(blockId);
        promised.remove(blockId);
        doubtful.remove(blockId);
    }

    /** The last page of what the DataNode had to report is here. */
    public void pagesEnd() {
        reported = fullSeen;
        unreported.clear();
        doubtful.clear();
    }

    /** Whether a whole full report of this process was taken in this epoch. */
    public boolean hasReported() {
        return reported;
    }

    /** What is resident as far as is known and is missing in the full report that is under way. */
    public Set<Long> unreported() {
        return unreported;
    }

    /** In memory by a result, and missing in the full report that is under way. */
    public Collection<StampedBlock> doubtful() {
        return doubtful.values();
    }
}
