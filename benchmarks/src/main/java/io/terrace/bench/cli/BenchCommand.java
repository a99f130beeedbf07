package io.terrace.bench.cli;

import io.terrace.bench.journal.JournalBenchmark;
import io.terrace.bench.policy.PlacementBenchmark;
import io.terrace.bench.scale.ScaleBenchmark;
import picocli.CommandLine.Command;

/** {@code bin/terrace bench}. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = "Measure.",
        subcommands = {
            BenchReadCommand.class,
            BenchRemoteCommand.class,
            BenchWriteCommand.class,
            BenchTiersCommand.class,
            BenchCompareCommand.class,
            PlacementBenchmark.class,
            JournalBenchmark.class,
            ScaleBenchmark.class
        })
final class BenchCommand {}
