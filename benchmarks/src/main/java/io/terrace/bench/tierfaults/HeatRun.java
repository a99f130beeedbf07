package io.terrace.bench.tierfaults;

import io.terrace.bench.cluster.HaCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.faults.Waits;
import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.SeededContent;
import io.terrace.bench.load.Step;
import io.terrace.bench.load.StoredFile;
import io.terrace.bench.load.VerifyingClient;
import io.terrace.bench.load.ZipfWorkload;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;

/**
 * What a NameNode knows of reads after it took over, and after it was killed and started again: which blocks of real files are
 * the hottest.
 */
final class HeatRun {
    private static final int FILES = 3_000;
    private static final int FILE_BYTES = 1 << 10;
    private static final int READS = 20_000;
    private static final double SKEW = 0.9;
    static final int HOTTEST = 1_000;

    private static final int COUNTED_SECONDS = 60;
    private static final int KNOWN_SECONDS = 60;

    /** The journal has each read after two of its passes, which take a minute each. */
    private static final long KEPT_MS = TimeUnit.SECONDS.toMillis(130);

    private static final String ACTIVE_READS = "placement.reads";
    private static final String STANDBY_READS = "placement.standby.reads";

    private final HaCluster cluster;
    private final DataSet data;
    private final long seed;

    HeatRun(HaCluster cluster, long seed) {
        this.cluster = cluster;
        this.seed = seed;
        List<StoredFile> files = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            files.add(new StoredFile("/data/" + i, FILE_BYTES, true));
        }
        this.data = new DataSet(files, new SeededContent(seed));
    }

    /**
     * What was known.
     *
     * @param violation what must not be; empty if all is well
     * @param standbyReads that the standby had counted when the active NameNode was killed
     * @param sameAfterFailover part of the hottest blocks that are among the hottest of the NameNode that took over
     * @param sameAfterRestart part of its hottest blocks that are among its hottest after it was killed and started again
     */
    record Result(String violation, long standbyReads, double sameAfterFailover, double sameAfterRestart) {}

    Result run() throws IOException {
        int first = cluster.active();
        int next = 1 - first;
        store();
        cluster.awaitStandby(next);
        Map<String, Long> activeBefore = figures(first);
        Map<String, Long> standbyBefore = figures(next);
        read(seed);
        Optional<String> fault = counted(first, ACTIVE_READS, activeBefore);
        fault = fault.isPresent() ? fault : counted(next, STANDBY_READS, standbyBefore);
        long standbyReads =
                figures(next).getOrDefault(STANDBY_READS, 0L) - standbyBefore.getOrDefault(STANDBY_READS, 0L);
        Set<Long> before = hottest(first);
        cluster.killActive();
        cluster.activate(next);
        double failover = share(before, hottest(next));
        if (fault.isPresent()) {
            return new Result(fault.get(), standbyReads, failover, 0);
        }

        // Other files are hot from now on, which only the NameNode that took over has heard of.
        activeBefore = figures(next);
        read(~seed);
        fault = counted(next, ACTIVE_READS, activeBefore);
        Waits.pause(KEPT_MS);
        Set<Long> kept = hottest(next);
        cluster.killActive();
        cluster.startNameNode(next);
        cluster.activate(next);
        double[] restart = {0};
        // DataNodes must report before their shares of the heat are known.
        Optional<String> unused = Waits.untilRight(KNOWN_SECONDS, () -> {
            restart[0] = share(kept, hottest(next));
            return restart[0] < 1 ? Optional.of(restart[0] + " of the hottest are known") : Optional.empty();
        });
        return new Result(fault.orElse(""), standbyReads, failover, restart[0]);
    }

    private void store() throws IOException {
        try (VerifyingClient writer = client()) {
            for (int file = 0; file < FILES; file++) {
                writer.store(file);
            }
        }
    }

    private void read(long drawnFrom) throws IOException {
        ZipfWorkload workload = new ZipfWorkload(data, FILE_BYTES, FILE_BYTES, SKEW, drawnFrom);
        try (VerifyingClient reader = client()) {
            for (int i = 0; i < READS; i++) {
                Step step = workload.next().orElseThrow();
                long wrong = reader.read(step.file(), step.position(), step.lengthBytes())
                        .wrongBytes();
                if (wrong > 0) {
                    throw new IOException(data.files().get(step.file()).path() + " has wrong bytes");
                }
            }
        }
    }

    private VerifyingClient client() throws IOException {
        return new VerifyingClient(
                FileSystem.newInstance(URI.create(cluster.fs().getUri().toString()), cluster.confStock()), data);
    }

    private Optional<String> counted(int namenode, String figure, Map<String, Long> before) throws IOException {
        return Waits.untilRight(COUNTED_SECONDS, () -> {
            long reads = figures(namenode).getOrDefault(figure, 0L) - before.getOrDefault(figure, 0L);
            return reads >= READS
                    ? Optional.empty()
                    : Optional.of("NameNode " + namenode + " counted " + reads + " reads of " + READS);
        });
    }

    private Map<String, Long> figures(int namenode) throws IOException {
        try (PlacementAdmin placement = cluster.placement(namenode)) {
            return placement.serviceFigures();
        }
    }

    private Set<Long> hottest(int namenode) throws IOException {
        try (PlacementAdmin placement = cluster.placement(namenode)) {
            return new HashSet<>(placement.hottest(HOTTEST));
        }
    }

    private static double share(Set<Long> before, Set<Long> after) {
        Set<Long> same = new HashSet<>(before);
        same.retainAll(after);
        return (double) same.size() / HOTTEST;
    }
}
