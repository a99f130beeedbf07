package io.terrace.bench.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How one seed came out.
 *
 * @param violation what did not hold; null if everything did
 * @param lines the event log, empty unless it was asked for
 * @param checksum of the events and what was said of them: equal in every run of one seed
 */
record SeedRun(
        long seed,
        @Nullable Violation violation,
        List<String> lines,
        long checksum,
        long events,
        long grantReads,
        long stockReads) {

    /** Runs a seed from its beginning. */
    static SeedRun of(long seed, @Nullable Plant plant, boolean logged, Path directory) {
        EventLog log = new EventLog(logged);
        World world = new World(seed, plant, log, directory);
        Violation violation;
        try {
            violation = ended(world::run);
        } finally {
            clean(directory);
        }
        return new SeedRun(
                seed,
                violation,
                log.lines(),
                log.checksum(),
                world.scheduler().events(),
                world.grantReads(),
                world.stockReads());
    }

    /** What ended a run: an Error is its failure like any exception, or it would be that of all seeds. */
    static @Nullable Violation ended(Runnable run) {
        try {
            run.run();
            return null;
        } catch (Violation e) {
            return e;
        } catch (RuntimeException | Error e) {
            return new Violation(Invariant.NOTHING_THROWN, e.toString(), e);
        }
    }

    /** Whether what did not hold is what the plant breaks. */
    boolean finds(Plant plant) {
        return violation != null && violation.invariant() == plant.breaks();
    }

    private static void clean(Path directory) {
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
