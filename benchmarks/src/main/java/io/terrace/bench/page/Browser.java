package io.terrace.bench.page;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.MavenJars;
import io.terrace.bench.measure.TestRun;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Makes visits with {@link BrowserMain}, in a process of its own for each list of them. */
final class Browser {
    private static final int LIMIT_SECONDS = 300;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Chromium chromium;
    private final Path dir;
    private int processes;

    /** @param dir for what it is told and writes */
    Browser(Chromium chromium, Path dir) {
        this.chromium = chromium;
        this.dir = dir;
    }

    /** What each visit saw, in their order. */
    List<Seen> make(List<Visit> visits) throws IOException {
        Files.createDirectories(dir);
        String name = "visits-" + ++processes;
        Path asked = dir.resolve(name + ".json");
        Path seen = dir.resolve(name + "-seen.json");
        MAPPER.writeValue(asked.toFile(), visits);
        new JavaProcess.Home(dir, classPath())
                .run(
                        name,
                        dir,
                        List.of(),
                        List.of(
                                BrowserMain.class.getName(),
                                chromium.browser().toString(),
                                chromium.driver().toString(),
                                asked.toString(),
                                seen.toString()),
                        LIMIT_SECONDS);
        return List.of(MAPPER.readValue(seen.toFile(), Seen[].class));
    }

    /** The browser's jars before Hadoop's, whose versions of some are other ones. */
    private static String classPath() throws IOException {
        return Stream.concat(
                        MavenJars.of(TestRun.root(), "browser", "browser", List.of()).resolve().stream(),
                        ClassPath.ofThisProcess().entries().stream())
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Copies the pictures of all visits. */
    void keepPictures(Path to) throws IOException {
        Files.createDirectories(to);
        if (!Files.isDirectory(dir)) {
            return;
        }
        try (Stream<Path> files = Files.list(dir)) {
            for (Path file :
                    files.filter(one -> one.toString().endsWith(".png")).toList()) {
                Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }
}
