package io.terrace.bench.conformance;

import io.terrace.bench.conformance.launcher.ResultFile;
import io.terrace.bench.conformance.launcher.Side;
import io.terrace.bench.conformance.launcher.TestRun;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The results kept in a directory, so that a run can be taken up where it was stopped and stock results serve every run.
 *
 * <pre>
 * results/stock-KEY/CLASS.N.result                       N from 1 to {@link Verdict#RUNS}
 * results/terrace-PROVIDER-KEY-BUILD/CLASS.N.result
 * results/terrace-PROVIDER-KEY-BUILD/CLASS.disk-only.N.result
 * results/.../CLASS.N.log                                output, kept where the run did not pass
 * </pre>
 *
 * The directories are named by what the results depend on ({@link ResultKeys}). A run with nothing copied to memory has a
 * name of its own, so that a class which is run with copies again is not judged by it. A result whose last line is missing
 * does not count and is made again, nor does one that ran into a shorter time limit than the present one.
 */
final class ResultStore {
    private final Path stock;
    private final Path terrace;
    private final String terraceBuilds;
    private final Exclusions exclusions;
    private final Exclusions diskOnly;
    private final Duration timeLimit;
    private final boolean earlierBuilds;
    private final Path results;

    /**
     * @param directory of the run
     * @param keys what results depend on
     * @param exclusions tests that are left out of what is read back; they stay in the files
     * @param diskOnly classes of which nothing is copied to memory
     * @param timeLimit of one class
     * @param earlierBuilds whether a class that this build of Terrace was not run with counts as run where it passed with
     *     the latest earlier one that it was run with under the same conditions
     */
    ResultStore(
            Path directory,
            ResultKeys keys,
            Exclusions exclusions,
            Exclusions diskOnly,
            Duration timeLimit,
            boolean earlierBuilds) {
        this.exclusions = exclusions;
        this.diskOnly = diskOnly;
        this.timeLimit = timeLimit;
        this.earlierBuilds = earlierBuilds;
        this.results = directory.resolve("results");
        this.stock = results.resolve(keys.stockDirectory());
        this.terraceBuilds = keys.builds();
        this.terrace = results.resolve(keys.terraceDirectory());
    }

    /** The runs of a class on one side that were kept, in their order. */
    List<TestRun> runs(Side side, String className) throws IOException {
        List<TestRun> runs = ofThisBuild(side, className);
        if (runs.isEmpty() && side == Side.TERRACE && earlierBuilds) {
            passOfEarlierBuild(className).ifPresent(runs::add);
        }
        return runs;
    }

    /** The number of the next run to make: an earlier build's is not counted, so that this one has its three. */
    int next(Side side, String className) throws IOException {
        return ofThisBuild(side, className).size() + 1;
    }

    private List<TestRun> ofThisBuild(Side side, String className) throws IOException {
        List<TestRun> runs = new ArrayList<>();
        for (int number = 1; number <= Verdict.RUNS; number++) {
            Optional<TestRun> run = read(result(side, className, number));
            if (run.isEmpty()) {
                break;
            }
            runs.add(compared(run.get()));
        }
        return runs;
    }

    /** The run without the tests that are left out: only these are judged, shown, and wanted again. */
    TestRun compared(TestRun run) {
        return exclusions.without(run);
    }

    /** A pass counts only as long as no later build failed. */
    private Optional<TestRun> passOfEarlierBuild(String className) throws IOException {
        if (!Files.isDirectory(results)) {
            return Optional.empty();
        }
        List<TestRun> latest = List.of();
        FileTime written = FileTime.fromMillis(0);
        try (DirectoryStream<Path> builds = Files.newDirectoryStream(results, terraceBuilds + "*")) {
            for (Path build : builds) {
                List<TestRun> runs = new ArrayList<>();
                for (int number = 1; number <= Verdict.RUNS; number++) {
                    Path file = build.resolve(name(Side.TERRACE, className, number) + ".result");
                    Optional<TestRun> run = read(file);
                    if (run.isPresent() && Files.getLastModifiedTime(file).compareTo(written) > 0) {
                        written = Files.getLastModifiedTime(file);
                        latest = runs;
                    }
                    run.map(this::compared).ifPresent(runs::add);
                }
            }
        }
        return latest.stream().filter(TestRun::passed).findFirst();
    }

    /** Where run {@code number} of a class is kept. */
    Path result(Side side, String className, int number) {
        return directory(side).resolve(name(side, className, number) + ".result");
    }

    /** Where its output is kept. */
    Path log(Side side, String className, int number) {
        return directory(side).resolve(name(side, className, number) + ".log");
    }

    private String name(Side side, String className, int number) {
        boolean withoutCopies = side == Side.TERRACE && diskOnly.leavesOut(className);
        return className + (withoutCopies ? ".disk-only." : ".") + number;
    }

    private Path directory(Side side) {
        return side == Side.STOCK ? stock : terrace;
    }

    private Optional<TestRun> read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        return ResultFile.parse(Files.readAllLines(file, StandardCharsets.UTF_8))
                .filter(run -> run.ending() != TestRun.Ending.TIMED_OUT || run.seconds() >= timeLimit.toSeconds());
    }
}
