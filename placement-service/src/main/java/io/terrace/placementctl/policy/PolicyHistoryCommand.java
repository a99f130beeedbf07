package io.terrace.placementctl.policy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.AdminCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.PolicyResponseProto;
import io.terrace.protocol.proto.AdminProtos.PolicyStepProto;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code placementctl policy history}. */
@Command(
        name = "history",
        description = "The policies that were applied, latest first: by whom, when, and which is in force.",
        mixinStandardHelpOptions = true)
final class PolicyHistoryCommand extends AdminCommand {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneId.systemDefault());

    @Option(
            names = "--text",
            paramLabel = "N",
            defaultValue = "0",
            description = "Print policy N as a policy file, for those who may change placement.")
    long number;

    @Override
    protected int run(AdminClient client, Printer printer) throws Refused, Unreachable {
        PolicyResponseProto policy = PolicyShowCommand.inForce(client);
        if (number > 0) {
            PolicyShowCommand.text(printer, cluster().json, text(policy));
        } else if (cluster().json) {
            ObjectNode json = ProtoJson.MAPPER.createObjectNode();
            json.put("inForce", policy.getNumber());
            json.set("steps", ProtoJson.object(policy).get("steps"));
            printer.json(json);
        } else {
            print(printer, policy);
        }
        return ExitCode.OK;
    }

    private String text(PolicyResponseProto policy) throws Refused {
        PolicyStepProto step = policy.getStepsList().stream()
                .filter(candidate -> candidate.getNumber() == number)
                .findFirst()
                .orElseThrow(() -> new Refused("policy " + number + " was never applied, or is forgotten"));
        if (!step.hasText()) {
            throw new Refused(
                    step.hasPolicy()
                            ? "its text is for those who may change placement"
                            : "policy " + number + " was that of the configuration; it has no text here");
        }
        return step.getText();
    }

    private static void print(Printer printer, PolicyResponseProto policy) {
        Table table = new Table(">N", "APPLIED", "~BY", "POLICY", "AFTER", "IN FORCE");
        for (int i = policy.getStepsCount() - 1; i >= 0; i--) {
            PolicyStepProto step = policy.getSteps(i);
            table.row(
                    step.getNumber(),
                    TIME.format(Instant.ofEpochMilli(step.getAtMs())),
                    step.getUser(),
                    step.hasPolicy() ? step.getPolicy() : "as configured",
                    step.getBefore() == 0 ? "configured" : step.getBefore(),
                    step.getInForce() ? "yes" : null);
        }
        if (table.isEmpty()) {
            printer.line("No policy was applied; " + policy.getPolicy() + " (" + policy.getSource() + ") is in force.");
        } else {
            printer.table(table);
        }
    }
}
