package io.terrace.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The files of a host: {@code /}, or a directory that has an image of one. */
record HostFiles(Path root) {

    /** As Linux follows in one path. */
    private static final int MOST_LINKS = 40;

    HostFiles {
        root = root.toAbsolutePath().normalize();
    }

    /** Whether this is the host that we run on. Its processes and mounts can be asked and changed then. */
    boolean isLive() {
        return root.getParent() == null;
    }

    /** Where an absolute path of the host is. */
    Path at(String path) {
        return root.resolve(path.substring(1));
    }

    Path at(Path path) {
        return at(path.toString());
    }

    /**
     * An absolute path of the host without symbolic links; parts that are not there stay as they are.
     *
     * <p>Not {@code toRealPath}, by which a link of an image to an absolute path would lead to this host.
     */
    Path real(Path path) {
        Path real = Path.of("/");
        Deque<Path> names = new ArrayDeque<>();
        path.forEach(names::add);
        int links = 0;
        while (!names.isEmpty()) {
            Path next = real.resolve(names.remove()).normalize();
            Path target = links < MOST_LINKS ? target(next) : null;
            if (target == null) {
                real = next;
                continue;
            }
            links++;
            real = target.isAbsolute() ? Path.of("/") : real;
            for (int i = target.getNameCount() - 1; i >= 0; i--) {
                names.addFirst(target.getName(i));
            }
        }
        return real;
    }

    /** Where a symbolic link leads; null for what is none. */
    private @Nullable Path target(Path path) {
        try {
            return Files.isSymbolicLink(at(path)) ? Files.readSymbolicLink(at(path)) : null;
        } catch (IOException gone) {
            return null;
        }
    }

    /** Its text; empty where it is not there or cannot be read. */
    String text(String path) {
        try {
            return new String(Files.readAllBytes(at(path)), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    List<String> lines(String path) {
        return text(path).lines().toList();
    }

    /** What follows this word at the begin of a line. */
    Optional<String> after(String path, String word) {
        return lines(path).stream()
                .filter(line -> line.startsWith(word))
                .map(line -> line.substring(word.length()).strip())
                .findFirst();
    }
}
