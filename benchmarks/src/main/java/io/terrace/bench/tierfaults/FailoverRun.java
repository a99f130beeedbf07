package io.terrace.bench.tierfaults;

import io.terrace.bench.cluster.HaCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.faults.Waits;
import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.VerifyingClient;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StorageType;

/**
 * One failover: replicas move, the active NameNode is killed, and the standby is made active and goes on. Files are read all
 * the time: a service knows of the blocks that are accessed.
 */
final class FailoverRun {
    private static final int BEGIN_SECONDS = 60;
    private static final int ORDER_SECONDS = 60;
    private static final int ARRIVAL_SECONDS = 120;

    /** DataNodes tell of what they did with their heartbeats, some a second. */
    private static final int TOLD_SECONDS = 30;

    private static final long TOLD_AGAIN_MS = 2_000;

    private static final String DONE = "placement.volume.moves.done";
    private static final String SENT = "placement.volume.moves.sent";
    private static final String MOVED = "volume.moved";

    private final HaCluster cluster;
    private final DataSet data;
    private final ReplicaAudit audit;

    FailoverRun(HaCluster cluster, DataSet data) {
        this.cluster = cluster;
        this.data = data;
        this.audit = new ReplicaAudit(ReplicaAudit.nodes(cluster), cluster.fs(), data);
    }

    /**
     * What became of a failover.
     *
     * @param violation what must not be; empty if all is well
     * @param firstOrderMs from the time when the other NameNode was active
     * @param moves that DataNodes made, of which there should be one for each replica
     */
    record Result(String violation, long firstOrderMs, long moves) {
        /** Moves beyond one for each of so many replicas, over all failovers: one with too few makes up for none with too many. */
        static long movedAgain(List<Result> results, int replicas) {
            return results.stream()
                    .mapToLong(result -> Math.max(0, result.moves() - replicas))
                    .sum();
        }

        private static Result of(String violation) {
            return new Result(violation, 0, 0);
        }
    }

    /**
     * Brings all replicas to where the first point has them before.
     *
     * @return what is wrong; empty if nothing is
     */
    String begin(StorageType type) throws IOException {
        try (PlacementAdmin placement = cluster.placement(cluster.active())) {
            placement.apply(TierFaults.policy(type));
        }
        return Waits.untilRight(ARRIVAL_SECONDS, () -> missing(type)).orElse("");
    }

    /** All replicas are where the point has them before. */
    Result run(KillPoint point) throws IOException {
        int next = 1 - cluster.active();
        cluster.awaitStandby(next);
        long madeBefore = made();
        Optional<String> fault;
        try (PlacementAdmin placement = cluster.placement(cluster.active())) {
            long doneBefore = placement.serviceFigures().getOrDefault(DONE, 0L);
            placement.apply(TierFaults.policy(point.to()));
            long wanted = doneBefore + (long) (point.arrived() * data.files().size());
            fault = Waits.untilRight(BEGIN_SECONDS, () -> {
                long done = placement.serviceFigures().getOrDefault(DONE, 0L);
                return done >= wanted ? Optional.empty() : Optional.of(done + " moves of " + wanted + " were made");
            });
        }
        if (fault.isPresent()) {
            return Result.of("before the kill, " + fault.get());
        }
        cluster.killActive();
        cluster.activate(next);
        long activeNs = System.nanoTime();
        if (audit.on(point.to()).size() == data.files().size()) {
            return Result.of("no replica was left to move when the other NameNode was active, so nothing is shown");
        }
        long firstOrderMs;
        try (PlacementAdmin placement = cluster.placement(next)) {
            fault = Waits.untilRight(ORDER_SECONDS, () -> {
                if (placement.serviceFigures().getOrDefault(SENT, 0L) > 0) {
                    return Optional.empty();
                }
                Optional<String> wrong = wrongBytes();
                return wrong.isPresent() ? wrong : Optional.of("no order was sent");
            });
            firstOrderMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - activeNs);
        }
        fault = fault.isPresent() ? fault : Waits.untilRight(ARRIVAL_SECONDS, () -> missing(point.to()));
        fault = fault.isPresent() ? fault : Waits.untilRight(TOLD_SECONDS, () -> untold(madeBefore));
        // A second move of a replica would be told of later than its first.
        Waits.pause(TOLD_AGAIN_MS);
        long moves = made() - madeBefore;
        cluster.startNameNode(1 - next);
        return new Result(fault.orElse(""), firstOrderMs, moves);
    }

    /** Each replica was moved, so DataNodes are to tell of so many moves. */
    private Optional<String> untold(long madeBefore) throws IOException {
        long told = made() - madeBefore;
        return told >= data.files().size()
                ? Optional.empty()
                : Optional.of("DataNodes told of " + told + " moves of "
                        + data.files().size());
    }

    private Optional<String> missing(StorageType type) throws IOException {
        int missing = data.files().size() - audit.on(type).size();
        if (missing == 0 && audit.agreeing().size() == data.files().size()) {
            return Optional.empty();
        }
        Optional<String> wrong = wrongBytes();
        return wrong.isPresent() ? wrong : Optional.of(missing + " replicas are to come to " + type);
    }

    /** Reads all files. */
    private Optional<String> wrongBytes() throws IOException {
        long wrong = 0;
        try (VerifyingClient reader = new VerifyingClient(
                FileSystem.newInstance(URI.create(cluster.fs().getUri().toString()), cluster.confStock()), data)) {
            for (int file = 0; file < data.files().size(); file++) {
                wrong += reader.read(file, 0, data.files().get(file).lengthBytes())
                        .wrongBytes();
            }
        }
        return wrong == 0 ? Optional.empty() : Optional.of(wrong + " bytes are wrong");
    }

    /** Moves that DataNodes made so far, by what they said with their last heartbeats. */
    private long made() throws IOException {
        try (PlacementAdmin placement = cluster.placement(cluster.active())) {
            return placement.nodes().stream()
                    .mapToLong(node -> PlacementAdmin.figures(node).getOrDefault(MOVED, 0L))
                    .sum();
        }
    }
}
