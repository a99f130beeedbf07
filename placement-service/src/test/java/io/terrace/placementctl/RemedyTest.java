package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RemedyTest {

    private static final String SITE = "core-site.xml";

    /** Who read the files of a configuration, and say which those are. */
    private static final List<String> READERS = List.of("SiteConfiguration.java", "ConnectionOptions.java");

    /** Each process whose core-site.xml names our file system fails on hdfs:// paths if it lacks the jar. */
    @Test
    void remedies_neverSendToCoreSite() throws IOException {
        try (Stream<Path> sources = Files.walk(Path.of("src/main/java"))) {
            List<Path> naming = sources.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !READERS.contains(String.valueOf(file.getFileName())))
                    .filter(file -> text(file).contains(SITE))
                    .toList();
            assertThat(naming).isNotEmpty().allSatisfy(file -> assertThat(
                            text(file).replace("never in " + SITE, ""))
                    .as("%s", file)
                    .doesNotContain(SITE));
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
