package io.terrace.bench.versions;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.Daemon;
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
                for (Map.Entry<String, List<String>> way : ClientProcess.WAYS.entrySet()) {
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
        ClientProcess.Result result = new ClientProcess(dir.resolve("clients"), cluster, HOT)
                .run(client.version() + "-" + way, client.client(clientJars), settings);
        sheet.exactly(figure + ".wrong_bytes", result.read().wrongBytes(), 0);
        sheet.atLeast(figure + ".memory.share", result.memoryShare(), SHARE_LEAST);
        none(figure + ".unresolved", LogLines.unresolved(result.log()));
    }

    private void none(String figure, List<String> lines) {
        sheet.exactly(figure, lines.size(), 0);
        lines.stream().limit(3).forEach(sheet::progress);
    }
}
