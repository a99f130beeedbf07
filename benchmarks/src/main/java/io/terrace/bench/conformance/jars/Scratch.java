package io.terrace.bench.conformance.jars;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What belongs to one test JVM alone and goes when it goes: a directory on disk (working directory, temporary files, test
 * data), one in memory, and its unfinished result. Names are short, because Unix socket paths are limited to 107 bytes.
 *
 * @param disk working directory
 * @param memory below it the memory tier and the channel directory of Terrace's side
 * @param part the result as far as it is written
 */
public record Scratch(Path disk, Path memory, Path part) implements Closeable {
    /** Makes the directories, and the unfinished result beside where the finished one will be. */
    public static Scratch make(Path diskParent, Path memoryParent, Path results) throws IOException {
        Files.createDirectories(results);
        Scratch scratch = new Scratch(
                Files.createTempDirectory(diskParent, "tc"),
                Files.createTempDirectory(memoryParent, "tc"),
                Files.createTempFile(results, "running", ".part"));
        Files.createDirectory(scratch.temporary());
        // As an operator would create them; terrace-site.xml names them.
        Files.createDirectory(scratch.memory.resolve("channel"));
        Files.createDirectory(scratch.memory.resolve("memory"));
        return scratch;
    }

    public Path temporary() {
        return disk.resolve("t");
    }

    /** Where the test class stands outside its jar. */
    public Path classes() {
        return disk.toAbsolutePath().resolve("k");
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(part);
        Snapshot.delete(disk);
        Snapshot.delete(memory);
    }
}
