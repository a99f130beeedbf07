package io.terrace.bench.tierfaults;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.HaCluster;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.load.DataSet;
import io.terrace.bench.load.SeededContent;
import io.terrace.bench.load.StoredFile;
import io.terrace.bench.load.VerifyingClient;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.measure.TestRun;
import io.terrace.bench.tierfaults.KillRun.Result;
import io.terrace.bench.tiers.TiersBenchmark;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bin/terrace test tiers}: seeded points, one after the other on one cluster. */
@Command(
        name = "tiers",
        mixinStandardHelpOptions = true,
        description = {
            "Kills DataNodes and the NameNode (kill -9) at seeded points while replicas move between volumes. Each block has"
                    + " one replica. After each kill all bytes must be there; ten seconds after the DataNode's report each"
                    + " replica must have been on one volume, with the NameNode agreeing; then all must arrive, and nothing be"
                    + " left on any volume.",
            "With two NameNodes and three JournalNodes, kills the active NameNode a fifth as often: the other one must send its"
                    + " first order within five seconds, and no replica be moved twice.",
            "The other one must also know which 1,000 blocks are the hottest, and know it still when it was killed and started"
                    + " again."
        })
public final class TierFaults implements Callable<Integer> {
    private static final int DEFAULT_POINTS = 50;
    private static final int DATANODES = 2;
    private static final long MEMORY_BYTES = 16L << 20;
    private static final int FILES = 120;
    private static final int LEAST_BYTES = 1 << 10;
    private static final int MOST_BYTES = 1 << 20;

    /** A cluster of seven processes takes its time. */
    private static final int FAILOVERS_FEWER = 5;

    private static final double SAME_HOTTEST = 0.95;

    @Option(
            names = "--points",
            paramLabel = "N",
            defaultValue = "" + DEFAULT_POINTS,
            description = "how many kills of each part (${DEFAULT-VALUE})")
    private int points;

    @Option(
            names = "--seed",
            paramLabel = "S",
            defaultValue = "1",
            description = "of the first kill (${DEFAULT-VALUE})")
    private long seed;

    @Option(
            names = "--part",
            paramLabel = "PART",
            description = "only this part, may be repeated: ${COMPLETION-CANDIDATES}")
    private List<TierFaultsPart> parts = List.of();

