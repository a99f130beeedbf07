package io.terrace.bench.apps;

import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.measure.RoundCosts;
import io.terrace.bench.read.BenchFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * A Spark program that reads and sorts lines that are pinned in memory, with stock HDFS and through Terrace in turns; each
 * run a Spark of its own in one JVM ({@code local[2]}). The program is benchmarks/workloads/spark/SparkSort.java.
 */
public final class SparkApplication {
    /** The prefix that Spark gives a host with the bytes in memory. */
    private static final String IN_MEMORY = "hdfs_cache_";

    private static final String INPUT = "/spark/input";
    private static final int ROW_BYTES = 97;
    private static final int FILES = 4;
    private static final int LIMIT_SECONDS = 900;

    /** Reports of reads may arrive so much later when a process ends. */
    private static final long REPORT_MS = 2_000;

    /** What Spark's own launcher adds on JDK 17 and later, as far as this program needs it. */
    private static final List<String> OPENED =
            List.of("java.lang", "java.lang.invoke", "java.io", "java.net", "java.nio", "java.util", "sun.nio.ch");

    private final LocalCluster cluster;
    private final Path dir;
    private final ResultSheet scores;
    private final long rows;
    private final int rounds;

    /**
     * @param dir of configuration and logs; what an earlier run left there is removed
     * @param megabytes that are read and sorted
     * @param rounds in each of which every variant is measured once
     */
    public SparkApplication(LocalCluster cluster, Path dir, int megabytes, int rounds, ResultSheet scores) {
        this.cluster = cluster;
        this.dir = dir;
        this.scores = scores;
        this.rows = megabytes * 1_000_000L / ROW_BYTES;
        this.rounds = rounds;
    }

    /** Runs everything. Fails if a result differs from stock's, or if a run that should have read memory did not. */
    public void run(Path root) throws IOException {
        scores.section("Spark: resolving jars, writing " + rows + " rows");
        LocalCluster.deleteTree(dir);
        JavaProcess.Home home = new JavaProcess.Home(dir.resolve("logs"), ApplicationJars.classPath("spark", root));
        String program =
                root.resolve("benchmarks/workloads/spark/SparkSort.java").toString();
        spark(
                home,
                program,
                "generate",
                ClientVariant.stock(),
                "generate",
                INPUT,
                Long.toString(rows),
                Integer.toString(FILES));
        long bytes;
        try (FileSystem fs = FileSystem.newInstance(cluster.confStock())) {
            bytes = new BenchFiles((DistributedFileSystem) fs, 0).pinTree(new org.apache.hadoop.fs.Path(INPUT));
        }
        RoundCosts reading = new RoundCosts();
        RoundCosts sorting = new RoundCosts();
        List<ClientVariant> order =
                new ArrayList<>(List.of(ClientVariant.stock(), ClientVariant.local(cluster), ClientVariant.remote()));
        String sum = "";
        for (int round = 1; round <= rounds; round++) {
            for (ClientVariant variant : order) {
                scores.section("Round " + round + " of " + rounds + ": " + variant.name());
                String name = "sort-" + round + "-" + variant.name();
                ServedBytes before = ServedBytes.of(cluster);
                Map<String, String> results =
                        results(spark(home, program, name, variant, "sort", INPUT, "/spark/" + name));
                reading.add(variant, Double.parseDouble(results.get("read.seconds")));
                sorting.add(variant, Double.parseDouble(results.get("sort.seconds")));
                scores.progress(String.format(
                        Locale.ROOT,
                        "read %s s, sorted %s s",
                        results.get("read.seconds"),
                        results.get("sort.seconds")));
                requireFromMemory(variant, before, bytes);
                requirePreferred(results);
                sum = requireSame(variant, results, sum);
            }
            order.add(order.remove(0));
        }
        scores.section("Spark, medians of " + rounds + " rounds");
        reading.note(scores, "spark.read_s", 0, "s");
        sorting.note(scores, "spark.sort_s", 0, "s");
        for (String ours : List.of(ClientVariant.LOCAL, ClientVariant.REMOTE)) {
            scores.atLeast("spark.read." + ours + ".tcp", reading.ratio(ClientVariant.STOCK, ours), 1);
            scores.atLeast("spark.sort." + ours + ".tcp", sorting.ratio(ClientVariant.STOCK, ours), 1);
        }
    }

    private String spark(JavaProcess.Home home, String program, String name, ClientVariant variant, String... words)
            throws IOException {
        Path conf = ApplicationConf.write(dir.resolve("conf-" + variant.name()), cluster, variant, Map.of());
        return home.run(
                name,
                conf,
                options(dir.resolve("spill")),
                Stream.concat(Stream.of(program), Stream.of(words)).toList(),
                LIMIT_SECONDS);
    }

    /** Options of a JVM that is a Spark of its own. */
    static List<String> options(Path spill) {
        List<String> options =
                new ArrayList<>(List.of("-Xmx1g", "-Dspark.master=local[2]", "-Dspark.ui.enabled=false"));
        options.add("-Dspark.driver.bindAddress=127.0.0.1");
        options.add("-Dspark.driver.host=127.0.0.1");
        options.add("-Dspark.local.dir=" + spill);
        // A task that fails because of Terrace must not be hidden by a second attempt that succeeds.
        options.add("-Dspark.task.maxFailures=1");
        OPENED.forEach(opened -> options.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED"));
        return options;
    }

    /** The lines {@code key: value} of the output are the program's; others are Spark's. */
    static Map<String, String> results(String output) {
        Map<String, String> results = new HashMap<>();
        for (String key : List.of("preferred", "read.sum", "read.seconds", "sort.sum", "sort.seconds")) {
            output.lines()
                    .filter(line -> line.startsWith(key + ": "))
                    .forEach(line -> results.put(key, line.substring(key.length() + 2)));
        }
        return results;
    }

    /** Spark must know which hosts have blocks in memory, so that it runs tasks there. */
    private void requirePreferred(Map<String, String> results) throws IOException {
        scores.progress("preferred locations: " + results.get("preferred"));
        if (!results.getOrDefault("preferred", "").contains(IN_MEMORY)) {
            throw new IOException(
                    "Spark prefers " + results.get("preferred") + ", not the hosts with blocks in memory");
        }
    }

    /** Input and output must be the same as in the previous run. */
    private static String requireSame(ClientVariant variant, Map<String, String> results, String sum)
            throws IOException {
        String read = results.getOrDefault("read.sum", "");
        boolean same = !read.isEmpty() && read.equals(results.get("sort.sum")) && (sum.isEmpty() || sum.equals(read));
        if (!same) {
            throw new IOException("with " + variant.name() + " the sums are " + results + ", and was " + sum);
        }
        return read;
    }

    /** The input is read twice. */
    private void requireFromMemory(ClientVariant variant, ServedBytes before, long inputBytes) throws IOException {
        JavaProcess.pause(REPORT_MS);
        ServedBytes read = ServedBytes.of(cluster).since(before);
        if (variant.ours() ? read.grantedBytes() < 1.8 * inputBytes : read.grantedBytes() > 0) {
            throw new IOException("with " + variant.name() + " " + read.grantedBytes() + " of " + 2 * inputBytes
                    + " bytes were read from memory through Terrace, " + read.stockBytes() + " by stock readers");
        }
    }
}
