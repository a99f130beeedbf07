package io.terrace.bench.apps;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.ClusterException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The jars of a workload, which no build resolves: Maven fetches them when it is first run, from a project file of its own
 * in {@code benchmarks/workloads}.
 *
 * @param name of the workload and its directory
 * @param projects the directory of the workloads' project files
 * @param list where the resolved class path is kept
 */
record ApplicationJars(String name, Path projects, Path list) {
    /** @param root of the checkout; what is resolved is kept below its target directories */
    static ApplicationJars of(String name, Path root) {
        Path benchmarks = root.resolve("benchmarks");
        return new ApplicationJars(
                name,
                benchmarks.resolve("workloads"),
                benchmarks.resolve("target").resolve("workload-" + name + ".txt"));
    }

    /**
     * The workload's jars and Terrace's client jar, in the form of {@code java -cp}, as on a site that added our jar to
     * its class paths.
     */
    String classPath() throws IOException {
        Path project = projects.resolve(name).resolve("pom.xml");
        boolean fresh = Files.exists(list)
                && Files.getLastModifiedTime(list).compareTo(Files.getLastModifiedTime(project)) > 0
                && Stream.of(resolved()).allMatch(jar -> Files.exists(Path.of(jar)));
        if (!fresh) {
            resolve(project);
        }
        return client() + File.pathSeparator + String.join(File.pathSeparator, resolved());
    }

    /** The only Terrace jar that clients need. */
    static String client() {
        return ClassPath.ofThisProcess().entries().stream()
                .filter(entry -> String.valueOf(entry.getFileName()).startsWith("rdma-channel-"))
                .findFirst()
                .orElseThrow()
                .toString();
    }

    private String[] resolved() throws IOException {
        return Files.readString(list).strip().split(File.pathSeparator, -1);
    }

    private void resolve(Path project) throws IOException {
        Path log = list.resolveSibling("workload-" + name + ".log");
        Files.createDirectories(projects.resolveSibling("target"));
        // Maven does not write the list again if it believes that the old one is current.
        Files.deleteIfExists(list);
        Process maven = new ProcessBuilder(List.of(
                        "mvn",
                        "-B",
                        "-q",
                        "-N",
                        "-f",
                        project.toString(),
                        "dependency:build-classpath",
                        "-DincludeScope=runtime",
                        "-Dmdep.pathSeparator=" + File.pathSeparator,
                        "-Dmdep.outputFile=" + list))
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
