package io.terrace.placementctl;

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
import picocli.CommandLine.Command;

/** {@code placementctl pins}. */
@Command(
        name = "pins",
        description = "The files that are pinned, by operators and by rules.",
        mixinStandardHelpOptions = true)
final class PinsCommand extends AdminCommand {

    @Override
    protected int run(AdminClient client, Printer printer) throws Refused, Unreachable {
        PinsResponseProto answer = client.active(service -> service.pins(null, PinsRequestProto.getDefaultInstance()));
        if (cluster().json) {
            printer.json(ProtoJson.object(answer));
            return ExitCode.OK;
        }
        Table table = new Table("PINNED BY", ">INODE", "~PATH");
        int files = 0;
        int gone = 0;
        for (PinProto pin : answer.getPinsList()) {
            files += pin.hasRule() ? 0 : 1;
            gone += pin.getGone() ? 1 : 0;
            table.row(by(pin), pin.getInode(), pin.getGone() ? "(deleted)" : pin.getPath());
        }
        if (table.isEmpty()) {
            printer.line("Nothing is pinned.");
            return ExitCode.OK;
        }
        printer.table(table);
        printer.line(files + " of at most " + answer.getMost() + " files are pinned by placementctl pin.");
        if (gone > 0) {
            printer.line("Pins of deleted files go with the next pin or unpin of any file.");
        }
        return ExitCode.OK;
    }

    private static String by(PinProto pin) {
        return !pin.hasRule() ? "operator" : pin.getRule() == 0 ? "annotation" : "rule " + pin.getRule();
    }
}
