package io.terrace.placement.hdfs.web;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.placement.hdfs.admin.ClusterSnapshot;
import io.terrace.protocol.MessageJson;
import io.terrace.protocol.proto.AdminProtos.FindingProto;
import io.terrace.protocol.proto.AdminProtos.MoveProto;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import java.util.List;

/** A snapshot as JSON, written once for all who look at it. */
final class ClusterJson {

    private final ClusterSnapshot snapshot;
    private final byte[] status;
    private final byte[] forUsers;
    private final byte[] forNobody;

    ClusterJson(ClusterSnapshot snapshot) {
        this.snapshot = snapshot;
        this.status = WebAnswer.bytes(MessageJson.object(snapshot.status()));
        this.forUsers = WebAnswer.bytes(cluster(true));
        this.forNobody = WebAnswer.bytes(cluster(false));
    }

    ClusterSnapshot snapshot() {
        return snapshot;
    }

    /** As {@code placementctl status --json} has it for one service. */
    byte[] status() {
        return status;
    }

    /**
     * Tiers by DataNode, reads, moves and findings.
     *
     * @param named whether the user has a name; sentences, which may quote a path, are left out for others
     */
    byte[] clusterFor(boolean named) {
        return named ? forUsers : forNobody;
    }

    private ObjectNode cluster(boolean sentences) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode nodes = json.putArray("nodes");
        ReadCounters reads = ReadCounters.NONE;
        for (NodeProto node : snapshot.nodes()) {
            reads = reads.plus(ReadCounters.of(node));
            // Long, and shown in sum or as findings.
            nodes.add(MessageJson.object(
                    node.toBuilder().clearFigures().clearConditions().build()));
        }
        ArrayNode withoutPlugin = json.putArray("withoutPlugin");
        snapshot.withoutPlugin().forEach(withoutPlugin::add);
        json.set("reads", reads.json());
        moves(json.putArray("movesInFlight"), snapshot.inFlight(), sentences);
        moves(json.putArray("movesEnded"), snapshot.ended(), sentences);
        ArrayNode findings = json.putArray("findings");
        for (FindingProto finding : snapshot.findings()) {
            ObjectNode one = MessageJson.object(finding.getFinding());
            one.put("where", finding.getWhere());
            if (!sentences) {
                one.remove(List.of("text", "remedy"));
            }
            findings.add(one);
        }
        return json;
    }

    private static void moves(ArrayNode json, List<MoveProto> moves, boolean sentences) {
        for (MoveProto move : moves) {
            json.add(MessageJson.object(
                    sentences
                            ? move
                            : move.toBuilder().clearReason().clearMessage().build()));
        }
    }
}
