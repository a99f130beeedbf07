package io.terrace.bench.soak.logs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * The logs of all daemons, also those that were rolled ({@code NAME.log.1}). They hold some 48 MB of each daemon: what a long
 * run needs is read once a round. A line may be read twice, when its file is rolled meanwhile.
 */
public record DaemonLogs(Path dir) {
    private static final String LOG = ".log";

    /** Gives each line of each daemon whose name begins so, with that name. */
    public void read(String prefix, BiConsumer<String, String> take) throws IOException {
        try (Stream<Path> files = Files.list(dir)) {
            for (Path file : files.sorted().toList()) {
                String name = file.getFileName().toString();
                int end = name.indexOf(LOG);
                if (name.startsWith(prefix) && end > 0) {
                    read(file, name.substring(0, end), take);
                }
            }
        }
    }

    private static void read(Path file, String daemon, BiConsumer<String, String> take) throws IOException {
        try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1)) {
            lines.forEach(line -> take.accept(daemon, line));
        } catch (NoSuchFileException rolled) {
            // It has its next name by now, or was the oldest.
            return;
        }
    }
}
