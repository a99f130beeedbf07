package io.terrace.placementctl;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.common.Quantity;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.AdminClient.Peer;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.AdminCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.protocol.proto.AdminProtos.ReleaseUseProto;
import io.terrace.protocol.proto.AdminProtos.StatusResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.FigureValueProto;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** {@code placementctl status}. */
@Command(
        name = "status",
        description = "Which NameNode decides, whether Terrace serves and moves, and how it goes.",
        mixinStandardHelpOptions = true)
final class StatusCommand extends AdminCommand {

    @Override
    protected int run(AdminClient client, Printer printer) throws Unreachable {
        boolean active = false;
        boolean reached = false;
        ObjectNode json = ProtoJson.MAPPER.createObjectNode();
        ArrayNode services = json.putArray("services");
        for (Peer peer : client.peers()) {
            StatusResponseProto status = peer.status();
            ObjectNode one = services.addObject();
            one.put("service", peer.name()).put("reachable", status != null);
            if (status == null) {
                one.put("trouble", peer.problem());
            } else {
                one.setAll(ProtoJson.object(status));
                reached = true;
                active |= status.getActive();
            }
            if (!cluster().json) {
                print(printer, peer, status);
            }
        }
        if (cluster().json) {
            json.put("active", active);
            printer.json(json);
        } else if (reached && !active) {
            printer.line(printer.bad("No placement service is active."));
        }
        return active ? ExitCode.OK : ExitCode.UNREACHABLE;
    }

    private static void print(Printer printer, Peer peer, @Nullable StatusResponseProto status) {
        if (status == null) {
            printer.line("Service    " + peer.name() + "  " + printer.bad("unreachable") + ": " + peer.problem());
            return;
        }
        if (!status.getActive()) {
            printer.line("Service    " + peer.name() + "  "
                    + (status.getFailed()
                            ? printer.bad("failed") + " in NameNode " + status.getNameNode()
                                    + ": off until that NameNode is restarted"
                            : "standby of NameNode " + status.getNameNode()));
            printer.line("Release    " + status.getRelease());
            return;
        }
        Map<String, Long> figures = status.getFiguresList().stream()
                .collect(Collectors.toMap(FigureValueProto::getId, FigureValueProto::getValue));
        printer.line("Service    " + peer.name() + "  " + printer.good("active") + " in NameNode "
                + status.getNameNode() + ", epoch " + status.getEpoch() + ", up " + Quantity.millis(status.getUpMs()));
        printer.line("Release    " + releases(status));
        printer.line("Serving    " + (status.getServe() ? printer.good("on") : printer.doubtful("off"))
                + "   moves " + (status.getMoves() ? printer.good("on") : printer.doubtful("paused"))
                + "   policy " + status.getPolicy() + "   budget "
                + (status.getMoveBytesPerSecond() == 0
                        ? "none"
                        : Quantity.bytes(status.getMoveBytesPerSecond()) + "/s per DataNode"));
        if (status.hasVolumeMovesStopped()) {
            printer.line(
                    "Volumes    " + printer.doubtful("no replica is moved") + ": " + status.getVolumeMovesStopped());
        }
        if (status.hasTrouble()) {
            printer.line("Trouble    " + printer.bad(status.getTrouble()));
        }
        printer.line("DataNodes  " + at(figures, "datanodes") + " reporting, " + at(figures, "datanodes.silent")
                + " silent");
        printer.line("Blocks     " + at(figures, "blocks.tracked") + " tracked, " + at(figures, "blocks.resident")
                + " in memory, " + at(figures, "blocks.pinned") + " pinned (" + status.getPinnedFiles() + " files)");
        printer.line("Moves      " + at(figures, "promotions.done") + " promoted ("
                + Quantity.bytes(at(figures, "promoted.bytes")) + "), " + at(figures, "drops.done") + " dropped, "
                + at(figures, "moves.failed") + " failed, " + at(figures, "moves.waiting") + " waiting, "
                + at(figures, "moves.in_flight") + " in flight");
        printer.line("Reads      " + Quantity.bytes(at(figures, "read.bytes")) + ", "
                + Quantity.share(at(figures, "read.memory.bytes"), at(figures, "read.bytes")) + " from memory");
        long holds = at(figures, "lock.holds");
        printer.line("Journal    " + journal(status, figures));
        printer.line("NameNode   read lock taken " + holds + " times, "
                + (holds == 0 ? 0 : at(figures, "lock.nanoseconds") / holds / 1000) + " us on average, "
                + at(figures, "lock.longest.nanoseconds") / 1000 + " us at most; heap "
                + Quantity.bytes(at(figures, "memory.bytes")));
    }

    private static String journal(StatusResponseProto status, Map<String, Long> figures) {
        String said = status.hasJournal() ? status.getJournal() : "off";
        if (said.equals("off")) {
            return "off (terrace.placement.journal.dir is not set)";
        }
        if (said.equals("on")) {
            return "on, " + Quantity.bytes(at(figures, "journal.bytes")) + ", " + at(figures, "journal.heat.loaded")
                    + " blocks' heat loaded at the start";
        }
        return "cannot be used; placementctl doctor says why";
    }

    /** The NameNode's, and those of DataNodes if they differ. */
    private static String releases(StatusResponseProto status) {
        List<ReleaseUseProto> used = status.getDatanodeReleasesList();
        return used.stream().allMatch(use -> use.getRelease().equals(status.getRelease()))
                ? status.getRelease()
                : used.stream()
                        .map(use -> use.getDatanodes() + " DataNodes with "
                                + (use.getRelease().isEmpty() ? "an older one" : use.getRelease()))
                        .collect(Collectors.joining(", ", status.getRelease() + "; ", ""));
    }

    private static long at(Map<String, Long> figures, String id) {
        return figures.getOrDefault("placement." + id, 0L);
    }
}
