package io.terrace.bench.compare;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.ClusterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The class path of another build. Its directory is the root of a checkout that was built, which brings the libraries that it
 * resolved, or a directory with the Terrace jars alone, which run with the libraries of this build.
 */
public final class BuildClassPath {
    /** The benchmarks first: that jar brings the daemons' web pages and must not be hidden by Hadoop's. */
    private static final List<String> MODULES =
            List.of("benchmarks", "policies", "rdma-channel", "datanode-tiers", "placement-service");

    private static final String BUILD = "run 'mvn -B -DskipTests package' there";

    private BuildClassPath() {}

    /**
     * Finds the jars of a build.
     *
     * @param dir root of a checkout, or a directory of jars
     * @param own class path of this build
     */
    public static ClassPath in(Path dir, ClassPath own) throws IOException {
        if (!Files.isDirectory(dir)) {
            throw new ClusterException(
                    dir + " is no directory: name the checkout of a build, or a directory with its jars");
        }
        boolean checkout = Files.isDirectory(dir.resolve("benchmarks"));
        List<Path> entries = new ArrayList<>();
        for (String module : MODULES) {
            entries.add(
                    checkout ? jar(dir.resolve(module).resolve("target"), module, BUILD) : jar(dir, module, "add it"));
        }
        for (Path library : (checkout ? resolved(dir) : own).entries()) {
            if (MODULES.stream().noneMatch(module -> isJarOf(module, library))) {
                entries.add(library);
            }
        }
        return new ClassPath(entries);
    }

    private static ClassPath resolved(Path checkout) throws IOException {
        Path file = checkout.resolve("benchmarks").resolve("target").resolve("classpath.txt");
        if (!Files.exists(file)) {
            throw new ClusterException(file + " is missing: " + BUILD);
        }
        ClassPath all = ClassPath.of(Files.readString(file));
        for (Path entry : all.entries()) {
            // Take the Terrace jars from the checkout itself, which may have moved since the build.
            if (!Files.exists(entry) && MODULES.stream().noneMatch(module -> isJarOf(module, entry))) {
                throw new ClusterException(entry + ", of " + file + ", is missing: " + BUILD);
            }
        }
        return all;
    }

    private static Path jar(Path dir, String module, String remedy) throws IOException {
        List<Path> found = List.of();
        if (Files.isDirectory(dir)) {
            try (Stream<Path> all = Files.list(dir)) {
                found = all.filter(file -> isJarOf(module, file)).sorted().toList();
            }
        }
        if (found.size() != 1) {
            throw new ClusterException(
                    found.isEmpty()
                            ? dir + " holds no " + module + "-VERSION.jar: " + remedy
                            : dir + " holds more than one jar of " + module + ", leave one: " + found);
        }
        return found.get(0).toAbsolutePath().normalize();
    }

    /** Whether it is the main jar of a module: its name, a version, and no tests, sources or javadoc. */
    private static boolean isJarOf(String module, Path file) {
        String name = String.valueOf(file.getFileName());
        return name.matches(module + "-\\d.*\\.jar") && !name.matches(".*-(tests|sources|javadoc)\\.jar");
    }
}
