package io.terrace.bench.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Files and their bytes.
 *
 * @param files in the order of their indexes
 * @param content their bytes
 */
public record DataSet(List<StoredFile> files, Content content) {
    /** With more files the demo would measure the NameNode, not reads. */
    public static final int MAX_FILES = 20_000;

    public DataSet {
        files = List.copyOf(files);
    }

    /** Summed length of all files, bytes. */
    public long lengthBytes() {
        return files.stream().mapToLong(StoredFile::lengthBytes).sum();
    }

    /** Files of equal length below {@code /data}, made from a seed. */
    public static DataSet seeded(long seed, long totalBytes, long fileBytes) {
        List<StoredFile> files = new ArrayList<>();
        for (long at = 0; at < totalBytes; at += fileBytes) {
            files.add(new StoredFile(
                    String.format("/data/part-%05d", files.size()), Math.min(fileBytes, totalBytes - at), true));
        }
        return new DataSet(files, new SeededContent(seed));
    }

    /** Every readable, non-empty regular file below a local directory, stored below {@code /data} under its path. */
    public static DataSet local(Path dir) throws IOException {
        List<Path> paths;
        try (Stream<Path> tree = Files.walk(dir)) {
            paths = tree.filter(Files::isRegularFile)
                    .filter(Files::isReadable)
                    .filter(path -> path.toFile().length() > 0)
                    .sorted()
                    .limit(MAX_FILES + 1L)
                    .toList();
        }
        if (paths.isEmpty()) {
            throw new IllegalArgumentException(dir + " holds no file that could be stored");
        }
        if (paths.size() > MAX_FILES) {
            throw new IllegalArgumentException(
                    dir + " holds more than " + MAX_FILES + " files: name a smaller directory");
        }
        List<StoredFile> files = new ArrayList<>();
        for (Path path : paths) {
            // HDFS allows no colon in a path.
            String name = dir.relativize(path).toString().replace(':', '_');
            files.add(new StoredFile("/data/" + files.size() + "/" + name, Files.size(path), true));
        }
        return new DataSet(files, new LocalContent(paths));
    }
}
