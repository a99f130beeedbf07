package io.terrace.bench.versions;

import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.Daemon;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.read.BenchFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/** Daemons with which Terrace must run: a file is pinned in memory, and clients of several releases read it. */
final class SupportedCluster {
    private static final KnownFile HOT = new KnownFile("/hot", 1, 24 << 20);
    private static final double SHARE_LEAST = 0.9;
    private static final int LIMIT_SECONDS = 60;

    /** How a client is told to use Terrace, by the name in figures: settings over those of the cluster's clients. */
    private static final Map<String, List<String>> WAYS =
            Map.of("accessor", List.of(), "filesystem", List.of("fs.hdfs.impl=io.terrace.fs.TerraceFileSystem"));

    private final Daemons daemons;
    private final Path dir;
    private final List<Path> clientJars;
    private final ResultSheet sheet;
    private final String name;

    /**
     * @param name in figures
     * @param dir for the cluster and the output of the clients
     * @param clientJars of Terrace
     */
    SupportedCluster(String name, Daemons daemons, Path dir, List<Path> clientJars, ResultSheet sheet) {
        this.daemons = daemons;
        this.dir = dir;
        this.sheet = sheet;
        this.clientJars = clientJars;
        this.name = "versions." + name;
    }

    void run(List<HadoopJars> clients) throws IOException {
        sheet.section("Daemons " + daemons.name() + ", " + name);
        ClusterSpec spec = ClusterSpec.of(1, 128 << 20).withBlockBytes(8 << 20);
        try (TemporaryCluster temporary = TemporaryCluster.up(dir.resolve("cluster"), spec, daemons)) {
            LocalCluster cluster = temporary.cluster();
            try (DistributedFileSystem fs = (DistributedFileSystem)
                    FileSystem.newInstance(URI.create(cluster.fileSystemUri()), cluster.confStock())) {
                HOT.write(fs);
                new BenchFiles(fs, 1).pin(List.of(new org.apache.hadoop.fs.Path(HOT.path())));
            }
            for (HadoopJars client : clients) {
                for (Map.Entry<String, List<String>> way : WAYS.entrySet()) {
                    read(cluster, client, way.getKey(), way.getValue());
                }
            }
            List<String> unresolved = new ArrayList<>();
            for (Daemon daemon : cluster.daemons()) {
                unresolved.addAll(LogLines.unresolved(LogLines.of(daemon)));
            }
            none(name + ".unresolved", unresolved);
        }
    }

    private void read(LocalCluster cluster, HadoopJars client, String way, List<String> settings) throws IOException {
        String figure = name + ".client" + client.version() + "." + way;
        List<String> words = new ArrayList<>(List.of(
                ReadingClient.class.getName(),
                HOT.path(),
                Integer.toString(HOT.number()),
                Long.toString(HOT.lengthBytes()),
                "/of-" + client.version() + "-" + way));
        words.addAll(settings);
        String output = new JavaProcess.Home(
                        dir.resolve("clients"), client.client(clientJars).text())
                .run(client.version() + "-" + way, cluster.layout().conf(), List.of("-Xmx256m"), words, LIMIT_SECONDS);
        List<String> lines = output.lines().toList();
        String[] numbers = lines.stream()
                .filter(line -> line.startsWith(ReadingClient.RESULT))
                .findFirst()
                .orElseThrow(() -> new ClusterException("the client printed no result:\n" + output))
                .substring(ReadingClient.RESULT.length())
                .split(" ", -1);
        sheet.exactly(figure + ".wrong_bytes", Double.parseDouble(numbers[2]), 0);
        sheet.atLeast(
                figure + ".memory.share", Double.parseDouble(numbers[1]) / Double.parseDouble(numbers[0]), SHARE_LEAST);
        none(figure + ".unresolved", LogLines.unresolved(lines));
    }

    private void none(String figure, List<String> lines) {
        sheet.exactly(figure, lines.size(), 0);
        lines.stream().limit(3).forEach(sheet::progress);
    }
}
