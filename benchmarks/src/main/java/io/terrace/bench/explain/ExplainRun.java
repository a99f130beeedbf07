package io.terrace.bench.explain;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.guides.Shell;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.measure.TestRun;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bin/terrace test explain}. */
@Command(
        name = "explain",
        mixinStandardHelpOptions = true,
        description = {
            "Brings blocks of a live cluster into one state after another, and compares what placementctl explain says of them.",
            "First, placementctl promote --wait puts files into memory that is full of what is read more: the copy must be"
                    + " there at the end, and the exit code 0, each time."
        })
public final class ExplainRun implements Callable<Integer> {
    private static final int DATANODES = 2;
    private static final int MEMORY_MB = 32;
    private static final int FILES = 80;

    /** So that a promotion can be seen to wait. */
    private static final Map<String, String> SLOW = Map.of(
            "terrace.placement.move.bandwidth", "1m",
            // The rate holds for DataNodes that serve nothing as well.
            "terrace.placement.idle.bandwidth", "0");

    @Option(names = "--promotions", paramLabel = "N", description = "into full memory (${DEFAULT-VALUE})")
    private int promotions = 10;

    @Mixin
    private TestRun testRun = new TestRun();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (promotions < 1 || promotions > MEMORY_MB) {
            throw testRun.usage("--promotions is 1 to " + MEMORY_MB + ": each is held in memory for ten minutes");
        }
        return testRun.run("explain", this::run);
    }

    private void run(Path dir, ResultSheet sheet) throws IOException, InterruptedException {
        ClusterSpec spec = ClusterSpec.of(DATANODES, (long) MEMORY_MB << 20)
                .withBlockBytes(ReadFiles.BYTES)
                .withProperties(SLOW);
        try (TemporaryCluster temporary = TemporaryCluster.up(dir.resolve("cluster"), spec)) {
            LocalCluster cluster = temporary.cluster();
            Shell shell = Shell.ofPlacementctl(dir, cluster);
            Explained explained = new Explained(shell, sheet);
            try (DistributedFileSystem fs = (DistributedFileSystem)
                            FileSystem.newInstance(URI.create(cluster.fileSystemUri()), cluster.conf());
                    ReadFiles files = new ReadFiles(fs, FILES)) {
                sheet.section("Promotions into full memory");
                promote(files, shell, explained, sheet);
                sheet.section("States of blocks");
                new BlockStates(cluster, fs, files, shell, explained).goThrough(dir);
            }
            explained.figures();
        }
    }

    /** Files that are read least, while the others are read, so that the policy would not have them there. */
    private void promote(ReadFiles files, Shell shell, Explained explained, ResultSheet sheet)
            throws IOException, InterruptedException {
        files.readUntil(() -> full(shell));
        List<String> out = new ArrayList<>();
        List<String> all = files.coldestFirst();
        for (int i = 0; i < all.size() && out.size() < promotions; i++) {
            if (!explained.isInMemory(all.get(i))) {
                out.add(all.get(i));
            }
        }
        int done = 0;
        for (String file : out) {
            boolean said = shell.with("TARGET", file).run("placementctl promote --wait \"$TARGET\"");
            boolean there = explained.isInMemory(file);
            done += said && there ? 1 : 0;
            if (!said || !there) {
                sheet.progress(file + ": exit code " + (said ? "0" : "not 0") + ", " + explained.text(file));
            }
        }
        sheet.exactly("promote.full.tries", out.size(), promotions);
        sheet.exactly("promote.full", (double) done / promotions, 1);
        int stayed = 0;
        for (String file : out) {
            stayed += explained.isInMemory(file) ? 1 : 0;
        }
        sheet.exactly("promote.full.stayed", (double) stayed / promotions, 1);
    }

    /** Whether no memory has room for one more block. */
    private static boolean full(Shell shell) throws IOException {
        try {
            return ReadFiles.isFull(shell.output("placementctl --json tiers"));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
