package io.terrace.bench.upgrade;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.ClusterLayout;
import io.terrace.bench.cluster.HaCluster;
import io.terrace.bench.cluster.JavaProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;

/** What Terrace has left on the hosts and in the namespace: looked for here, removed by the operator's commands. */
final class Leftovers {
    private static final int COMMAND_SECONDS = 120;

    /** What stock has at the top of a volume. */
    private static final Set<String> OF_STOCK = Set.of("current", "in_use.lock");

    private final HaCluster cluster;
    private final Path kept;

    /** @param kept directory for the configurations that Terrace had */
    Leftovers(HaCluster cluster, Path kept) {
        this.cluster = cluster;
        this.kept = kept;
    }

    /** As the guide has it: the configuration is copied before it is changed. */
    void keepConfigurations() throws IOException {
        for (int i = 1; i <= cluster.spec().datanodes(); i++) {
            Path conf = Files.createDirectories(kept.resolve(ClusterLayout.datanode(i)));
            try (Stream<Path> files = Files.list(conf(i))) {
                for (Path file : files.toList()) {
                    Files.copy(file, conf.resolve(file.getFileName()));
                }
            }
        }
    }

    private Path conf(int datanode) {
        return cluster.layout().home(ClusterLayout.datanode(datanode)).resolve("conf");
    }

    /** {@code terrace-host remove} on each host, and {@code placementctl leftovers --remove}. */
    void remove() throws IOException {
        JavaProcess.Home home = new JavaProcess.Home(
                cluster.layout().logs(), ClassPath.ofThisProcess().text());
        for (int i = 1; i <= cluster.spec().datanodes(); i++) {
            String unused = home.run(
                    "remove-" + i,
                    kept.resolve(ClusterLayout.datanode(i)),
                    List.of(),
                    List.of(
                            "io.terrace.host.TerraceHost",
                            "remove",
                            "--unit",
                            "none",
                            "--user",
                            System.getProperty("user.name"),
                            "--conf",
                            kept.resolve(ClusterLayout.datanode(i)).toString()),
                    COMMAND_SECONDS);
        }
        String unused = home.run(
                "leftovers",
                cluster.layout().confStock(),
                List.of(),
                List.of(
                        "io.terrace.placementctl.PlacementCtl",
                        "leftovers",
                        "--remove",
                        "--conf",
                        cluster.layout().confStock().toString()),
                COMMAND_SECONDS);
    }

    /** Files in the memory tiers, sockets, and entries of volumes that are not stock's. */
    long files() throws IOException {
        long found = 0;
        try (Stream<Path> tree = Files.walk(cluster.layout().memory())) {
            found += tree.filter(path -> !Files.isDirectory(path)).count();
        }
        for (int i = 1; i <= cluster.spec().datanodes(); i++) {
            Path volume = cluster.layout().home(ClusterLayout.datanode(i)).resolve("data");
            try (Stream<Path> entries = Files.list(volume)) {
                found += entries.filter(
                                entry -> !OF_STOCK.contains(entry.getFileName().toString()))
                        .count();
            }
        }
        return found;
    }

    /** Extended attributes in the namespace. */
    long attributes() throws IOException {
        long found = 0;
        Deque<org.apache.hadoop.fs.Path> paths = new ArrayDeque<>(List.of(new org.apache.hadoop.fs.Path("/")));
        while (!paths.isEmpty()) {
            org.apache.hadoop.fs.Path path = paths.pop();
            found += cluster.fs().listXAttrs(path).stream()
                    .filter(name -> name.contains(".terrace."))
                    .count();
            if (cluster.fs().getFileStatus(path).isDirectory()) {
                for (FileStatus entry : cluster.fs().listStatus(path)) {
                    paths.push(entry.getPath());
                }
            }
        }
        return found;
    }
}
