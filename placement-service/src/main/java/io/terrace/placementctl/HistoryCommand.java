package io.terrace.placementctl;

import io.terrace.common.Quantity;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.AdminCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.HistoryRequestProto;
import io.terrace.protocol.proto.AdminProtos.HistoryResponseProto;
import io.terrace.protocol.proto.AdminProtos.MoveProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderKindProto;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code placementctl history}. */
@Command(
        name = "history",
        description =
                "The moves of a file's blocks that ended, latest first, with reason and result. Renames of the file change nothing.",
        mixinStandardHelpOptions = true)
final class HistoryCommand extends AdminCommand {

    private static final int MOST_MOVES = 1000;

    @Parameters(paramLabel = "PATH|BLOCK", description = "An absolute path, or blk_<id>.")
    String target;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "20",
            description = "How many moves, 1 to 1000. Default: ${DEFAULT-VALUE}")
    int limit;

    @Override
    protected int run(AdminClient client, Printer printer) throws Refused, Unreachable {
        if (limit < 1 || limit > MOST_MOVES) {
            throw cluster().usage("--limit is " + limit + "; it must be from 1 to " + MOST_MOVES);
        }
        HistoryResponseProto answer = client.active(service -> service.history(
                null,
                HistoryRequestProto.newBuilder()
                        .setTarget(target)
                        .setLimit(limit)
                        .build()));
        if (cluster().json) {
            printer.json(ProtoJson.object(answer));
            return ExitCode.OK;
        }
        Table table = new Table(">ENDED", "BLOCK", "MOVE", "DATANODE", "BY", "RESULT", "~WHY");
        answer.getMovesList().forEach(move -> table.row(cells(move)));
        if (table.isEmpty()) {
            printer.line("No moves are known.");
        } else {
            printer.table(table);
        }
        if (answer.hasNote()) {
            printer.line("Not complete: " + answer.getNote());
        }
        return ExitCode.OK;
    }

    private static Object[] cells(MoveProto move) {
        boolean done = move.getState().equals("done");
        return new Object[] {
            Quantity.millis(move.getEndedAgoMs()) + " ago",
            "blk_" + move.getBlock().getBlockId(),
            kind(move),
            move.getNode(),
            move.getCause().replace('_', ' '),
            move.getState().replace('_', ' '),
            done || move.getMessage().isEmpty() ? move.getReason() : move.getReason() + "; " + move.getMessage()
        };
    }

    private static String kind(MoveProto move) {
        if (move.hasFrom() && move.hasTo()) {
            return (move.getFrom().name() + " to " + move.getTo().name()).toLowerCase(Locale.ROOT);
        }
        return move.getKind() == OrderKindProto.PROMOTE ? "into memory" : "out of memory";
    }
}
