package io.terrace.placementctl;

import io.terrace.common.Quantity;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.ListingCommand;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.MoveProto;
import io.terrace.protocol.proto.AdminProtos.MovesRequestProto;
import io.terrace.protocol.proto.AdminProtos.MovesResponseProto;
import java.util.Locale;
import picocli.CommandLine.Command;

/** {@code placementctl moves}. */
@Command(
        name = "moves",
        description =
                "Moves of replicas between volumes: in flight, waiting, and the latest that ended. At most N of each.",
        mixinStandardHelpOptions = true)
final class MovesCommand extends ListingCommand {

    @Override
    protected void show(AdminClient client, Printer printer) throws Refused, Unreachable {
        MovesResponseProto answer = client.active(service -> service.moves(
                null, MovesRequestProto.newBuilder().setCount(count).build()));
        if (cluster().json) {
            printer.json(ProtoJson.object(answer), isWatched());
            return;
        }
        printer.line(answer.getInFlight() + " in flight, " + answer.getWaiting() + " waiting"
                + (answer.hasStopped() ? ". None is made: " + answer.getStopped() : ""));
        Table table = new Table(">MOVE", "STATE", "FROM", "TO", "DATANODE", ">SINCE", "BLOCK", "CAUSE", "~WHY");
        answer.getMovesList().forEach(move -> table.row(cells(move)));
        if (!table.isEmpty()) {
            printer.table(table);
        }
    }

    private static Object[] cells(MoveProto move) {
        boolean failed = move.hasEndedAgoMs() && !move.getState().equals("done");
        return new Object[] {
            move.getId(),
            move.getState().replace('_', ' '),
            move.getFrom().name().toLowerCase(Locale.ROOT),
            move.getTo().name().toLowerCase(Locale.ROOT),
            move.getNode(),
            Quantity.millis(move.hasEndedAgoMs() ? move.getEndedAgoMs() : move.getWishedAgoMs()),
            move.hasBlock() ? "blk_" + move.getBlock().getBlockId() : "-",
            move.getCause().replace('_', ' '),
            failed ? move.getMessage() : move.getReason()
        };
    }
}
