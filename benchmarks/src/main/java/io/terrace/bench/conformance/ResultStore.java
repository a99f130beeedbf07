package io.terrace.bench.conformance;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The results kept in a directory, so that a run can be taken up where it was stopped and stock results serve every run.
 *
 * <pre>
 * results/stock-KEY/CLASS.N.result               N from 1 to {@link Verdict#RUNS}
 * results/terrace-PROVIDER-KEY/CLASS.N.result
 * results/.../CLASS.N.log                        output, kept where the run did not pass
 * </pre>
 *
 * The key is a hash of what the result depends on: for stock, Hadoop's jars, the site file and the JDK; for Terrace these
 * and our jars. A result whose last line is missing does not count and is made again.
 */
final class ResultStore {
    private final Path stock;
    private final Path terrace;
    private final String terraceBuilds;
    private final Exclusions exclusions;
    private final boolean earlierBuilds;
    private final Path results;

    /**
     * @param earlierBuilds whether a class that this build of Terrace was not run with counts as run where it passed with
     *     an earlier one over the same provider (or with other settings), the latest first
     * @param directory of the run
     * @param stockKey hash of what stock results depend on
     * @param provider how clients read with Terrace
     * @param terraceKey hash of what results with Terrace depend on
     * @param exclusions tests that are left out of what is read back; they stay in the files
     */
    ResultStore(
            Path directory,
            String stockKey,
            Provider provider,
            String terraceKey,
            Exclusions exclusions,
            boolean earlierBuilds) {
        this.exclusions = exclusions;
        this.earlierBuilds = earlierBuilds;
        this.results = directory.resolve("results");
        this.stock = results.resolve(Side.STOCK.label() + "-" + stockKey);
        this.terraceBuilds = Side.TERRACE.label() + "-" + provider.label() + "-";
        this.terrace = results.resolve(terraceBuilds + terraceKey);
    }

    /** The runs of a class on one side that were kept, in their order. */
    List<TestRun> runs(Side side, String className) throws IOException {
        List<TestRun> runs = new ArrayList<>();
        for (int number = 1; number <= Verdict.RUNS; number++) {
            Optional<TestRun> run = read(result(side, className, number));
            if (run.isEmpty()) {
                break;
            }
            runs.add(exclusions.without(run.get()));
        }
        if (runs.isEmpty() && side == Side.TERRACE && earlierBuilds) {
            passOfEarlierBuild(className).ifPresent(runs::add);
        }
        return runs;
    }

    private Optional<TestRun> passOfEarlierBuild(String className) throws IOException {
        if (!Files.isDirectory(results)) {
            return Optional.empty();
        }
        Optional<TestRun> latest = Optional.empty();
        FileTime written = FileTime.fromMillis(0);
        try (DirectoryStream<Path> builds = Files.newDirectoryStream(results, terraceBuilds + "*")) {
            for (Path build : builds) {
                for (int number = 1; number <= Verdict.RUNS; number++) {
                    Path file = build.resolve(className + "." + number + ".result");
                    Optional<TestRun> run = read(file).map(exclusions::without).filter(TestRun::passed);
                    if (run.isPresent() && Files.getLastModifiedTime(file).compareTo(written) > 0) {
                        latest = run;
                        written = Files.getLastModifiedTime(file);
                    }
                }
            }
        }
        return latest;
    }

    /** Where run {@code number} of a class is kept. */
    Path result(Side side, String className, int number) {
        return directory(side).resolve(className + "." + number + ".result");
    }

    /** Where its output is kept. */
    Path log(Side side, String className, int number) {
        return directory(side).resolve(className + "." + number + ".log");
    }

    private Path directory(Side side) {
        return side == Side.STOCK ? stock : terrace;
    }

    private static Optional<TestRun> read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        return ResultFile.parse(Files.readAllLines(file, StandardCharsets.UTF_8));
    }
}
