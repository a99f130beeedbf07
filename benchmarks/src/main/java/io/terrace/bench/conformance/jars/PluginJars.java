package io.terrace.bench.conformance.jars;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Our jars as an operator would add them: the three parts, the policies, and those of their libraries that Hadoop does
 * not bring itself.
 *
 * <p>They are copied into the run's directory first, so that a build that goes on meanwhile cannot change a test JVM's
 * jars under it.
 */
public final class PluginJars {
    /** A jar's name without its version: {@code jna-5.2.0.jar} is {@code jna}. */
    private static final Pattern VERSIONED = Pattern.compile("(.+?)-\\d.*\\.jar");

    /** Artifacts of the runner itself, which no Hadoop daemon has on its class path. */
    private static final Set<String> RUNNER_ONLY = Set.of(
            "benchmarks", "picocli", "progressbar", "HdrHistogram", "jmh-core", "jopt-simple", "jspecify", "xchart");

    private PluginJars() {}

    /**
     * Copies our jars and libraries.
     *
     * @param ownClassPath the class path of the runner
     * @param hadoopJars Hadoop's test class path; what is there by artifact name is left out
     * @param target a directory that exists
     */
    public static void copy(List<Path> ownClassPath, List<Path> hadoopJars, Path target) throws IOException {
        Set<String> present = new HashSet<>(RUNNER_ONLY);
        hadoopJars.forEach(jar -> present.add(artifact(jar)));
        for (Path entry : ownClassPath) {
            if (!Files.exists(entry) || !present.add(artifact(entry))) {
                continue;
            }
            Path copy = target.resolve(artifact(entry) + (Files.isDirectory(entry) ? "" : ".jar"));
            Snapshot.copyTree(entry, copy);
        }
    }

    /** Name of the artifact that a jar or a module's {@code target/classes} is. */
    public static String artifact(Path entry) {
        Path absolute = entry.toAbsolutePath().normalize();
        if (absolute.endsWith(Path.of("target", "classes"))) {
            return absolute.getName(absolute.getNameCount() - 3).toString();
        }
        String name = absolute.getFileName().toString();
        Matcher versioned = VERSIONED.matcher(name);
        if (!versioned.matches()) {
            return name.endsWith(".jar") ? name.substring(0, name.length() - ".jar".length()) : name;
        }
        return versioned.group(1) + (name.endsWith("-tests.jar") ? "-tests" : "");
    }
}
