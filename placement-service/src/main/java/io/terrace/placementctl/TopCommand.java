package io.terrace.placementctl;

import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.AdminCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Quantity;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.HotBlockProto;
import io.terrace.protocol.proto.AdminProtos.TopRequestProto;
import io.terrace.protocol.proto.AdminProtos.TopResponseProto;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code placementctl top}. */
@Command(
        name = "top",
        description = "The hottest blocks. Of files that you may not read, heat and tier alone are shown.",
        mixinStandardHelpOptions = true)
final class TopCommand extends AdminCommand {

    @Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            defaultValue = "20",
            description = "How many, 1 to 1000. Default: ${DEFAULT-VALUE}")
    int count;

    @Override
    protected int run(AdminClient client, Printer printer) throws Refused, Unreachable {
        if (count < 1 || count > 1000) {
            throw cluster().usage("--count is " + count + "; it must be from 1 to 1000");
        }
        TopResponseProto top = client.active(service ->
                service.top(null, TopRequestProto.newBuilder().setCount(count).build()));
        if (cluster().json) {
            printer.json(ProtoJson.object(top));
            return ExitCode.OK;
        }
        Table table = new Table(">HEAT", ">READS", ">BYTES", ">MEMORY", ">LAST", "IN", "BLOCK", "~PATH");
        int nameless = 0;
        for (HotBlockProto hot : top.getBlocksList()) {
            nameless += hot.hasBlock() ? 0 : 1;
            table.row(cells(hot));
        }
        if (table.isEmpty()) {
            printer.line("Nothing was read yet.");
        } else {
            printer.table(table);
            printer.line(top.getBlocksCount() + " of " + top.getTrackedBlocks()
                    + " tracked blocks. MEMORY: share of the bytes served from memory.");
            if (nameless > 0) {
                printer.line(nameless + " not shown: their files are gone, or you may not read them.");
            }
        }
        return ExitCode.OK;
    }

    private static Object[] cells(HotBlockProto hot) {
        String heat = Quantity.decimal(hot.getHeat());
        String where = hot.getInMemory() ? "memory" : "home";
        return hot.hasBlock()
                ? new Object[] {
                    heat,
                    hot.getReads(),
                    Quantity.bytes(hot.getBytesRead()),
                    Quantity.share(hot.getBytesFromMemory(), hot.getBytesRead()),
                    Quantity.millis(hot.getLastReadAgoMs()),
                    where,
                    "blk_" + hot.getBlock().getBlockId(),
                    hot.hasPath() ? hot.getPath() : "-"
                }
                : new Object[] {heat, "-", "-", "-", "-", where, "-", "(not shown)"};
    }
}
