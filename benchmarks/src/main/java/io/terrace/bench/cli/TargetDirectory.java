package io.terrace.bench.cli;

import java.nio.file.Path;

/** Where a command puts what the user named no place for: {@code benchmarks/target} of the checkout. */
final class TargetDirectory {
    private TargetDirectory() {}

    static Path path() {
        return root().resolve("benchmarks").resolve("target");
    }

    /** The checkout. */
    static Path root() {
        String root = System.getProperty("terrace.root");
        if (root == null) {
            throw new IllegalArgumentException("start this through bin/terrace, or name a directory with --dir");
        }
        return Path.of(root);
    }
}
