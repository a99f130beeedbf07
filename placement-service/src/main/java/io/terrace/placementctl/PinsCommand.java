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
import io.terrace.protocol.proto.AdminProtos.PinProto;
import io.terrace.protocol.proto.AdminProtos.PinsRequestProto;
import io.terrace.protocol.proto.AdminProtos.PinsResponseProto;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import picocli.CommandLine.Command;

/** {@code placementctl pins}. */
@Command(
        name = "pins",
        description = "What is pinned, by whom, since when, until when, and how many bytes of it.",
        mixinStandardHelpOptions = true)
final class PinsCommand extends AdminCommand {

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm").withZone(ZoneId.systemDefault());

    @Override
    protected int run(AdminClient client, Printer printer) throws Refused, Unreachable {
        PinsResponseProto answer = client.active(service -> service.pins(null, PinsRequestProto.getDefaultInstance()));
        if (cluster().json) {
            printer.json(ProtoJson.object(answer));
            return ExitCode.OK;
        }
        Table table = new Table("PINNED BY", "SINCE", "UNTIL", ">BYTES", ">BLOCKS LEFT OUT", "~PATH");
        int ofOperators = 0;
        int gone = 0;
        for (PinProto pin : answer.getPinsList()) {
            ofOperators += pin.hasRule() ? 0 : 1;
            gone += pin.getGone() ? 1 : 0;
            table.row(
                    by(pin),
                    time(pin.hasSinceMs(), pin.getSinceMs()),
                    pin.hasRule() ? "-" : pin.hasUntilMs() ? time(true, pin.getUntilMs()) : "for ever",
                    pin.hasBytes() ? Quantity.bytes(pin.getBytes()) : "-",
                    pin.hasLeftOutBlocks() ? Long.toString(pin.getLeftOutBlocks()) : "-",
                    path(pin));
        }
        if (table.isEmpty()) {
            printer.line("Nothing is pinned.");
            return ExitCode.OK;
        }
        printer.table(table);
        printer.line(ofOperators + " of at most " + answer.getMost()
                + " files and directories are pinned by placementctl pin.");
        if (answer.getLeftOutBlocks() > 0) {
            printer.line(answer.getLeftOutBlocks() + " pinned blocks are left out: the service looks after "
                    + answer.getMostBlocks() + " at most. Pin less, or leave it to the policy.");
        }
        if (gone > 0) {
            printer.line("Pins of what is deleted go with the next pin or unpin of anything.");
        }
        return ExitCode.OK;
    }

    private static String path(PinProto pin) {
        String path = pin.getGone() ? "(deleted, inode " + pin.getInode() + ")" : pin.getPath();
        return pin.getKind().equals("directory") ? path + " (recursive)" : path;
    }

    private static String time(boolean known, long atMs) {
        return known ? TIME.format(Instant.ofEpochMilli(atMs)) : "-";
    }

    private static String by(PinProto pin) {
        return !pin.hasRule()
                ? pin.hasBy() ? pin.getBy() : "operator"
                : pin.getRule() == 0 ? "annotation" : "rule " + pin.getRule();
    }
}
