package io.terrace.bench.cli;

import picocli.CommandLine.Command;

/** {@code bin/terrace bench}. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = "Measure.",
        subcommands = {BenchReadCommand.class})
final class BenchCommand {}
