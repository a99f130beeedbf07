package io.terrace.host;

import io.terrace.compat.Release;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.FailureText;
import io.terrace.placementctl.terminal.StandardOutput;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;

/** The command {@code terrace-host}. Exit codes: 0 done, 1 a problem was found or a step failed, 2 usage. */
@Command(
        name = "terrace-host",
        description = "Checks and prepares the host of a DataNode with a memory tier, and clears it again.",
        mixinStandardHelpOptions = true,
        versionProvider = TerraceHost.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {CheckCommand.class, PrepareCommand.class, RemoveCommand.class},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {" 0:done", " 1:the host lacks something; a step failed", " 2:wrong usage"})
public final class TerraceHost {

    private TerraceHost() {}

    /** The version of the jar. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"terrace-host " + Release.of(TerraceHost.class)};
        }
    }

    /** Runs the command, and returns its exit code. */
    public static int run(PrintWriter out, PrintWriter err, String... arguments) {
        CommandLine line = new CommandLine(new TerraceHost()).setOut(out).setErr(err);
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            IOException e = FailureText.cause(failure);
            if (e != null) {
                command.getErr().println("terrace-host: " + FailureText.of(e));
                return ExitCode.REFUSED;
            }
            throw failure;
        });
        int code = line.execute(arguments);
        String lost = StandardOutput.lost(out);
        if (lost != null && code == ExitCode.OK) {
            err.println("terrace-host: " + lost);
            return ExitCode.REFUSED;
        }
        return code;
    }

    public static void main(String[] arguments) {
        System.exit(run(StandardOutput.ofProcess(), new PrintWriter(System.err, true), arguments));
    }
}
