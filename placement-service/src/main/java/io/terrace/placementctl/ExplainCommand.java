package io.terrace.placementctl;

import io.terrace.common.Quantity;
import io.terrace.common.ShownName;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.AdminCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.BlockReportProto;
import io.terrace.protocol.proto.AdminProtos.ExplainRequestProto;
import io.terrace.protocol.proto.AdminProtos.ExplainResponseProto;
import io.terrace.protocol.proto.AdminProtos.MoveRowProto;
import io.terrace.protocol.proto.AdminProtos.ReplicaProto;
import io.terrace.protocol.proto.AdminProtos.ReplicaRowProto;
import io.terrace.protocol.proto.AdminProtos.WhyProto;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code placementctl explain}. The service makes the sentences; this sets them. */
@Command(
        name = "explain",
        description = "Where the blocks of a file are, why, and what would change it.",
        mixinStandardHelpOptions = true)
final class ExplainCommand extends AdminCommand {

    private static final int INDENT = 9;

    @Parameters(paramLabel = "PATH|BLOCK", description = "An absolute path, or blk_<id>.")
    String target;

    @Option(
            names = "--blocks",
            paramLabel = "N",
            defaultValue = "5",
            description = "Of a path: how many blocks, 1 to 100. Default: ${DEFAULT-VALUE}")
    int blocks;

    @Option(names = "--numbers", description = "Add what the policy itself says of each block, with its numbers.")
    boolean numbers;

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
            printer.line(head(answer));
        }
        answer.getWriting().getLinesList().forEach(line -> wrapped(printer, "  ", line, 4));
        if (answer.hasPin()) {
            wrapped(printer, "", answer.getPin(), 2);
        }
        answer.getAnnotationsList()
                .forEach(word -> wrapped(
                        printer,
                        "  ",
                        "annotation: " + word.getWord() + " " + word.getValue() + ", " + AnnotationsCommand.from(word),
                        4));
        answer.getIgnoredList().forEach(ignored -> wrapped(printer, "  ", AnnotationsCommand.text(ignored), 4));
        if (answer.hasVolumeMovesStopped()) {
            wrapped(printer, "  ", "no replica is moved between volumes: " + answer.getVolumeMovesStopped(), 4);
        }
        answer.getBlocksList().forEach(block -> print(printer, block));
        if (answer.getBlocksCount() < answer.getBlockCount() && target.startsWith("/")) {
            printer.line("");
            printer.line("... and " + (answer.getBlockCount() - answer.getBlocksCount()) + " more blocks (--blocks)");
        }
        return ExitCode.OK;
    }

    private static String head(ExplainResponseProto answer) {
        String facts = "   " + Quantity.bytes(answer.getLengthBytes()) + ", " + answer.getBlockCount()
                + (answer.getBlockCount() == 1 ? " block" : " blocks") + ", storage policy "
                + answer.getStoragePolicy();
        return ShownName.shortened(ShownName.printable(answer.getPath()), Table.WIDTH - facts.length()) + facts;
    }

    private void print(Printer printer, BlockReportProto block) {
        printer.line("");
        String head = "blk_" + block.getBlock().getBlockId() + "   "
                + Quantity.bytes(block.getBlock().getLengthBytes()) + "   ";
        for (String line : Table.wrapped(block.getVerdict(), Table.WIDTH - head.length())) {
            printer.line(head + line);
            head = " ".repeat(head.length());
        }
        labelled(printer, "Why", block.getBecause());
        labelled(printer, "Next", block.getNext());
        if (block.hasTiers()) {
            labelled(printer, "Tiers", block.getTiers());
        }
        if (block.hasComings()) {
            labelled(printer, "Moves", block.getComings());
        }
        if (numbers) {
            for (ReplicaProto replica : block.getReplicasList()) {
                if (replica.hasWhy()) {
                    labelled(printer, "Number", replica.getName() + ": " + computed(replica.getWhy()));
                }
            }
        }
        Table replicas = new Table("~  REPLICA ON", "TIER", "COPY IN MEMORY", ">READS", ">FROM MEMORY");
        for (ReplicaRowProto row : block.getReplicaRowsList()) {
            replicas.row("  " + row.getDatanode(), row.getTier(), row.getCopy(), row.getReads(), row.getFromMemory());
        }
        table(printer, replicas);
        Table moves = new Table("  WHEN", "MOVE", "BY", "RESULT", "~BECAUSE");
        for (MoveRowProto row : block.getMoveRowsList()) {
            moves.row("  " + row.getWhen(), row.getMove(), row.getBy(), row.getResult(), row.getBecause());
        }
        table(printer, moves);
    }

    private static void table(Printer printer, Table table) {
        if (!table.isEmpty()) {
            printer.line("");
            printer.table(table);
        }
    }

    private static String computed(WhyProto why) {
        return why.getPolicy() + ", " + why.getRule()
                + (why.hasCount() ? ", count " + Quantity.decimal(why.getCount()) : "")
                + (why.hasThreshold() ? " against " + Quantity.decimal(why.getThreshold()) : "")
                + (why.hasAgeMs() ? ", age " + Quantity.millis(why.getAgeMs()) : "")
                + (why.hasRivalBlockId() ? ", rival blk_" + why.getRivalBlockId() : "")
                + ": " + why.getSentence();
    }

    private static void labelled(Printer printer, String label, String text) {
        String indent = "  " + label + " ".repeat(INDENT - 2 - label.length());
        for (String line : Table.wrapped(text, Table.WIDTH - INDENT)) {
            printer.line(indent + line);
            indent = " ".repeat(INDENT);
        }
    }

    private static void wrapped(Printer printer, String first, String text, int then) {
        String indent = first;
        for (String line : Table.wrapped(text, Table.WIDTH - then)) {
            printer.line(indent + line);
            indent = " ".repeat(then);
        }
    }
}
