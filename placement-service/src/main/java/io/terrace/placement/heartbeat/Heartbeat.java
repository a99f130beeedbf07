package io.terrace.placement.heartbeat;

import io.terrace.common.StorageTier;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a DataNode tells the service in one call: heat, residency and results since the last call, and its state. Sizes
 * are bytes, times milliseconds. Lists are bounded by the sender and cut while they are decoded.
 *
 * @param node UUID of the DataNode
 * @param incarnation changes with each start of the DataNode process
 * @param sequence grows by one with each heartbeat of an incarnation; one sent again keeps its number and counts once
 * @param full {@code residency} is the first page of everything that is resident; the last one is the first that is
 *     shorter than {@link io.terrace.protocol.HeartbeatLimits#ENTRIES}
 * @param bytesServed bytes served to all readers since the last heartbeat
 * @param conditions null where they are those of the last heartbeat that had any, and {@code figures} too
 * @param figures running totals of this incarnation by figure id; not changed afterwards
 * @param takesVolumeMoves orders to move replicas between volumes are carried out
 * @param release version and commit of Terrace in the DataNode; empty if it does not say
 * @param resized what came of the last change of the memory tier's size; null before the first
 * @param offers replicas that may have to go to a slower tier, the oldest first; only of tiers that the service asked about
 * @param readTimes what stock readers were served since the last heartbeat, and how long that took; an entry for each tier
 * @param writeThroughRules id of the {@link WriteThroughRules} that it has
 */
public record Heartbeat(
        String node,
        String host,
        int transferPort,
        long incarnation,
        long sequence,
        List<TierState> tiers,
        List<Heat> heat,
        List<Residency> residency,
        boolean full,
        List<Result> results,
        @Nullable List<HealthFinding> conditions,
        long bytesServed,
        boolean serving,
        @Nullable Map<String, Long> figures,
        boolean takesVolumeMoves,
        String release,
        @Nullable Resized resized,
        List<ReadTime> readTimes,
        List<Offer> offers,
        long writeThroughRules) {

    /** Of a DataNode that timed no read, offers nothing and has no rules. */
    public Heartbeat(
            String node,
            String host,
            int transferPort,
            long incarnation,
            long sequence,
            List<TierState> tiers,
            List<Heat> heat,
            List<Residency> residency,
            boolean full,
            List<Result> results,
            @Nullable List<HealthFinding> conditions,
            long bytesServed,
            boolean serving,
            @Nullable Map<String, Long> figures,
            boolean takesVolumeMoves,
            String release,
            @Nullable Resized resized) {
        this(
                node,
                host,
                transferPort,
                incarnation,
                sequence,
                tiers,
                heat,
                residency,
                full,
                results,
                conditions,
                bytesServed,
                serving,
                figures,
                takesVolumeMoves,
                release,
                resized,
                List.of(),
                List.of(),
                0);
    }

    /** The same whose memory was not resized either. */
    public Heartbeat(
            String node,
            String host,
            int transferPort,
            long incarnation,
            long sequence,
            List<TierState> tiers,
            List<Heat> heat,
            List<Residency> residency,
            boolean full,
            List<Result> results,
            @Nullable List<HealthFinding> conditions,
            long bytesServed,
            boolean serving,
            @Nullable Map<String, Long> figures,
            boolean takesVolumeMoves,
            String release) {
        this(
                node,
                host,
                transferPort,
                incarnation,
                sequence,
                tiers,
                heat,
                residency,
                full,
                results,
                conditions,
                bytesServed,
                serving,
                figures,
                takesVolumeMoves,
                release,
                null);
    }

    /** The same with other heat. */
    public Heartbeat withHeat(List<Heat> other) {
        return new Heartbeat(
                node,
                host,
                transferPort,
                incarnation,
                sequence,
                tiers,
                other,
                residency,
                full,
                results,
                conditions,
                bytesServed,
                serving,
                figures,
                takesVolumeMoves,
                release,
                resized,
                readTimes,
                offers,
                writeThroughRules);
    }

    /** Capacity and use of one tier; retiring bytes are part of the used ones until they are freed. */
    public record TierState(
            StorageTier tier, long capacityBytes, long usedBytes, long retiringBytes, long pinnedBytes, long extents) {

        public long freeBytes() {
            return Math.max(0, capacityBytes - usedBytes);
        }
    }

    /**
     * What came of a {@link Resize}.
     *
     * @param configuredBytes what the DataNode's setting says
     * @param refusal why the size stayed as it was; null if it was changed
     */
    public record Resized(long id, long capacityBytes, long configuredBytes, @Nullable String refusal) {}

    /**
     * Reads and writes of one block on this DataNode since the last heartbeat that carried it.
     *
     * @param timedReads that ended and were timed; 0 for blocks that are not compared
     * @param timedNs how long they took
     * @param readers where readers were; of reads that are in no entry it is not known
     */
    public record Heat(
            StampedBlock block,
            StorageTier replica,
            boolean inMemory,
            long reads,
            long bytesRead,
            long bytesReadFromMemory,
            long writes,
            long bytesWritten,
            long ageMs,
            long timedReads,
            long timedNs,
            List<Reader> readers) {

        public Heat {
            readers = List.copyOf(readers);
        }

        /** Of which no read was timed. */
        public Heat(
                StampedBlock block,
                StorageTier replica,
                boolean inMemory,
                long reads,
                long bytesRead,
                long bytesReadFromMemory,
                long writes,
                long bytesWritten,
                long ageMs) {
            this(block, replica, inMemory, reads, bytesRead, bytesReadFromMemory, writes, bytesWritten, ageMs, 0, 0);
        }

        /** Of which nobody says where the readers were. */
        public Heat(
                StampedBlock block,
                StorageTier replica,
                boolean inMemory,
                long reads,
                long bytesRead,
                long bytesReadFromMemory,
                long writes,
                long bytesWritten,
                long ageMs,
                long timedReads,
                long timedNs) {
            this(
                    block,
                    replica,
                    inMemory,
                    reads,
                    bytesRead,
                    bytesReadFromMemory,
                    writes,
                    bytesWritten,
                    ageMs,
                    timedReads,
                    timedNs,
                    List.of());
        }
    }

    /**
     * Reads by clients of one host.
     *
     * @param host its address as the DataNode sees it; {@link #THIS_HOST} for the DataNode's own
     */
    public record Reader(String host, long reads) {
        public static final String THIS_HOST = "";
    }

    /** How long a DataNode opened and read files for so many reads from one of its tiers. */
    public record ReadTime(StorageTier tier, long reads, long bytes, long ns) {}

    /** A replica on a tier, and the time since its file was written. */
    public record Offer(StampedBlock block, StorageTier tier, long ageMs) {}

    /** A block that entered or left the memory tier; {@code pinned} by an {@code hdfs cacheadmin} directive. */
    public record Residency(StampedBlock block, boolean resident, boolean pinned) {}

    /**
     * How an order ended.
     *
     * @param epoch of the order
     * @param tier where the replica is after a move between volumes; null if there is none, or it was another kind of move
     */
    public record Result(
            long moveId,
            long epoch,
            MoveOutcome outcome,
            StampedBlock block,
            long bytesMoved,
            long tookMs,
            @Nullable String message,
            @Nullable StorageTier tier) {

        /** Of a promotion or a drop. */
        public Result(
                long moveId,
                long epoch,
                MoveOutcome outcome,
                StampedBlock block,
                long bytesMoved,
                long tookMs,
                @Nullable String message) {
            this(moveId, epoch, outcome, block, bytesMoved, tookMs, message, null);
        }
    }
}
