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
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import io.terrace.protocol.proto.AdminProtos.PoolUseProto;
import io.terrace.protocol.proto.AdminProtos.TiersRequestProto;
import io.terrace.protocol.proto.AdminProtos.TiersResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import io.terrace.protocol.proto.DataNodeProtos.TierStateProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/** {@code placementctl tiers}. */
@Command(name = "tiers", description = "Capacity and use of each DataNode's tiers.", mixinStandardHelpOptions = true)
final class TiersCommand extends AdminCommand {

    @Override
    protected int run(AdminClient client, Printer printer) throws Refused, Unreachable {
        TiersResponseProto tiers =
                client.active(service -> service.tiers(null, TiersRequestProto.getDefaultInstance()));
        if (cluster().json) {
            printer.json(ProtoJson.object(tiers));
            return ExitCode.OK;
        }
        Table table = new Table(
                "~DATANODE", "STATE", "TIER", ">CAPACITY", ">USED", ">USE", ">PINNED", ">BLOCKS", ">MOVES", ">HEARD");
        for (NodeProto node : tiers.getNodesList()) {
            String state = state(node);
            String moves = node.getMovesWaiting() + "+" + node.getMovesInFlight();
            String heard = Quantity.millis(node.getSilentMs());
            if (node.getTiersList().isEmpty()) {
                table.row(node.getName(), state, "-", "-", "-", "-", "-", "-", moves, heard);
            }
            for (TierStateProto tier : node.getTiersList()) {
                table.row(
                        node.getName(),
                        state,
                        tier.getTier().name().toLowerCase(Locale.ROOT),
                        Quantity.bytes(tier.getCapacityBytes()),
                        Quantity.bytes(tier.getUsedBytes()),
                        Quantity.share(tier.getUsedBytes(), tier.getCapacityBytes()),
                        Quantity.bytes(
                                tier.getTier() == TierProto.MEMORY ? node.getPinnedBytes() : tier.getPinnedBytes()),
                        tier.getExtents(),
                        moves,
                        heard);
            }
            for (PoolUseProto pool : node.getPoolsList()) {
                table.row(
                        node.getName(),
                        "pool",
                        pool.getTier().equals("memory") ? pool.getName() : pool.getTier() + " " + pool.getName(),
                        Quantity.bytes(pool.getOwnBytes()),
                        Quantity.bytes(pool.getUsedBytes()),
                        Quantity.share(pool.getUsedBytes(), pool.getOwnBytes()),
                        "-",
                        "-",
                        "-",
                        "-");
            }
        }
        List<String> notes =
                tiers.getNodesList().stream().flatMap(TiersCommand::notes).toList();
        boolean pools = tiers.getNodesList().stream().anyMatch(node -> node.getPoolsCount() > 0);
        for (String name : tiers.getWithoutPluginList()) {
            table.row(name, "no plugin", "-", "-", "-", "-", "-", "-", "-", "never");
        }
        if (table.isEmpty()) {
            printer.line("No DataNode reports.");
        } else {
            printer.table(table);
            printer.line("MOVES: waiting+in flight. HEARD: since the last heartbeat.");
            notes.forEach(note -> printer.line(Table.printable(note)));
            if (pools) {
                printer.line("A pool's USED may exceed its CAPACITY while others leave room (most, lend).");
            }
        }
        return ExitCode.OK;
    }

    private static String state(NodeProto node) {
        if (!node.getLive()) {
            return "silent";
        }
        return node.hasLeaving() ? "leaving" : !node.getServing() ? "not serving" : node.getIdle() ? "idle" : "busy";
    }

    private static Stream<String> notes(NodeProto node) {
        List<String> notes = new ArrayList<>();
        if (node.hasLeaving()) {
            notes.add(node.getName() + ": " + node.getLeaving() + "; nothing new goes there.");
        }
        if (node.hasResizingToBytes()) {
            notes.add(node.getName() + ": is asked to resize its memory to " + Quantity.bytes(node.getResizingToBytes())
                    + ".");
        }
        if (node.hasResized()) {
            notes.add(node.getName() + ": " + ResizeCommand.text(node.getResized()));
        }
        return notes.stream();
    }
}
