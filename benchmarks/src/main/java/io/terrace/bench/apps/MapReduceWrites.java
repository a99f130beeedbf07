package io.terrace.bench.apps;

import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.MetricsPage;
import io.terrace.bench.measure.ClientVariant;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.measure.RoundCosts;
import io.terrace.conf.TerraceSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * TestDFSIO and TeraGen write, with jobs that write by stock HDFS and with jobs that write over the channel, in turns. The rows
 * of TeraGen must have the same checksums, whoever wrote them.
 */
final class MapReduceWrites {
    private static final String WRITTEN = "terrace_data_node_channel_write_bytes_total";

    private final LocalCluster cluster;
    private final FileSystem fs;
    private final MapReducePrograms programs;
    private final ResultSheet scores;
    private final RoundCosts writing = new RoundCosts();
    private final RoundCosts generating = new RoundCosts();
    private String sums = "";

    /** @param fs a client of stock HDFS */
    MapReduceWrites(LocalCluster cluster, FileSystem fs, MapReducePrograms programs, ResultSheet scores) {
        this.cluster = cluster;
        this.fs = fs;
        this.programs = programs;
        this.scores = scores;
    }

    /** Fails where what was written differs, or did not take the way that it should. */
    void run(int rounds) throws IOException {
        List<ClientVariant> order = new ArrayList<>(List.of(
                writer(ClientVariant.stock(), Map.of()),
                writer(ClientVariant.local(cluster), Map.of(TerraceSettings.CLIENT_WRITE_ENABLED.key(), "true")),
                writer(ClientVariant.remote(), Map.of(TerraceSettings.CLIENT_WRITE_ENABLED.key(), "true"))));
        for (int round = 1; round <= rounds; round++) {
            for (ClientVariant variant : order) {
                scores.section("Writes, round " + round + " of " + rounds + ": " + variant.name());
                round(round, variant);
            }
            order.add(order.remove(0));
        }
        scores.section("Writes of MapReduce over YARN, medians of " + rounds + " rounds");
        writing.note(scores, "mapreduce.dfsio.write_mb_s", 1, "MB/s a task");
        generating.note(scores, "mapreduce.teragen_s", 0, "s");
        for (String ours : List.of(ClientVariant.LOCAL, ClientVariant.REMOTE)) {
            scores.atLeast("mapreduce.dfsio.write." + ours, writing.ratio(ClientVariant.STOCK, ours), 1.3);
            scores.atLeast("mapreduce.teragen." + ours, generating.ratio(ClientVariant.STOCK, ours), 1.1);
        }
    }

    /** With its own directory, where TestDFSIO puts its files. */
    private static ClientVariant writer(ClientVariant variant, Map<String, String> more) {
        return variant.with(variant.name(), Map.of("test.build.data", "/dfsio-" + variant.name()))
                .with(variant.name(), more);
    }

    private void round(int round, ClientVariant variant) throws IOException {
        String name = round + "-" + variant.name();
        long before = overTheChannel();
        double rate = MapReducePrograms.rate(programs.dfsio("dfsio-write-" + name, variant, "-write"));
        writing.add(variant, 1 / rate);
        Path rows = new Path("/teragen-" + name);
        long startNs = System.nanoTime();
        programs.teraGen("teragen-" + name, variant, rows.toString());
        double seconds = (System.nanoTime() - startNs) / 1e9;
        generating.add(variant, seconds);
        require(variant, overTheChannel() - before);
        scores.progress(
                String.format(Locale.ROOT, "TestDFSIO wrote %.0f MB/s a task, TeraGen took %.1f s", rate, seconds));
        requireSame(variant, rows);
        fs.delete(rows, true);
        fs.delete(new Path("/dfsio-" + variant.name()), true);
    }

    private long overTheChannel() throws IOException {
        long bytes = 0;
        for (var ports : cluster.ports().datanodes()) {
            bytes += new MetricsPage(ports.http()).value(WRITTEN);
        }
        return bytes;
    }

    private void require(ClientVariant variant, long bytes) throws IOException {
        long written = 2 * programs.bytes();
        if (variant.ours() ? bytes < 0.9 * written : bytes > 0) {
            throw new IOException(
                    "with " + variant.name() + " " + bytes + " of " + written + " bytes were written over the channel");
        }
    }

    private void requireSame(ClientVariant variant, Path rows) throws IOException {
        StringBuilder found = new StringBuilder();
        FileStatus[] parts = fs.globStatus(new Path(rows, "part-*"));
        Arrays.sort(parts);
        for (FileStatus part : parts) {
            found.append(part.getLen())
                    .append(' ')
                    .append(fs.getFileChecksum(part.getPath()))
                    .append('\n');
        }
        if (sums.isEmpty()) {
            sums = found.toString();
        }
        if (found.length() == 0 || !sums.contentEquals(found)) {
            throw new IOException("TeraGen with " + variant.name() + " wrote\n" + found + "and before\n" + sums);
        }
    }
}
