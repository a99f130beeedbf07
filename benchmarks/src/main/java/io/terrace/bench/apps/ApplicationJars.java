package io.terrace.bench.apps;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.MavenJars;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The class path of a workload's processes. */
public final class ApplicationJars {
    private ApplicationJars() {}

    /**
     * The workload's jars and Terrace's client jar, in the form of {@code java -cp}, as on a site that added our jar to
     * its class paths.
     *
     * @param name of the workload and its directory in {@code benchmarks/workloads}
     * @param root of the checkout
     */
    public static String classPath(String name, Path root) throws IOException {
        List<Path> jars = new ArrayList<>(List.of(ClassPath.client()));
        jars.addAll(stock(name, root));
        return new ClassPath(jars).text();
    }

    /** The workload's jars alone. */
    public static List<Path> stock(String name, Path root) throws IOException {
        return MavenJars.of(root, name, name, List.of()).resolve();
    }
}
