package io.terrace.bench.cli;

import io.terrace.bench.conformance.HadoopConformance;
import io.terrace.bench.placement.PlacementBenchmark;
import io.terrace.bench.simulation.Simulation;
import picocli.CommandLine.Command;

/** {@code bin/terrace bench}. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = "Measure.",
        subcommands = {BenchReadCommand.class, PlacementBenchmark.class, Simulation.class, HadoopConformance.class})
final class BenchCommand {}
