package io.terrace.placementctl.policy;

import io.terrace.common.Quantity;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.AdminCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.DecisionProto;
import io.terrace.protocol.proto.AdminProtos.PolicyParameterProto;
import io.terrace.protocol.proto.AdminProtos.PolicyRequestProto;
import io.terrace.protocol.proto.AdminProtos.PolicyResponseProto;
import io.terrace.protocol.proto.AdminProtos.PoolProto;
import io.terrace.protocol.proto.AdminProtos.PoolTierProto;
import io.terrace.protocol.proto.AdminProtos.RehearsalProto;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code placementctl policy show}. */
@Command(
        name = "show",
        description = "The policy in force, where it comes from, and the state of a dry run.",
        mixinStandardHelpOptions = true)
final class PolicyShowCommand extends AdminCommand {

    private static final int DECISIONS_SHOWN = 10;

    @Option(names = "--text", description = "Print it as a policy file, for those who may change placement.")
    boolean text;

    @Override
    protected int run(AdminClient client, Printer printer) throws Refused, Unreachable {
        PolicyResponseProto policy = inForce(client);
        if (text) {
            if (!policy.hasText()) {
                throw new Refused("its text is for those who may change placement");
            }
            text(printer, cluster().json, policy.getText());
        } else if (cluster().json) {
            printer.json(ProtoJson.object(policy));
        } else {
            print(printer, policy);
        }
        return ExitCode.OK;
    }

    /** Prints a policy file; as JSON it is the value of a field. */
    static void text(Printer printer, boolean json, String policyFile) {
        if (json) {
            printer.json(ProtoJson.MAPPER.createObjectNode().put("text", policyFile));
        } else {
            printer.line(policyFile.stripTrailing());
        }
    }

    static PolicyResponseProto inForce(AdminClient client) throws Refused, Unreachable {
        return client.active(service -> service.policy(null, PolicyRequestProto.getDefaultInstance()));
    }

    private static void print(Printer printer, PolicyResponseProto policy) {
        String number = policy.getNumber() == 0 ? "" : " " + policy.getNumber();
        printer.line("Policy      " + printer.good(policy.getPolicy()) + "  (" + policy.getSource() + number + "), "
                + policy.getRules() + (policy.getRules() == 1 ? " rule" : " rules") + " by path");
        if (policy.getParametersCount() > 0) {
            String parameters = policy.getParametersList().stream()
                    .map((PolicyParameterProto parameter) -> parameter.getName() + "=" + parameter.getValue())
                    .collect(Collectors.joining(", "));
            lines(printer, "Parameters  ", parameters);
        }
        if (policy.getPoolsCount() > 0) {
            lines(
                    printer,
                    "Pools       ",
                    policy.getPoolsList().stream().map(PolicyShowCommand::pool).collect(Collectors.joining("; ")));
        }
        printer.line("Memory      " + Quantity.bytes(policy.getMemoryBytes()) + " on " + policy.getDataNodes()
                + " DataNodes; accesses are " + (policy.getAccessLog() ? "logged" : "not logged"));
        if (policy.hasFile()) {
            lines(printer, "File        ", policy.getFile());
        }
        if (policy.hasFileTrouble()) {
            printer.line("            " + printer.bad("not taken:"));
            lines(printer, "            ", policy.getFileTrouble());
        }
        if (policy.hasTrouble()) {
            lines(printer, "Trouble     ", policy.getTrouble());
        }
        if (policy.hasRehearsal()) {
            dryRun(printer, policy.getRehearsal());
        }
    }

    private static String pool(PoolProto pool) {
        StringBuilder text = new StringBuilder(pool.getName() + " "
                + share(pool.getShare(), pool.getMost(), pool.getLends()) + ", " + pool.getPolicy());
        for (PoolTierProto tier : pool.getTiersList()) {
            text.append(", of ")
                    .append(tier.getTier())
                    .append(" ")
                    .append(share(tier.getShare(), tier.getMost(), tier.getLends()));
        }
        return text.toString();
    }

    private static String share(double share, double most, boolean lends) {
        return String.format(Locale.ROOT, "%.0f %%", 100 * share)
                + (most > share ? String.format(Locale.ROOT, ", at most %.0f %%", 100 * most) : "")
                + (lends ? "" : ", lends nothing");
    }

    private static void lines(Printer printer, String head, String text) {
        String lead = head;
        for (String line : Table.wrapped(text, Table.WIDTH - head.length())) {
            printer.line(lead + line);
            lead = " ".repeat(head.length());
        }
    }

    /** The state of a dry run, or how it ended. */
    static void dryRun(Printer printer, RehearsalProto dryRun) {
        printer.line("Dry run     " + dryRun.getPolicy() + ", "
                + (dryRun.getRunning()
                        ? Quantity.millis(dryRun.getLeftMs()) + " left"
                        : "ended after " + Quantity.millis(dryRun.getRanMs()))
                + "; it moves nothing");
        if (dryRun.hasTrouble()) {
            lines(printer, "            ", dryRun.getTrouble());
        }
        Table table = new Table("", ">DRY RUN", ">IN FORCE");
        table.row(
                "bytes read from memory",
                bytesOf(dryRun.getRehearsedBytesFromMemory(), dryRun.getBytesRead()),
                bytesOf(dryRun.getBytesFromMemory(), dryRun.getBytesRead()));
        table.row("would have moved", Quantity.bytes(dryRun.getPromotedBytes()), null);
        table.row("promotions, drops", dryRun.getPromotions() + ", " + dryRun.getDrops(), null);
        table.row("peak memory use", Quantity.bytes(dryRun.getPeakBytes()), null);
        table.lines().forEach(line -> printer.line("  " + line));
        if (dryRun.getDecisionsCount() > 0) {
            Table decisions = new Table(">AGO", "DECISION", "BLOCK", ">SIZE", "~DATANODE");
            for (DecisionProto decision :
                    dryRun.getDecisionsList().subList(0, Math.min(DECISIONS_SHOWN, dryRun.getDecisionsCount()))) {
                decisions.row(
                        Quantity.millis(decision.getAgoMs()),
                        decision.getKind().name().toLowerCase(Locale.ROOT),
                        "blk_" + decision.getBlockId(),
                        Quantity.bytes(decision.getLengthBytes()),
                        decision.getNode());
            }
            decisions.lines().forEach(line -> printer.line("  " + line));
        }
    }

    private static String bytesOf(long part, long whole) {
        return Quantity.bytes(part) + " (" + Quantity.share(part, whole) + ")";
    }
}
