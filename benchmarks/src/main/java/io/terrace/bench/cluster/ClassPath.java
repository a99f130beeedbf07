package io.terrace.bench.cluster;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The jars that a build resolved.
 *
 * @param entries absolute jars and directories in their order
 */
public record ClassPath(List<Path> entries) {
    /** Jars that Hadoop does not bring and the plugins need, by the start of their names. */
    private static final Set<String> PLUGIN_JARS = Set.of(
            "policies-",
            "rdma-channel-",
            "datanode-tiers-",
            "placement-service-",
            "micrometer-",
            "prometheus-metrics-",
            "caffeine-",
            "rocksdbjni-",
            "snakeyaml-",
            "picocli-",
            "fastutil-core-",
            "progressbar-",
            "xchart-");

    /** Jars that only the benchmarks need, not Hadoop processes. */
    private static final Set<String> BENCHMARK_JARS = Set.of("benchmarks-", "jmh-core-", "jopt-simple-");

    public ClassPath {
        entries = List.copyOf(entries);
    }

    /** The class path of this JVM. */
    public static ClassPath ofThisProcess() {
        return of(System.getProperty("java.class.path"));
    }

    /** A class path in the form of {@code java -cp}; relative paths are relative to this process's directory. */
    public static ClassPath of(String text) {
        return new ClassPath(Arrays.stream(text.strip().split(File.pathSeparator))
                .filter(entry -> !entry.isEmpty())
                .map(entry -> Path.of(entry).toAbsolutePath().normalize())
                .toList());
    }

    /** The only jar of Terrace that clients need. */
    public static Path client() {
        return ofThisProcess().entries().stream()
                .filter(entry -> isOneOf(entry, Set.of("rdma-channel-")))
                .findFirst()
                .orElseThrow();
    }

    /** The jar of the benchmarks, which has the web pages of the daemons. */
    public static Path benchmarks() {
        return ofThisProcess().entries().stream()
                .filter(entry -> isOneOf(entry, Set.of("benchmarks-")))
                .findFirst()
                .orElseThrow();
    }

    /**
     * The class path of a Hadoop client: Hadoop, its libraries and Terrace. The daemons take the whole class path,
     * because their web pages are in the benchmarks jar.
     */
    public ClassPath hadoop() {
        return new ClassPath(entries.stream()
                .filter(entry -> !isOneOf(entry, BENCHMARK_JARS))
                .toList());
    }

    /** The jars to add to the class path of an installed Hadoop. */
    public ClassPath plugins() {
        return new ClassPath(
                entries.stream().filter(entry -> isOneOf(entry, PLUGIN_JARS)).toList());
    }

    ClassPath without(ClassPath others) {
        return new ClassPath(entries.stream()
                .filter(entry -> !others.entries().contains(entry))
                .toList());
    }

    ClassPath with(ClassPath others) {
        return new ClassPath(
                Stream.concat(entries.stream(), others.entries().stream()).toList());
    }

    /**
     * The class path of another source tree, as its build left it.
     *
     * @throws ClusterException if it was not built
     */
    public static ClassPath ofTree(Path tree) throws IOException {
        Path file = tree.resolve("benchmarks/target/classpath.txt");
        if (!Files.isReadable(file)) {
            throw new ClusterException(
                    file + " cannot be read: run 'mvn -B -DskipTests package' in " + tree + " first");
        }
        ClassPath classPath = of(Files.readString(file));
        for (Path entry : classPath.entries()) {
            if (!Files.exists(entry)) {
                throw new ClusterException(
                        file + " names " + entry + ", which does not exist: build " + tree + " again");
            }
        }
        return classPath;
    }

    /** In the form of {@code java -cp}. */
    public String text() {
        return entries.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    /** True when the entry's name begins with one of the prefixes followed by a version. */
    private static boolean isOneOf(Path entry, Set<String> prefixes) {
        String name = String.valueOf(entry.getFileName());
        return prefixes.stream().anyMatch(name::startsWith);
    }
}
