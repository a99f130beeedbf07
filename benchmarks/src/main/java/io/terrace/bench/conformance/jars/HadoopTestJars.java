package io.terrace.bench.conformance.jars;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Hadoop's jars, its test jars and what those need, resolved by Maven from {@code hadoop-tests-pom.xml} when a run
 * starts, so that the build itself does not carry them. Tests of 3.4 were compiled against other libraries and have a pom of
 * their own.
 *
 * <p>The class path is kept by version and the hash of the pom and taken again as long as the pom is the same and every jar is
 * still there; then no Maven runs.
 */
public final class HadoopTestJars {
    private static final String DEPENDENCY_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:";

    private final Path directory;
    private final String version;
    private final String maven;

    /**
     * @param directory where the class path is kept
     * @param version of Hadoop
     * @param maven the {@code mvn} to call
     */
    public HadoopTestJars(Path directory, String version, String maven) {
        this.directory = directory;
        this.version = version;
        this.maven = maven;
    }

    /** The jars in class-path order. */
    public List<Path> resolve() throws IOException, InterruptedException {
        Files.createDirectories(directory);
        byte[] pom = resource(version.startsWith("3.4.") ? "hadoop-3.4-tests-pom.xml" : "hadoop-tests-pom.xml");
        Path kept = directory.resolve("classpath-" + version + "-" + ContentHash.of(pom) + ".txt");
        List<Path> jars = read(kept);
        if (jars.isEmpty()) {
            // In its own directory: another run may do the same.
            Path staging = Files.createTempDirectory(directory, "staging");
            try {
                Path pomFile = Files.write(staging.resolve("pom.xml"), pom);
                Path fresh = staging.resolve("classpath.txt");
                maven(
                        staging,
                        List.of(
                                "-f",
                                pomFile.toString(),
                                "-Dhadoop.version=" + version,
                                DEPENDENCY_PLUGIN + "build-classpath",
                                "-Dmdep.outputFile=" + fresh));
                Files.move(fresh, kept, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Snapshot.delete(staging);
            }
            jars = read(kept);
        }
        if (jars.isEmpty()) {
            throw new IOException("Maven named jars that are not there; see " + kept);
        }
        return jars;
    }

    private void maven(Path workingDirectory, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(maven, "-B", "-q"));
        command.addAll(arguments);
        Path log = workingDirectory.resolve("maven.log");
        Process process = new ProcessBuilder(command)
                .directory(workingDirectory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        if (process.waitFor() != 0) {
            throw new IOException(
                    "Maven could not resolve Hadoop's test jars:\n" + Files.readString(log, StandardCharsets.UTF_8));
        }
    }

    private static List<Path> read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            return List.of();
        }
        List<Path> jars = new ArrayList<>();
        for (String entry :
                Files.readString(file, StandardCharsets.UTF_8).trim().split(File.pathSeparator, -1)) {
            Path jar = Path.of(entry);
            if (!Files.isRegularFile(jar)) {
                return List.of();
            }
            jars.add(jar);
        }
        return jars;
    }

    /** A file of this package's resources. */
    public static byte[] resource(String name) throws IOException {
        try (InputStream stream = HadoopTestJars.class.getResourceAsStream("/conformance/" + name)) {
            if (stream == null) {
                throw new IOException("/conformance/" + name + " is not on the class path");
            }
            return stream.readAllBytes();
        }
    }
}
