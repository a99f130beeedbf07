package io.terrace.bench.apps;

import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.measure.RoundCosts;
import io.terrace.bench.read.BenchFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * MapReduce's own programs over YARN. They write ({@link MapReduceWrites}), and read input that is pinned in memory: TestDFSIO reads
 * it, TeraSort sorts it and TeraValidate checks what came out, with jobs that read stock HDFS and with jobs that read through
 * Terrace, in turns.
 */
public final class MapReduceApplication {
    /** What is measured. */
    public enum Part {
        WRITE,
        READ
    }

    private static final String INPUT = "/tera/input";

    /** Reports of reads may arrive so much later when a container ends. */
    private static final long REPORT_MS = 2_000;

    private final LocalCluster cluster;
    private final Path dir;
    private final ResultSheet scores;
    private final int megabytes;
    private final int rounds;

    /**
     * @param dir of configuration and logs; what an earlier run left there is removed
     * @param megabytes that are generated and sorted, and that TestDFSIO writes and reads
     * @param rounds in each of which every variant is measured once
     */
    public MapReduceApplication(LocalCluster cluster, Path dir, int megabytes, int rounds, ResultSheet scores) {
        this.cluster = cluster;
        this.dir = dir;
        this.megabytes = megabytes;
        this.rounds = rounds;
        this.scores = scores;
    }

    /**
     * Runs the parts that are asked for. Fails if a job's result differs from stock's, or if a job that should have read memory or
     * written over the channel did not.
     */
    public void run(Path root, Set<Part> parts) throws IOException {
        scores.section("MapReduce: resolving jars, starting YARN");
        LocalCluster.deleteTree(dir);
        try (Yarn yarn = new Yarn(cluster, dir, ApplicationJars.classPath("mapreduce", root));
                FileSystem fs = FileSystem.newInstance(cluster.confStock())) {
            MapReducePrograms programs = new MapReducePrograms(yarn, dir, megabytes);
            if (parts.contains(Part.WRITE)) {
                new MapReduceWrites(cluster, fs, programs, scores).run(rounds);
            }
            if (parts.contains(Part.READ)) {
                read(programs, fs);
            }
        }
    }

    private void read(MapReducePrograms programs, FileSystem fs) throws IOException {
        scores.section("Writing " + megabytes + " MB twice, to be read");
        RoundCosts sorting = new RoundCosts();
        RoundCosts reading = new RoundCosts();
        List<ClientVariant> order =
                new ArrayList<>(List.of(ClientVariant.stock(), ClientVariant.local(cluster), ClientVariant.remote()));
        programs.teraGen("teragen", ClientVariant.stock(), INPUT);
        programs.dfsio("dfsio-write", ClientVariant.stock(), "-write");
        BenchFiles files = new BenchFiles((DistributedFileSystem) fs, 0);
        long sortBytes = files.pinTree(new org.apache.hadoop.fs.Path(INPUT));
        long ioBytes = files.pinTree(new org.apache.hadoop.fs.Path("/benchmarks/TestDFSIO/io_data"));
        String sum = "";
        for (int round = 1; round <= rounds; round++) {
            for (ClientVariant variant : order) {
                scores.section("Reads, round " + round + " of " + rounds + ": " + variant.name());
                String name = round + "-" + variant.name();
                ServedBytes before = ServedBytes.of(cluster);
                double rate = MapReducePrograms.rate(programs.dfsio("dfsio-" + name, variant, "-read"));
                reading.add(variant, 1 / rate);
                require(variant, before, ioBytes);
                String output = "/tera/output-" + name;
                before = ServedBytes.of(cluster);
                long startNs = System.nanoTime();
                programs.teraSort("terasort-" + name, variant, INPUT, output);
                double seconds = (System.nanoTime() - startNs) / 1e9;
                sorting.add(variant, seconds);
                require(variant, before, sortBytes);
                scores.progress(
                        String.format(Locale.ROOT, "TestDFSIO read %.0f MB/s a task, TeraSort %.1f s", rate, seconds));
                String found = validate(programs, fs, name, variant, output);
                if (!sum.isEmpty() && !sum.equals(found)) {
                    throw new IOException(
                            "the sum of the rows sorted with " + variant.name() + " is " + found + ", and was " + sum);
                }
                sum = found;
            }
            order.add(order.remove(0));
        }
        scores.section("Reads of MapReduce over YARN, medians of " + rounds + " rounds");
        reading.note(scores, "mapreduce.dfsio.read_mb_s", 1, "MB/s a task");
        sorting.note(scores, "mapreduce.terasort_s", 0, "s");
        for (String ours : List.of(ClientVariant.LOCAL, ClientVariant.REMOTE)) {
            scores.atLeast("mapreduce.dfsio." + ours + ".tcp", reading.ratio(ClientVariant.STOCK, ours), 1);
            scores.atLeast("mapreduce.terasort." + ours + ".tcp", sorting.ratio(ClientVariant.STOCK, ours), 1);
        }
    }

    /** Validates what was sorted, and returns the sum of its rows. */
    private static String validate(
            MapReducePrograms programs, FileSystem fs, String name, ClientVariant variant, String output)
            throws IOException {
        String report = "/tera/report-" + name;
        programs.teraValidate("teravalidate-" + name, variant, output, report);
        try (InputStream in = fs.open(new org.apache.hadoop.fs.Path(report, "part-r-00000"))) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
            if (!text.startsWith("checksum") || text.lines().count() != 1) {
                throw new IOException("TeraValidate of " + output + " found: " + text);
            }
            return text;
        } finally {
            fs.delete(new org.apache.hadoop.fs.Path(output), true);
        }
    }

    private void require(ClientVariant variant, ServedBytes before, long inputBytes) throws IOException {
        JavaProcess.pause(REPORT_MS);
        ServedBytes read = ServedBytes.of(cluster).since(before);
        if (variant.ours() ? read.grantedBytes() < 0.9 * inputBytes : read.grantedBytes() > 0) {
            throw new IOException("with " + variant.name() + " " + read.grantedBytes() + " of " + inputBytes
                    + " bytes were read from memory through Terrace, " + read.stockBytes() + " by stock readers");
        }
    }
}
