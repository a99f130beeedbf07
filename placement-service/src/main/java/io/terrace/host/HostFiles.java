package io.terrace.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The files of a host: {@code /}, or a directory that has an image of one. */
record HostFiles(Path root) {

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
