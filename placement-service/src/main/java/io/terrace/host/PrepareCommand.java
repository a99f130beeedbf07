package io.terrace.host;

import io.terrace.host.HostFinding.MendedBy;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.FailureText;
import io.terrace.placementctl.terminal.Printer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code terrace-host prepare}. */
@Command(
        name = "prepare",
        mixinStandardHelpOptions = true,
        description = {
            "Gives this host what the DataNode needs: the tmpfs, its mount at each boot, limits, directories.",
            "Run it as root. What is there already is left as it is; the DataNode is not restarted."
        })
final class PrepareCommand implements Callable<Integer> {

    @Mixin
    HostOptions options;

    @Option(names = "--dry-run", description = "Print what would be done, and do nothing.")
    boolean dryRun;

    @Spec
    CommandSpec spec;

    @Override
    public Integer call() {
        DataNodeHost host = options.host();
        PrintWriter err = spec.commandLine().getErr();
        List<HostFinding> first = HostCheck.run(host).stream()
                .filter(finding -> finding.mendedBy() == MendedBy.ADMINISTRATOR_FIRST)
                .toList();
        if (!first.isEmpty()) {
            first.forEach(finding -> err.println("terrace-host: "
                    + finding.finding().text() + ": " + finding.finding().remedy()));
            return ExitCode.REFUSED;
        }
        List<HostStep> steps = HostPlan.of(host);
        int code = carryOut(host, steps, dryRun, spec);
        Printer printer = new Printer(spec);
        if (code == ExitCode.OK && host.needsFstab()) {
            printer.line(
                    "systemd does not run here. Add this line to /etc/fstab, or nothing is mounted at the next boot:");
            printer.line("    " + host.wanted().fstabLine());
        }
        if (code == ExitCode.OK && !steps.isEmpty() && !dryRun && host.files().isLive()) {
            printer.line("Restart the DataNode"
                    + (host.unit() == null
                            ? ""
                            : ": systemctl restart " + host.unit().name()));
        }
        return code;
    }

    /** Takes the steps, or shows them; returns the exit code. */
    static int carryOut(DataNodeHost host, List<HostStep> steps, boolean dryRun, CommandSpec spec) {
        PrintWriter err = spec.commandLine().getErr();
        Printer printer = new Printer(spec);
        if (steps.isEmpty()) {
            printer.line("Nothing to do.");
        } else if (dryRun) {
            steps.forEach(step -> show(printer, step));
        } else if (host.files().isLive() && !isRoot() && steps.stream().anyMatch(HostStep::needsRoot)) {
            err.println("terrace-host: only root can change a host: use sudo, or --dry-run to see what would be done");
            return ExitCode.REFUSED;
        } else if (!apply(host, steps, printer, err)) {
            return ExitCode.REFUSED;
        }
        return ExitCode.OK;
    }

    private static void show(Printer printer, HostStep step) {
        printer.line("would " + step.words());
        step.details().forEach(line -> printer.line(("    " + line).stripTrailing()));
    }

    private static boolean apply(DataNodeHost host, List<HostStep> steps, Printer printer, PrintWriter err) {
        for (HostStep step : steps) {
            if (step.needsLiveHost() && !host.files().isLive()) {
                printer.line("not done in an image; to do on the host: " + step.words());
                continue;
            }
            try {
                step.apply(host.files());
            } catch (IOException e) {
                err.println("terrace-host: cannot " + step.words() + ": " + FailureText.of(e));
                return false;
            }
            printer.line(step.words());
        }
        return true;
    }

    private static boolean isRoot() {
        FileOwner self = FileOwner.of(Path.of("/proc/self"));
        return self != null && self.uid() == 0;
    }
}
