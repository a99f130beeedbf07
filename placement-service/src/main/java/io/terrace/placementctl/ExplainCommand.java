package io.terrace.placementctl;

import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.AdminCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.common.Quantity;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.BlockReportProto;
import io.terrace.protocol.proto.AdminProtos.ExplainRequestProto;
import io.terrace.protocol.proto.AdminProtos.ExplainResponseProto;
import io.terrace.protocol.proto.AdminProtos.HotBlockProto;
import io.terrace.protocol.proto.AdminProtos.MoveProto;
import io.terrace.protocol.proto.AdminProtos.ReplicaProto;
import io.terrace.protocol.proto.AdminProtos.WhyProto;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code placementctl explain}. */
@Command(
        name = "explain",
        description =
                "Where each replica of a block is, its heat, the rule and the numbers that put it there, and its moves.",
        mixinStandardHelpOptions = true)
final class ExplainCommand extends AdminCommand {

    @Parameters(paramLabel = "PATH|BLOCK", description = "An absolute path, or blk_<id>.")
    String target;

    @Option(
            names = "--blocks",
            paramLabel = "N",
            defaultValue = "5",
            description = "Of a path: how many blocks, 1 to 100. Default: ${DEFAULT-VALUE}")
    int blocks;

    @Override
    protected int run(AdminClient client, Printer printer) throws Refused, Unreachable {
        if (blocks < 1 || blocks > 100) {
            throw cluster().usage("--blocks is " + blocks + "; it must be from 1 to 100");
        }
        ExplainResponseProto answer = client.active(service -> service.explain(
                null,
                ExplainRequestProto.newBuilder()
                        .setTarget(target)
                        .setBlocks(blocks)
                        .build()));
        if (cluster().json) {
            printer.json(ProtoJson.object(answer));
            return ExitCode.OK;
        }
        if (answer.hasPath()) {
            printer.line(Table.printable(answer.getPath()) + "  " + Quantity.bytes(answer.getLengthBytes()) + ", "
                    + answer.getBlockCount() + (answer.getBlockCount() == 1 ? " block" : " blocks") + ", policy "
                    + answer.getStoragePolicy() + (answer.getPinned() ? ", pinned" : ""));
        }
        answer.getAnnotationsList()
                .forEach(word -> wrapped(
                        printer,
                        "annotation: " + word.getWord() + " " + word.getValue() + ", "
                                + AnnotationsCommand.from(word)));
        answer.getIgnoredList().forEach(ignored -> wrapped(printer, AnnotationsCommand.text(ignored)));
        answer.getBlocksList().forEach(block -> print(printer, block));
        if (answer.getBlocksCount() < answer.getBlockCount() && !target.contains("blk_")) {
            printer.line("... and " + (answer.getBlockCount() - answer.getBlocksCount()) + " more blocks (--blocks)");
        }
        return ExitCode.OK;
    }

    private static String memory(ReplicaProto replica) {
        if (!replica.getInMemory()) {
            return "-";
        }
        String kept = replica.hasHeldForMs()
                ? ", held for " + Quantity.millis(replica.getHeldForMs())
                : replica.getPinned() ? ", pinned" : "";
        return "since " + Quantity.millis(replica.getResidentForMs()) + kept;
    }

    private static void print(Printer printer, BlockReportProto block) {
        printer.line("");
        printer.line("blk_" + block.getBlock().getBlockId() + "_"
                + block.getBlock().getGenerationStamp() + "  "
                + Quantity.bytes(block.getBlock().getLengthBytes()) + ", "
                + block.getState().replace('_', ' ') + (block.getPinned() ? ", pinned" : "")
                + (block.hasExcluded() ? ", never promoted: " + block.getExcluded() : ""));
        if (block.hasRange()) {
            printer.line("  " + block.getRange());
        }
        if (block.hasHeat()) {
            HotBlockProto heat = block.getHeat();
            printer.line("  heat " + Quantity.decimal(heat.getHeat()) + ", " + heat.getReads() + " reads, "
                    + Quantity.bytes(heat.getBytesRead()) + " read, "
                    + Quantity.share(heat.getBytesFromMemory(), heat.getBytesRead()) + " from memory, last "
                    + Quantity.millis(heat.getLastReadAgoMs()) + " ago");
        } else {
            printer.line("  not read since the service started, or not lately");
        }
        Table replicas = new Table("~  DATANODE", "STORAGE", "MEMORY", ">HEAT", "HOME", ">SERVED");
        for (ReplicaProto replica : block.getReplicasList()) {
            replicas.row(
                    "  " + replica.getName(),
                    replica.hasStorageType() ? replica.getStorageType().toLowerCase(Locale.ROOT) : "no replica",
                    !replica.getReporting() ? "no plugin" : memory(replica),
                    Quantity.decimal(replica.getHeat()),
                    replica.getHome() ? "home" : "-",
                    replica.getInMemory() ? Quantity.bytes(replica.getBytesServedFromMemory()) : "-");
        }
        printer.table(replicas);
        for (ReplicaProto replica : block.getReplicasList()) {
            if (replica.hasWhy()) {
                print(printer, replica.getName(), replica.getWhy());
            }
            if (replica.hasOpenMove()) {
                print(printer, replica.getOpenMove());
            }
            if (replica.hasVolumeMove()) {
                print(printer, replica.getVolumeMove());
            }
            if (replica.hasStays()) {
                wrapped(printer, "stays on " + replica.getName() + ": " + replica.getStays());
            }
            if (replica.getHeldBackMs() > 0) {
                printer.line("  held back on " + replica.getName() + " for " + Quantity.millis(replica.getHeldBackMs())
                        + " after a failure");
            }
        }
        block.getLastMovesList().forEach(move -> print(printer, move));
    }

    private static void print(Printer printer, String node, WhyProto why) {
        wrapped(
                printer,
                "rule on " + node + ": " + why.getPolicy() + ", " + why.getRule()
                        + (why.hasCount() ? ", count " + Quantity.decimal(why.getCount()) : "")
                        + (why.hasThreshold() ? " against " + Quantity.decimal(why.getThreshold()) : "")
                        + (why.hasAgeMs() ? ", age " + Quantity.millis(why.getAgeMs()) : "")
                        + (why.hasRivalBlockId() ? ", rival blk_" + why.getRivalBlockId() : "")
                        + ": " + why.getSentence());
    }

    private static void print(Printer printer, MoveProto move) {
        String when = move.hasEndedAgoMs()
                ? Quantity.millis(move.getEndedAgoMs()) + " ago"
                : "open for " + Quantity.millis(move.getWishedAgoMs());
        wrapped(
                printer,
                "move " + move.getId() + ": "
                        + (move.hasTo()
                                ? move.getFrom().name().toLowerCase(Locale.ROOT) + " to "
                                        + move.getTo().name().toLowerCase(Locale.ROOT)
                                : move.getKind().name().toLowerCase(Locale.ROOT))
                        + " on "
                        + move.getNode() + ", " + move.getState().replace('_', ' ') + ", " + when + ", by "
                        + move.getCause().replace('_', ' ')
                        + (move.getMessage().isEmpty() || move.getState().equals("done")
                                ? ""
                                : ": " + move.getMessage())
                        + (move.getReason().isEmpty() ? "" : "; requested because: " + move.getReason()));
    }

    private static void wrapped(Printer printer, String text) {
        String indent = "  ";
        for (String line : Table.wrapped(text)) {
            printer.line(indent + line);
            indent = "    ";
        }
    }
}
