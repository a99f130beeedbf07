package io.terrace.bench.versions;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.MavenJars;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A release of Hadoop as a class path.
 *
 * @param version such as 3.4.1
 * @param jars Hadoop's and those it brings
 */
record HadoopJars(String version, List<Path> jars) {

    HadoopJars {
        jars = List.copyOf(jars);
    }

    /** Fetches it by Maven when it is asked for the first time. */
    static HadoopJars fetch(Path root, String version) throws IOException {
        return new HadoopJars(
                version,
                MavenJars.of(root, "hadoop", "hadoop-" + version, List.of("-Dhadoop.version=" + version))
                        .resolve());
    }

    /** A daemon with Terrace's jars, before Hadoop's. The web pages of the daemons are in the benchmarks jar. */
    ClassPath daemon(List<Path> terrace) {
        List<Path> all = new ArrayList<>(terrace);
        all.add(ClassPath.benchmarks());
        all.addAll(jars);
        return new ClassPath(all);
    }

    /** A client with a client jar of Terrace; the benchmarks jar has {@link ReadingClient}. */
    ClassPath client(List<Path> terrace) {
        return daemon(terrace);
    }
}
