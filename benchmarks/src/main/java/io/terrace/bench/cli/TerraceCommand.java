package io.terrace.bench.cli;

import io.terrace.bench.cluster.ClusterException;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * {@code bin/terrace}: the local cluster, the demo, the benchmarks and the longer tests.
 *
 * <p>Exit codes: 0 done, 1 it failed and said why, 2 the command line is wrong.
 */
@Command(
        name = "terrace",
        mixinStandardHelpOptions = true,
        versionProvider = BuildVersion.class,
        description = "A local HDFS cluster with Terrace, its demo, benchmarks and tests.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:done", "1:it failed, and the message says why", "2:the command line is wrong"},
        subcommands = {
            UpCommand.class,
            DownCommand.class,
            DemoCommand.class,
            BenchCommand.class,
            RunCommand.class,
            TestCommand.class,
            ClasspathCommand.class,
            ConfCommand.class
        })
public final class TerraceCommand {
    private TerraceCommand() {}

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        CommandLine line = new CommandLine(new TerraceCommand()).setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            if (failure instanceof IllegalArgumentException) {
                command.getErr().println("terrace: " + failure.getMessage());
                return command.getCommandSpec().exitCodeOnInvalidInput();
            }
            boolean meantForUser = failure instanceof ClusterException;
            command.getErr().println("terrace: " + (meantForUser ? failure.getMessage() : failure.toString()));
            if (!meantForUser && Boolean.getBoolean("terrace.trace")) {
                failure.printStackTrace(command.getErr());
            }
            command.getErr().flush();
            return 1;
        });
        return line;
    }
}