    @Mixin
    private TestRun testRun = new TestRun();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (points < 1) {
            throw testRun.usage("--points is " + points + "; it must be at least 1");
        }
        Set<TierFaultsPart> wanted = parts.isEmpty() ? EnumSet.allOf(TierFaultsPart.class) : EnumSet.copyOf(parts);
        return testRun.run("tiers", (dir, sheet) -> {
            for (TierFaultsPart part : wanted) {
                Path own = dir.resolve(part.name().toLowerCase(Locale.ROOT));
                if (part == TierFaultsPart.FAILOVER) {
                    failOver(own, sheet);
                } else if (part == TierFaultsPart.HEAT) {
                    heat(own, sheet);
                } else {
                    sheet.section("kill -9 of " + part + ", " + points + " times");
                    kill(part, own, sheet);
                }
            }
        });
    }

    /** Ends with the first point that fails: what it left would be found again. */
    private void kill(TierFaultsPart part, Path dir, ResultSheet sheet) throws IOException {
        String name = "tiers." + part.name().toLowerCase(Locale.ROOT);
        DataSet data = data(seed);
        List<Result> results = new ArrayList<>();
        String violation = "";
        TemporaryCluster temporary = TemporaryCluster.up(dir, spec());
        try (DistributedFileSystem fs = fileSystem(temporary.cluster())) {
            store(fs.getUri(), temporary.cluster().confStock(), data);
            KillRun run = new KillRun(temporary.cluster(), fs, data);
            for (long at = seed; at < seed + points && violation.isEmpty(); at++) {
                KillPoint point = part == TierFaultsPart.NAMENODE
                        ? KillPoint.ofNameNode(at)
                        : KillPoint.ofDataNode(at, DATANODES);
                Result result = run.run(point);
                results.add(result);
                violation = result.violation();
                sheet.progress("seed " + at + ": " + point.text() + "; right after " + result.settledMs() + " ms");
            }
        } finally {
            if (violation.isEmpty()) {
                temporary.close();
            }
        }
        if (!violation.isEmpty()) {
            sheet.progress("FAILED: " + violation);
            sheet.progress("the cluster runs on, for a look: bin/terrace down --dir " + dir);
            sheet.progress("replay: bin/terrace test tiers --part " + part + " --points 1 --seed "
                    + (seed + results.size() - 1));
            temporary.keep();
        }
        report(name, results, violation, sheet);
        long copying =
                results.stream().filter(result -> result.unfinished() > 0).count();
        if (part == TierFaultsPart.NAMENODE) {
            // Of the others nothing is shown: the service that came back had nothing to go on with.
            long moving = results.stream().filter(result -> result.toMove() > 0).count();
            sheet.atLeast(name + ".moving", moving, points / 2.0);
        }
        if (part == TierFaultsPart.DATANODE && points >= DEFAULT_POINTS) {
            sheet.atLeast(name + ".copying", copying, 1);
        } else if (part == TierFaultsPart.DATANODE) {
            sheet.note(name + ".copying", copying, "kills that left files being copied");
        }
    }

    private void report(String name, List<Result> results, String violation, ResultSheet sheet) {
        sheet.exactly(name + ".violations", violation.isEmpty() ? 0 : 1, 0);
        sheet.exactly(name + ".points", results.size(), points);
        sheet.note(
                name + ".doubles",
                results.stream().mapToLong(Result::doubles).sum(),
                "blocks that were in two volumes at a kill");
        sheet.below(
                name + ".settled_max_s",
                results.stream().mapToLong(Result::settledMs).max().orElse(0) / 1e3,
                KillRun.SETTLED_SECONDS);
    }

    private void failOver(Path dir, ResultSheet sheet) throws IOException {
        int failovers = Math.max(1, points / FAILOVERS_FEWER);
        sheet.section("kill -9 of the active one of two NameNodes, " + failovers + " times");
        DataSet data = data(seed);
        List<FailoverRun.Result> results = new ArrayList<>();
        String violation = "";
        try (HaCluster cluster = HaCluster.up(dir, DATANODES, settings())) {
            store(cluster.fs().getUri(), cluster.confStock(), data);
            FailoverRun run = new FailoverRun(cluster, data);
            violation = run.begin(KillPoint.ofFailover(seed).from());
            for (long at = seed; at < seed + failovers && violation.isEmpty(); at++) {
                KillPoint point = KillPoint.ofFailover(at);
                FailoverRun.Result result = run.run(point);
                results.add(result);
                violation = result.violation();
                sheet.progress("seed " + at + ": " + point.text() + "; first order after " + result.firstOrderMs()
                        + " ms, " + result.moves() + " moves of " + FILES);
            }
        }
        if (!violation.isEmpty()) {
            sheet.progress("FAILED: " + violation);
        }
        sheet.exactly("tiers.failover.violations", violation.isEmpty() ? 0 : 1, 0);
        sheet.exactly("tiers.failover.points", results.size(), failovers);
        sheet.below(
                "tiers.failover.first_order_max_s",
                results.stream()
                                .mapToLong(FailoverRun.Result::firstOrderMs)
                                .max()
                                .orElse(0)
                        / 1e3,
                5);
        sheet.exactly("tiers.failover.moved_again", FailoverRun.Result.movedAgain(results, FILES), 0);
    }

    private void heat(Path dir, ResultSheet sheet) throws IOException {
        sheet.section("the " + HeatRun.HOTTEST + " hottest blocks, known after kill -9 of the active NameNode");
        HeatRun.Result result;
        try (HaCluster cluster = HaCluster.up(dir, DATANODES, Map.of())) {
            result = new HeatRun(cluster, seed).run();
        }
        if (!result.violation().isEmpty()) {
            sheet.progress("FAILED: " + result.violation());
        }
        sheet.exactly("tiers.heat.violations", result.violation().isEmpty() ? 0 : 1, 0);
        sheet.note("tiers.heat.standby_reads", result.standbyReads(), "reads that the standby had counted");
        sheet.atLeast("tiers.heat.failover", result.sameAfterFailover(), SAME_HOTTEST);
        sheet.atLeast("tiers.heat.restart", result.sameAfterRestart(), SAME_HOTTEST);
    }

    /** Keeps all replicas in a tier, and promotes nothing to memory. */
    static String policy(StorageType type) {
        return "policy: idecider\nparameters: {threshold: 1000000000}\nrules:\n- path: /data/**\n  tiers: "
                + KillPoint.tier(type) + "\n";
    }

    private static ClusterSpec spec() {
        Map<String, String> all = settings();
        all.put("dfs.namenode.safemode.min.datanodes", Integer.toString(DATANODES));
        return ClusterSpec.of(DATANODES, MEMORY_BYTES).withReplication(1).withProperties(all);
    }

    private static Map<String, String> settings() {
        Map<String, String> all = new LinkedHashMap<>(TiersBenchmark.settings());
        // Some seconds for each round, so that a kill meets many moves.
        all.put("terrace.placement.volume.bandwidth", "10m");
        // A DataNode that serves little would have no limit, and a round would be over within a second.
        all.put("terrace.placement.idle.bandwidth", "0");
        all.put("terrace.placement.volume.moves.in-flight", "8");
        // What a crash leaves is found within seconds.
        all.put("dfs.datanode.directoryscan.interval", "3");
        return all;
    }

    private static DistributedFileSystem fileSystem(LocalCluster cluster) throws IOException {
        Configuration conf = cluster.confStock();
        conf.set(HdfsClientConfigKeys.Retry.POLICY_ENABLED_KEY, "true");
        return (DistributedFileSystem) FileSystem.newInstance(URI.create(cluster.fileSystemUri()), conf);
    }

    private static DataSet data(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<StoredFile> files = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            files.add(new StoredFile("/data/" + i, random.nextInt(LEAST_BYTES, MOST_BYTES), true));
        }
        return new DataSet(files, new SeededContent(seed));
    }

    private static void store(URI uri, Configuration conf, DataSet data) throws IOException {
        try (VerifyingClient writer = new VerifyingClient(FileSystem.newInstance(uri, conf), data)) {
            for (int file = 0; file < data.files().size(); file++) {
                writer.store(file);
            }
        }
    }
}
