package io.terrace.bench.upgrade;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.ClusterLayout;
import io.terrace.bench.cluster.HaCluster;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;

/** What Terrace has left on the hosts and in the namespace: looked for here, removed by the operator's commands. */
final class Leftovers {
    private static final int COMMAND_SECONDS = 120;

    /** What stock has at the top of a volume. */
    private static final Set<String> OF_STOCK = Set.of("current", "in_use.lock");

    private static final int NAMENODES = 2;
    private static final String JOURNAL = "journal";
    private static final String ACCESSES = "accesses";

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

    /**
     * {@code terrace-host remove} on each host, {@code placementctl leftovers --remove}, and beside the NameNodes what the guide
     * to remove Terrace names.
     */
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
        for (int i = 0; i < NAMENODES; i++) {
            LocalCluster.deleteTree(besideNameNode(i, JOURNAL).resolve("rocksdb"));
            LocalCluster.deleteTree(besideNameNode(i, ACCESSES).resolve("accesses"));
        }
    }

    private Path besideNameNode(int number, String configured) {
        return cluster.layout().home(cluster.namenode(number).name()).resolve(configured);
    }

    /** Files in the memory tiers, sockets, what volumes have that is not stock's, and files beside the NameNodes. */
    long files() throws IOException {
        long found = filesBelow(cluster.layout().memory());
        for (int i = 1; i <= cluster.spec().datanodes(); i++) {
            found += inVolume(cluster.layout().home(ClusterLayout.datanode(i)).resolve("data"));
        }
        for (int i = 0; i < NAMENODES; i++) {
            found += filesBelow(besideNameNode(i, JOURNAL)) + filesBelow(besideNameNode(i, ACCESSES));
        }
        return found;
    }

    /** Entries that are not stock's: others than it has at the top, and what is named after Terrace anywhere below. */
    static long inVolume(Path volume) throws IOException {
        Set<Path> found = new HashSet<>();
        try (Stream<Path> entries = Files.list(volume)) {
            entries.filter(entry -> !OF_STOCK.contains(entry.getFileName().toString()))
                    .forEach(found::add);
        }
        Files.walkFileTree(volume, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
                return dir.equals(volume) ? FileVisitResult.CONTINUE : visitFile(dir, attributes);
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (file.getFileName().toString().contains("terrace")) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                // Files of replicas come and go.
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }
        });
        return found.size();
    }

    /** None where there is no such directory. */
    static long filesBelow(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return 0;
        }
        try (Stream<Path> tree = Files.walk(directory)) {
            return tree.filter(path -> !Files.isDirectory(path)).count();
        }
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
