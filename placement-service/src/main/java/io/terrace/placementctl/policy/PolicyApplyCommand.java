package io.terrace.placementctl.policy;

import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.AdminCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Durations;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProgressLine;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import io.terrace.protocol.proto.AdminProtos.PolicyResponseProto;
import io.terrace.protocol.proto.AdminProtos.RehearsalProto;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code placementctl policy apply}. */
@Command(
        name = "apply",
        description = {
            "Puts the policy of a file in force, on the active NameNode, through restarts and failovers. What is in memory"
                    + " stays there; the new policy knows the heat of what was read.",
            "With --dry-run it decides beside the one in force, on the same accesses, and moves nothing."
        },
        mixinStandardHelpOptions = true)
final class PolicyApplyCommand extends AdminCommand {

    private static final long POLL_MS = 1_000;

    @Parameters(paramLabel = "FILE", arity = "0..1", description = "A policy file.")
    @Nullable
    Path file;

    @Option(names = "--configured", description = "Back to the policy file of the NameNode, or its settings.")
    boolean configured;

    @Option(
            names = "--dry-run",
            description = "Only try it: it decides on live reads and moves nothing. See policy show.")
    boolean dryRun;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            defaultValue = "10m",
            converter = Durations.class,
            description = "With --dry-run: it ends by itself after this, 1s to 1d. Default: ${DEFAULT-VALUE}")
    long forMs;

    @Option(names = "--wait", description = "With --dry-run: wait for its end and print what it came to.")
    boolean await;

    @Option(names = "--stop", description = "With --dry-run, without FILE: end the dry run that is in progress.")
    boolean stop;

    @Override
    protected int run(AdminClient client, Printer printer) throws Refused, Unreachable, InterruptedException {
        ChangeRequestProto request = request();
        ChangeResponseProto response = client.active(service -> service.change(null, request));
        if (dryRun && (await || stop)) {
            report(printer, client);
        } else if (cluster().json) {
            printer.json(ProtoJson.object(response));
        } else {
            response.getMessagesList().forEach(message -> printer.line(sentence(message)));
        }
        return ExitCode.OK;
    }

    private static String sentence(String message) {
        String text = Table.printable(message);
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1) + ".";
    }

    private ChangeRequestProto request() throws Refused {
        int ways = (file == null ? 0 : 1) + (configured ? 1 : 0) + (stop ? 1 : 0);
        if (ways != 1 || (configured && dryRun) || (!dryRun && (await || stop))) {
            throw cluster().usage("name one of FILE [--dry-run [--for TIME] [--wait]], --configured, --dry-run --stop");
        }
        if (stop) {
            return ChangeRequestProto.newBuilder()
                    .setVerb(VerbProto.END_REHEARSAL)
                    .build();
        }
        ChangeRequestProto.Builder request =
                ChangeRequestProto.newBuilder().setVerb(dryRun ? VerbProto.REHEARSE_POLICY : VerbProto.APPLY_POLICY);
        if (file != null) {
            request.setPolicyText(PolicyText.checked(file).text());
        }
        return dryRun ? request.setForMs(forMs).build() : request.build();
    }

    private void report(Printer printer, AdminClient client) throws Refused, Unreachable, InterruptedException {
        PolicyResponseProto policy = PolicyShowCommand.inForce(client);
        if (!policy.hasRehearsal()) {
            throw new Refused("there was no dry run since this NameNode became active");
        }
        RehearsalProto dryRun = policy.getRehearsal();
        try (ProgressLine progress = new ProgressLine("dry run", forMs)) {
            while (dryRun.getRunning()) {
                progress.at(dryRun.getRanMs());
                Thread.sleep(Math.min(POLL_MS, Math.max(50, dryRun.getLeftMs())));
                dryRun = PolicyShowCommand.inForce(client).getRehearsal();
            }
        }
        if (cluster().json) {
            printer.json(ProtoJson.object(dryRun));
        } else {
            PolicyShowCommand.dryRun(printer, dryRun);
        }
    }
}
