package io.terrace.bench.soak.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * How often another NameNode process has become the active one, or will: a file beside the journals. What only the memory of the
 * one before had is gone then.
 */
public final class NameNodeActivations {
    private static final String NAME = "namenode.activations";

    private NameNodeActivations() {}

    /**
     * To be called between two active NameNodes: once the one before takes no calls any more, and before the next one does. What was
     * told to the one before was begun before this, and only calls under way at this moment may belong to either.
     */
    public static void add(Path journals) throws IOException {
        Files.write(
                journals.resolve(NAME),
                "x".getBytes(StandardCharsets.UTF_8),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    static long count(Path journals) throws IOException {
        try {
            return Files.size(journals.resolve(NAME));
        } catch (NoSuchFileException none) {
            return 0;
        }
    }
}
