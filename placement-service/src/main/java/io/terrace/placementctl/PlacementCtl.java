package io.terrace.placementctl;

import io.terrace.compat.Release;
import io.terrace.placementctl.client.ConnectionOptions;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.ClusterCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.policy.PolicyCommand;
import io.terrace.placementctl.policy.SizeCommand;
import io.terrace.placementctl.terminal.FailureText;
import io.terrace.placementctl.terminal.StandardOutput;
import io.terrace.placementctl.terminal.Table;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Mixin;

/**
 * The command {@code placementctl}. Exit codes: 0 done, 1 refused or a problem was found, 2 usage, 3 the service cannot
 * be reached.
 */
@Command(
        name = "placementctl",
        description = "Shows and controls which HDFS blocks are in memory.",
        mixinStandardHelpOptions = true,
        versionProvider = PlacementCtl.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            StatusCommand.class,
            StatsCommand.class,
            TiersCommand.class,
            TopCommand.class,
            ExplainCommand.class,
            MovesCommand.class,
            HistoryCommand.class,
            ReportCommand.class,
            AnnotationsCommand.class,
            AnnotateCommand.class,
            ChangeCommands.Promote.class,
            ChangeCommands.Demote.class,
            ChangeCommands.Pin.class,
            ChangeCommands.Unpin.class,
            PinsCommand.class,
            ReleaseCommand.class,
            ResizeCommand.class,
            ChangeCommands.Pause.class,
            ChangeCommands.Resume.class,
            ChangeCommands.Off.class,
            ChangeCommands.On.class,
            PolicyCommand.class,
            SizeCommand.class,
            CheckCommand.class,
            DoctorCommand.class,
            LeftoversCommand.class
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            " 0:done",
            " 1:refused by the service, or it failed to answer; doctor found a problem; not in memory (promote --wait,"
                    + " check); a file, or the output, could not be read or written",
            " 2:wrong usage",
            " 3:no placement service can be reached, or none is active, or it is busy"
        })
public final class PlacementCtl {

    @Mixin(name = ClusterCommand.COMMON_OPTIONS)
    ConnectionOptions cluster;

    private PlacementCtl() {}

    /** The version of the jar, as its manifest or build left it. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"placementctl " + Release.of(PlacementCtl.class)};
        }
    }

    static CommandLine commandLine() {
        return new CommandLine(new PlacementCtl()).setCaseInsensitiveEnumValuesAllowed(true);
    }

    /** Runs the command and says how to exit. */
    public static int run(PrintWriter out, PrintWriter err, String... arguments) {
        CommandLine line = commandLine().setOut(out).setErr(err);
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            if (failure instanceof Refused) {
                command.getErr().println("placementctl: " + Table.printable(String.valueOf(failure.getMessage())));
                return ExitCode.REFUSED;
            }
            if (failure instanceof Unreachable) {
                command.getErr().println("placementctl: " + failure.getMessage());
                return ExitCode.UNREACHABLE;
            }
            IOException e = FailureText.cause(failure);
            if (e != null) {
                command.getErr().println("placementctl: " + FailureText.of(e));
                return ExitCode.REFUSED;
            }
            throw failure;
        });
        int code;
        try {
            code = line.execute(arguments);
        } catch (OutOfMemoryError e) {
            err.println(
                    "placementctl: not enough memory: give it more (PLACEMENTCTL_OPTS=-Xmx4g), or ask for less, as with"
                            + " --last or a shorter trace");
            return ExitCode.REFUSED;
        }
        String lost = StandardOutput.lost(out);
        if (lost != null && code == ExitCode.OK) {
            err.println("placementctl: " + lost);
            return ExitCode.REFUSED;
        }
        return code;
    }

    public static void main(String[] arguments) {
        System.exit(run(StandardOutput.ofProcess(), new PrintWriter(System.err, true), arguments));
    }
}
