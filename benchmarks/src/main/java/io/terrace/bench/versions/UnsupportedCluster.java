package io.terrace.bench.versions;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.Daemon;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.measure.ResultSheet;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;

/** Daemons that Terrace does not fit, configured for it: they must serve as stock HDFS and say so once. */
final class UnsupportedCluster {
    private static final KnownFile FILE = new KnownFile("/file", 1, 8 << 20);

    /** By then what is said again and again would have been. */
    private static final long SETTLED_MS = TimeUnit.MINUTES.toMillis(1);

    private final String name;
    private final Daemons daemons;
    private final Path dir;
    private final @Nullable ClassPath clientJars;
    private final ResultSheet sheet;

    /**
     * @param name in figures
     * @param dir for the cluster and the output of the clients
     * @param clientJars of clients that Terrace does not fit either; null for none
     */
    UnsupportedCluster(String name, Daemons daemons, Path dir, @Nullable ClassPath clientJars, ResultSheet sheet) {
        this.name = "versions." + name;
        this.daemons = daemons;
        this.dir = dir;
        this.clientJars = clientJars;
        this.sheet = sheet;
    }

    void run() throws IOException {
        sheet.section("Daemons " + daemons.name() + ", which Terrace does not fit");
        Path memory = dir.resolve("memory");
        // Not ClusterSpec's Terrace: that waits until it serves.
        ClusterSpec spec = ClusterSpec.of(1, 0)
                .withBlockBytes(4 << 20)
                .withTerrace(false)
                .withProperties(Map.of(
                        "dfs.namenode.plugins",
                        "io.terrace.placement.hdfs.TerraceNameNodePlugin",
                        "dfs.datanode.plugins",
                        "io.terrace.datanode.hdfs.TerraceDataNodePlugin",
                        "dfs.datanode.fsdataset.factory",
                        "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.TerraceDatasetFactory",
                        "terrace.datanode.memory.dir",
                        memory.toString(),
                        "terrace.channel.dir",
                        dir.resolve("channel").toString()));
        try (TemporaryCluster temporary = TemporaryCluster.up(dir.resolve("cluster"), spec, daemons)) {
            LocalCluster cluster = temporary.cluster();
            try (FileSystem fs = FileSystem.newInstance(URI.create(cluster.fileSystemUri()), cluster.confStock())) {
                FILE.write(fs);
                JavaProcess.pause(SETTLED_MS);
                sheet.exactly(name + ".wrong_bytes", FILE.read(fs).wrongBytes(), 0);
            }
            int stock = 0;
            int errors = 0;
            for (Daemon daemon : cluster.daemons()) {
                List<String> log = LogLines.of(daemon);
                List<String> said = LogLines.errors(log);
                stock += LogLines.saysOff(log) && daemon.process().isPresent() ? 1 : 0;
                errors = Math.max(errors, said.size());
                said.stream().limit(3).forEach(sheet::progress);
            }
            sheet.exactly(name + ".stock", stock == cluster.daemons().size() ? 1 : 0, 1);
            sheet.exactly(name + ".errors", errors, 1);
            if (clientJars != null) {
                read(cluster, clientJars);
            }
        }
    }

    /** Clients that have such jars too. */
    private void read(LocalCluster cluster, ClassPath jars) throws IOException {
        for (Map.Entry<String, List<String>> way : ClientProcess.WAYS.entrySet()) {
            String figure = name + ".client." + way.getKey();
            List<String> settings = new ArrayList<>(way.getValue());
            settings.add("terrace.channel.dir=" + dir.resolve("channel"));
            ClientProcess.Result result =
                    new ClientProcess(dir.resolve("clients"), cluster, FILE).run(way.getKey(), jars, settings);
            sheet.exactly(figure + ".wrong_bytes", result.read().wrongBytes(), 0);
            sheet.exactly(figure + ".stock", LogLines.saysOff(result.log()) && result.memoryShare() == 0 ? 1 : 0, 1);
            sheet.exactly(figure + ".errors", LogLines.errors(result.log()).size(), 1);
        }
    }
}
