package io.terrace.placementctl;

import io.terrace.common.Quantity;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.ListingCommand;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.HotBlockProto;
import io.terrace.protocol.proto.AdminProtos.TopRequestProto;
import io.terrace.protocol.proto.AdminProtos.TopResponseProto;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code placementctl top}. */
@Command(
        name = "top",
        description = "The hottest blocks. Of files that you may not read, heat and tier alone are shown.",
        mixinStandardHelpOptions = true)
final class TopCommand extends ListingCommand {

    @Option(
            names = "--by",
            paramLabel = "ORDER",
            defaultValue = "heat",
            description =
                    "What is first: ${COMPLETION-CANDIDATES}, of the 1000 hottest blocks. Default: ${DEFAULT-VALUE}")
    TopOrder order;

    @Option(
            names = "--path",
            paramLabel = "PATH",
            description = "Of the 1000 hottest blocks, those of this file or of files below this directory alone.")
    @Nullable
    String path;

    @Override
    protected void show(AdminClient client, Printer printer) throws Refused, Unreachable {
        if (path != null && !path.startsWith("/")) {
            throw cluster().usage("'" + path + "' is no absolute path");
        }
        boolean chosen = order != TopOrder.HEAT || path != null;
        TopResponseProto answer = client.active(service -> service.top(
                null,
                TopRequestProto.newBuilder()
                        .setCount(chosen ? MOST_ROWS : count)
                        .build()));
        TopResponseProto top = chosen ? order.choose(answer, path, count) : answer;
        if (cluster().json) {
            printer.json(ProtoJson.object(top), isWatched());
            return;
        }
        Table table = new Table(">HEAT", ">READS", ">BYTES", ">MEMORY", ">LAST", "IN", "BLOCK", "~PATH");
        int nameless = 0;
        for (HotBlockProto hot : top.getBlocksList()) {
            nameless += hot.hasBlock() ? 0 : 1;
            table.row(cells(hot));
        }
        if (table.isEmpty()) {
            printer.line(path == null ? "Nothing was read yet." : "None of the hottest blocks is below " + path + ".");
        } else {
            printer.table(table);
            printer.line(top.getBlocksCount() + " of " + top.getTrackedBlocks()
                    + " tracked blocks. MEMORY: share of the bytes served from memory.");
            if (nameless > 0) {
                printer.line(nameless + " not shown: their files are gone, or you may not read them.");
            }
        }
    }

    static Object[] cells(HotBlockProto hot) {
        String heat = Quantity.decimal(hot.getHeat());
        String where = hot.getInMemory() ? "memory" : "-";
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
