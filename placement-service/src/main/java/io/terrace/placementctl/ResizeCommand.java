package io.terrace.placementctl;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.common.Quantity;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.AdminCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Bytes;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import io.terrace.protocol.proto.AdminProtos.TiersRequestProto;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import io.terrace.protocol.proto.DataNodeProtos.ResizedProto;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code placementctl resize}. Sends the request and waits until the DataNodes have answered with their heartbeats. */
@Command(
        name = "resize",
        description = {
            "Changes how much memory the copies on a DataNode, or on all that report, may use, until it restarts. The DataNode"
                    + " refuses what is above terrace.datanode.memory.capacity.max or does not fit its tmpfs.",
            "Needs the superuser or terrace.placement.admin.acl."
        },
        mixinStandardHelpOptions = true)
final class ResizeCommand extends AdminCommand {

    private static final String ALL = "all";
    private static final long ANSWER_NS = TimeUnit.SECONDS.toNanos(15);
    private static final long LOOK_MS = 200;

    @Parameters(index = "0", paramLabel = "DATANODE|all", description = "HOST:PORT, also as UUID; or all.")
    String target;

    @Parameters(index = "1", paramLabel = "SIZE", converter = Bytes.class, description = "Bytes, e.g. 64g.")
    long bytes;

    @Override
    protected int run(AdminClient client, Printer printer) throws Refused, Unreachable, InterruptedException {
        if (bytes <= 0) {
            throw cluster().usage("SIZE is " + bytes + "; it must be above 0");
        }
        ChangeRequestProto.Builder request =
                ChangeRequestProto.newBuilder().setVerb(VerbProto.RESIZE).setCapacityBytes(bytes);
        if (!target.equals(ALL)) {
            request.setNode(target);
        }
        ChangeResponseProto response = client.active(service -> service.change(null, request.build()));
        List<NodeProto> nodes = answered(client);
        boolean refused = response.getAccepted() == 0
                || response.getRefused() > 0
                || nodes.stream().anyMatch(ResizeCommand::isRefused);
        if (cluster().json) {
            printer.json(json(response, nodes, refused));
        } else {
            response.getMessagesList().forEach(message -> printer.line(Table.printable(message)));
            nodes.forEach(node -> printer.line(node.getName() + ": "
                    + Table.printable(node.hasResizingToBytes() ? "has not answered yet" : text(node.getResized()))));
            if (response.getAccepted() == 0 && response.getMessagesCount() == 0) {
                printer.line(printer.doubtful("No DataNode reports."));
            }
        }
        return refused ? ExitCode.REFUSED : ExitCode.OK;
    }

    /** Those that were asked, once they have answered or time is up. */
    private List<NodeProto> answered(AdminClient client) throws Refused, Unreachable, InterruptedException {
        long deadlineNs = System.nanoTime() + ANSWER_NS;
        while (true) {
            List<NodeProto> nodes = client
                    .active(service -> service.tiers(null, TiersRequestProto.getDefaultInstance()))
                    .getNodesList()
                    .stream()
                    .filter(node ->
                            target.equals(ALL) || target.equals(node.getName()) || target.equals(node.getUuid()))
                    .filter(node -> node.hasResizingToBytes()
                            || (node.hasResized() && node.getResized().getCapacityBytes() == bytes))
                    .toList();
            if (nodes.stream().noneMatch(NodeProto::hasResizingToBytes) || System.nanoTime() - deadlineNs > 0) {
                return nodes;
            }
            Thread.sleep(LOOK_MS);
        }
    }

    private static boolean isRefused(NodeProto node) {
        return node.hasResizingToBytes() || node.getResized().hasRefusal();
    }

    /** What came of a change of size. */
    static String text(ResizedProto resized) {
        String to = Quantity.bytes(resized.getCapacityBytes());
        if (resized.hasRefusal()) {
            return "its memory was not resized to " + to + ": " + resized.getRefusal();
        }
        return resized.getCapacityBytes() == resized.getConfiguredBytes()
                ? "its memory has the size that its setting says, " + to
                : "its memory was resized to " + to + " until it restarts; its setting says "
                        + Quantity.bytes(resized.getConfiguredBytes());
    }

    private ObjectNode json(ChangeResponseProto response, List<NodeProto> nodes, boolean refused) {
        ObjectNode json = ProtoJson.object(response).put("verb", "resize").put("done", !refused);
        ArrayNode array = json.putArray("nodes");
        for (NodeProto node : nodes) {
            ObjectNode one = array.addObject().put("name", node.getName()).put("answered", !node.hasResizingToBytes());
            if (node.hasResized()) {
                one.set("resized", ProtoJson.object(node.getResized()));
            }
        }
        return json;
    }
}
