package io.terrace.bench.soak;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Files of a directory in which daemons make and remove files meanwhile. */
final class LiveFiles {
    private LiveFiles() {}

    /** All regular files below the directory; what goes while it is walked may or may not be among them. */
    static List<Path> below(Path root) throws IOException {
        Walk walk = new Walk(root);
        Files.walkFileTree(root, walk);
        return walk.files;
    }

    /** Takes what is there when it is looked at. */
    static final class Walk extends SimpleFileVisitor<Path> {
        private final Path root;
        private final List<Path> files = new ArrayList<>();

        Walk(Path root) {
            this.root = root;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile()) {
                files.add(file);
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            return goOn(file, e);
        }

        @Override
        public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException e) throws IOException {
            return e == null ? FileVisitResult.CONTINUE : goOn(dir, e);
        }

        private FileVisitResult goOn(Path path, IOException e) throws IOException {
            if (e instanceof NoSuchFileException && !path.equals(root)) {
                return FileVisitResult.CONTINUE;
            }
            throw e;
        }
    }
}
