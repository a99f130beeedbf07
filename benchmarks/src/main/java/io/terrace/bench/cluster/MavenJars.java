package io.terrace.bench.cluster;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Jars that no build resolves: Maven fetches them when they are first needed, from a project file of their own in
 * {@code benchmarks/workloads}.
 *
 * @param name what they are, in messages
 * @param project the project file
 * @param list where the resolved class path is kept
 * @param options of Maven, such as the version of a dependency
 */
public record MavenJars(String name, Path project, Path list, List<String> options) {

    public MavenJars {
        options = List.copyOf(options);
    }

    /**
     * @param root of the checkout; what is resolved is kept below its target directories
     * @param project the directory of the project file in {@code benchmarks/workloads}
     * @param name tells lists of one project file apart
     */
    public static MavenJars of(Path root, String project, String name, List<String> options) {
        Path benchmarks = root.resolve("benchmarks");
        return new MavenJars(
                name,
                benchmarks.resolve("workloads").resolve(project).resolve("pom.xml"),
                benchmarks.resolve("target").resolve("workload-" + name + ".txt"),
                options);
    }

    /** The jars, fetched if they are not there. */
    public List<Path> resolve() throws IOException {
        boolean fresh = Files.exists(list)
                && Files.getLastModifiedTime(list).compareTo(Files.getLastModifiedTime(project)) > 0
                && listed().stream().allMatch(Files::exists);
        if (!fresh) {
            fetch();
        }
        return listed();
    }

    private List<Path> listed() throws IOException {
        return Stream.of(Files.readString(list).strip().split(File.pathSeparator, -1))
                .map(Path::of)
                .toList();
    }

    private void fetch() throws IOException {
        Path log = list.resolveSibling("workload-" + name + ".log");
        Files.createDirectories(log.toAbsolutePath().getParent());
        // Maven does not write the list again if it believes that the old one is current.
        Files.deleteIfExists(list);
        List<String> words = new ArrayList<>(List.of("mvn", "-B", "-q", "-N", "-f", project.toString()));
        words.addAll(options);
        words.addAll(List.of(
                "dependency:build-classpath",
                "-DincludeScope=runtime",
                "-Dmdep.pathSeparator=" + File.pathSeparator,
                "-Dmdep.outputFile=" + list));
        Process maven = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            if (maven.waitFor() != 0) {
                throw new ClusterException("Maven could not resolve the jars of " + name + ": see " + log);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            maven.destroy();
            throw new ClusterException("interrupted while Maven resolved the jars of " + name, e);
        }
    }
}
