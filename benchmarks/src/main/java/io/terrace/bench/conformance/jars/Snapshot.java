package io.terrace.bench.conformance.jars;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Copies of jars, classes and site files that a run keeps under the hash of their contents. */
public final class Snapshot {
    private Snapshot() {}

    /** Fills a directory. */
    public interface Filler {
        void fill(Path target) throws IOException;
    }

    /**
     * The directory below {@code parent} that holds what the filler writes, named by the hash of it. It comes into being
     * whole, so that runs beside each other may share it.
     */
    public static Path keep(Path parent, Filler filler) throws IOException {
        Path staging = Files.createTempDirectory(parent, "staging");
        try {
            filler.fill(staging);
            Path kept = parent.resolve(new ContentHash().add(staging).hex());
            if (!Files.exists(kept)) {
                moveUnlessThere(staging, kept);
            }
            return kept;
        } finally {
            delete(staging);
        }
    }

    private static void moveUnlessThere(Path staging, Path kept) throws IOException {
        try {
            Files.move(staging, kept);
        } catch (IOException e) {
            // Another run may have been first.
            if (!Files.exists(kept)) {
                throw e;
            }
        }
    }

    /** Copies a file or a directory with all that is in it. */
    public static void copyTree(Path source, Path target) throws IOException {
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                // As text: source and target may belong to different file systems.
                Path copy = target.resolve(source.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    Files.createDirectories(copy.toAbsolutePath().getParent());
                    Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }

    /** Copies the classes of one package out of a jar or a directory of classes. */
    public static void copyPackage(Path jarOrDirectory, String packageName, Path target) throws IOException {
        String directory = packageName.replace('.', '/');
        if (Files.isDirectory(jarOrDirectory)) {
            copyTree(jarOrDirectory.resolve(directory), target.resolve(directory));
            return;
        }
        try (FileSystem jar = FileSystems.newFileSystem(jarOrDirectory)) {
            copyTree(jar.getPath(directory), target.resolve(directory));
        }
    }

    /**
     * Deletes a directory with all that is in it, whatever permissions a test left on it. Another thread may do the same
     * meanwhile, as when the runner is ended.
     */
    static void delete(Path root) throws IOException {
        if (!Files.exists(root)) {
            return;
        }
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                // Tests of failing volumes remove permissions and do not always restore them. If this fails, the
                // deletion below reports it.
                boolean opened = directory.toFile().setExecutable(true)
                        && directory.toFile().setReadable(true)
                        && directory.toFile().setWritable(true);
                return opened ? FileVisitResult.CONTINUE : FileVisitResult.SKIP_SUBTREE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException thrown) throws IOException {
                if (thrown instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw thrown;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException thrown) throws IOException {
                Files.deleteIfExists(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
