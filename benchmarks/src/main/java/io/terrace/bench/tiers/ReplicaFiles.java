package io.terrace.bench.tiers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The files of replicas in the volumes of the DataNodes. */
final class ReplicaFiles {

    private static final Pattern DATA = Pattern.compile("blk_\\d+");

    private ReplicaFiles() {}

    /** Blocks with more than one data file below these directories. */
    static long doubles(List<Path> volumes) throws IOException {
        Map<String, Integer> copies = new HashMap<>();
        for (Path volume : volumes) {
            for (Path file : dataFiles(volume)) {
                copies.merge(file.getFileName().toString(), 1, Integer::sum);
            }
        }
        return copies.values().stream().filter(count -> count > 1).count();
    }

    /** The data files of replicas below a directory. */
    static List<Path> dataFiles(Path volume) throws IOException {
        try (Stream<Path> tree = Files.walk(volume)) {
            return tree.filter(
                            file -> DATA.matcher(file.getFileName().toString()).matches())
                    .toList();
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof NoSuchFileException) {
                // A file was moved away while the tree was walked.
                return dataFiles(volume);
            }
            throw e;
        }
    }
}
