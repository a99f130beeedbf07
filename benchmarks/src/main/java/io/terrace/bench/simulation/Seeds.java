package io.terrace.bench.simulation;

import io.terrace.bench.simulation.fault.Mutation;
import io.terrace.bench.simulation.kernel.SeedMix;
import io.terrace.bench.simulation.kernel.Violation;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.PrimitiveIterator;
import org.jspecify.annotations.Nullable;

/** Runs seeds one after the other on one thread, and prints the results. */
final class Seeds {

    /** The end of an event log shows the cause; the whole may have thousands of lines. */
    private static final int LAST_LINES = 60;

    private final Path directory;
    private final PrintWriter out;
    private final boolean swarm;
    private final FindingSeeds findingSeeds = new FindingSeeds();
    private long nanos;
    private long ran;
    private long events;
    private long grantReads;
    private long stockReads;

    /** @param directory empty; files of a seed lie there while it runs */
    Seeds(Path directory, PrintWriter out) {
        this(directory, out, false);
    }

    /** @param swarm whether each seed has a mix of its own */
    Seeds(Path directory, PrintWriter out, boolean swarm) {
        this.swarm = swarm;
        this.directory = directory;
        this.out = out;
    }

    /** Runs them all, prints the end of the event log of each that failed, and returns how many failed. */
    int run(long first, int count) {
        int failed = 0;
        long startNs = System.nanoTime();
        for (long seed = first; seed < first + count; ) {
            SeedRun failure = null;
            try (SeedBar bar = new SeedBar("seeds from " + seed, first + count - seed)) {
                for (; failure == null && seed < first + count; seed++) {
                    SeedRun run = SeedRun.of(seed, mix(seed), null, false, directory);
                    ran++;
                    events += run.events();
                    grantReads += run.grantReads();
                    stockReads += run.stockReads();
                    failure = run.violation() == null ? null : run;
                    bar.step();
                }
            }
            // After the progress bar is gone from the terminal.
            if (failure != null) {
                failed++;
                explain(failure, null);
            }
        }
        nanos += System.nanoTime() - startNs;
        return failed;
    }

    /** Runs seeds with a mutation until one violates the invariant that it breaks. */
    boolean find(Mutation mutation, long first, int most) {
        SeedRun finder = null;
        Violation other = null;
        try (SeedBar bar = new SeedBar(mutation.title(), most)) {
            PrimitiveIterator.OfLong seeds = FindingSeeds.sequence(first, most, findingSeeds.last(mutation))
                    .iterator();
            while (finder == null && seeds.hasNext()) {
                SeedRun run = SeedRun.of(seeds.nextLong(), mutation, false, directory);
                finder = run.finds(mutation) ? run : null;
                other = run.violation() == null ? other : run.violation();
                bar.step();
            }
        }
        if (finder != null && finder.violation() != null) {
            out.printf(
                    "%-32s found by seed %d: %s%n",
                    mutation.title(), finder.seed(), finder.violation().getMessage());
            out.printf("  replay: bin/terrace test simulation --seed %d --plant %s%n", finder.seed(), mutation.title());
            return true;
        }
        out.printf(
                "%-32s NOT FOUND in %d seeds%s%n",
                mutation.title(), most, other == null ? "" : ", though one ended with " + other.getMessage());
        return false;
    }

    /** Runs one seed and prints its whole event log. */
    @Nullable
    Violation replay(long seed, @Nullable Mutation mutation) {
        SeedRun run = SeedRun.of(seed, mix(seed), mutation, true, directory);
        run.lines().forEach(out::println);
        Violation violation = run.violation();
        out.printf(
                "seed %d%s: %d events, checksum %016x, %s%n",
                seed,
                mutation == null ? "" : " with " + mutation.title(),
                run.events(),
                run.checksum(),
                violation == null ? "everything held" : violation.getMessage());
        if (violation != null && violation.getCause() != null) {
            violation.getCause().printStackTrace(out);
        }
        return violation;
    }

    private SeedMix mix(long seed) {
        return swarm ? SeedMix.of(seed) : SeedMix.usual();
    }

    private void explain(SeedRun run, @Nullable Mutation mutation) {
        SeedRun again = SeedRun.of(run.seed(), mix(run.seed()), mutation, true, directory);
        int size = again.lines().size();
        again.lines().subList(Math.max(0, size - LAST_LINES), size).forEach(out::println);
        Violation violation = run.violation();
        out.printf(
                "seed %d FAILED: %s%s%n  replay: bin/terrace test simulation --seed %d%s%n%n",
                run.seed(),
                violation == null ? "" : violation.getMessage(),
                again.checksum() == run.checksum() ? "" : " (and its replay was another run: report this)",
                run.seed(),
                swarm ? " --swarm" : "");
    }

    double seedsPerHour() {
        return nanos == 0 ? 0 : ran * 3600e9 / nanos;
    }

    long events() {
        return events;
    }

    long grantReads() {
        return grantReads;
    }

    long stockReads() {
        return stockReads;
    }
}
