package io.terrace.bench.simulation;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.bench.simulation.fault.Mutation;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code bin/terrace test simulation}: runs seeds of the simulation, or one seed with its event log, or checks that
 * mutations (planted bugs) are found.
 *
 * <p>Exit codes: 0 all seeds held and all plants were found, 1 not, 2 the command line is wrong.
 */
@Command(
        name = "simulation",
        mixinStandardHelpOptions = true,
        description = "Runs the whole in virtual time under faults, and checks what must always hold.")
public final class Simulation implements Callable<Integer> {

    /** A mutation must be found within so many seeds. */
    static final int SEEDS_TO_FIND = 500;

    @Option(names = "--seeds", paramLabel = "N", description = "How many seeds to run (default: ${DEFAULT-VALUE}).")
    private int seeds = 1000;

    @Option(
            names = "--first",
            paramLabel = "S",
            description = "The first of them, or 'random', which is printed (default: ${DEFAULT-VALUE}).")
    private String firstSeed = "1";

    @Option(
            names = "--swarm",
            description = "Each seed draws its own mix of faults, sizes and limits, so that rare combinations come up.")
    private boolean swarm;

    @Option(
            names = "--jobs",
            paramLabel = "N",
            description = "Processes that share the seeds (default: ${DEFAULT-VALUE}).")
    private int jobs = 1;

    @Option(
            names = "--seed",
            paramLabel = "S",
            description = "Replay this one and print what happens in it, with the log.")
    private @Nullable Long seed;

    @Option(
            names = "--plant",
            paramLabel = "NAME",
            description = "Look for this planted bug alone; 'all', the default of a run of seeds, looks for each,"
                    + " 'none' for none, 'list' shows them.")
    private @Nullable String plant;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures there.")
    private @Nullable Path json;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = commandLine().getOut();
        refuseWhatMakesNoSense();
        if ("list".equals(plant)) {
            for (Mutation one : Mutation.values()) {
                out.printf("%-32s %-26s %s%n", one.title(), one.breaks().title(), one.bug());
            }
            return 0;
        }
        Mutation one = plant == null || ofSeeds() ? null : Mutation.of(plant);
        Path directory = Files.createTempDirectory("terrace-simulation");
        try {
            Seeds runs = new Seeds(directory, out, swarm);
            if (seed != null) {
                return runs.replay(seed, one) == null ? 0 : 1;
            }
            try (QuietLog quiet = new QuietLog()) {
                return run(runs, one, out);
            }
        } finally {
            Files.delete(directory);
        }
    }

    /** Whether {@code --plant} goes together with a run of seeds without a mutation. */
    private boolean ofSeeds() {
        return "all".equals(plant) || "none".equals(plant);
    }

    private void refuseWhatMakesNoSense() {
        boolean all = "all".equals(plant);
        boolean list = "list".equals(plant);
        refuseIf(jobs < 1 || jobs > 64, "--jobs is " + jobs + "; it must be 1 to 64");
        refuseIf(
                swarm && plant != null && !plant.equals("none"), "--swarm changes what seeds find: no --plant with it");
        refuseIf(seeds < 0, "--seeds is " + seeds + "; it cannot be negative");
        refuseIf(seed != null && (all || list), "--seed replays one seed: name one bug with --plant, or none");
        refuseIf(
                seed != null && (isGiven("--seeds") || isGiven("--first") || json != null),
                "--seed replays one seed: --seeds, --first and --json are for runs of many");
        refuseIf(
                plant != null && !ofSeeds() && isGiven("--seeds"),
                "--plant " + plant + " runs no seeds without the bug: leave out --seeds");
    }

    private boolean isGiven(String option) {
        return commandLine().getParseResult().hasMatchedOption(option);
    }

    private void refuseIf(boolean senseless, String why) {
        if (senseless) {
            throw new ParameterException(commandLine(), why);
        }
    }

    private long first(PrintWriter out) {
        if (firstSeed.equals("random")) {
            long drawn = ThreadLocalRandom.current().nextLong(1L << 40);
            out.printf("first seed: %d%n", drawn);
            out.flush();
            return drawn;
        }
        try {
            return Long.parseLong(firstSeed);
        } catch (NumberFormatException e) {
            throw new ParameterException(commandLine(), "--first is " + firstSeed + "; it is a number or 'random'");
        }
    }

    private CommandLine commandLine() {
        return Objects.requireNonNull(spec, "picocli sets it").commandLine();
    }

    private int run(Seeds runs, @Nullable Mutation one, PrintWriter out) throws IOException {
        Map<String, Object> figures = new LinkedHashMap<>();
        int plants = 0;
        int found = 0;
        int failed = 0;
        long first = first(out);
        long startNs = System.nanoTime();
        if (one == null && jobs > 1) {
            failed = new SeedJobs(first, seeds, jobs, swarm, out).run();
            out.printf("%d seeds, %d failed, in %d processes%n", seeds, failed, jobs);
        } else if (one == null) {
            failed = runs.run(first, seeds);
            out.printf(
                    "%d seeds, %d failed, %.0f seeds an hour; %d events, %d reads through grants, %d from memory by"
                            + " stock%n",
                    seeds, failed, runs.seedsPerHour(), runs.events(), runs.grantReads(), runs.stockReads());
        }
        double hours = (System.nanoTime() - startNs) / 3600e9;
        List<Mutation> every = "none".equals(plant) || swarm ? List.of() : List.of(Mutation.values());
        for (Mutation each : one == null ? every : List.of(one)) {
            plants++;
            found += runs.find(each, first, SEEDS_TO_FIND) ? 1 : 0;
        }
        figures.put("seeds", one == null ? seeds : 0);
        figures.put("failed", failed);
        figures.put("seeds_per_hour", Math.round(jobs > 1 ? seeds / hours : runs.seedsPerHour()));
        figures.put("plants", plants);
        figures.put("plants_found", found);
        if (plants > 0) {
            out.printf("%d of %d planted bugs found within %d seeds each%n", found, plants, SEEDS_TO_FIND);
        }
        if (json != null) {
            new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(json.toFile(), figures);
        }
        return failed == 0 && found == plants ? 0 : 1;
    }
}
