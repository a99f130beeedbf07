package io.terrace.placement.hdfs.web;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.placement.hdfs.admin.ClusterSnapshot;
import io.terrace.protocol.MessageJson;
import io.terrace.protocol.proto.AdminProtos.MoveProto;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A snapshot as JSON, written when the first asks and once for all who look at it. Thread-safe. */
final class ClusterJson {

    /** Of a DataNode, what the page does not show. */
    private static final List<String> NOT_SHOWN =
            List.of("uuid", "upMs", "residents", "figures", "conditions", "release");

    private final ClusterSnapshot snapshot;
    private @Nullable WebAnswer status;
    private @Nullable WebAnswer forUsers;
    private @Nullable WebAnswer forNobody;

    ClusterJson(ClusterSnapshot snapshot) {
        this.snapshot = snapshot;
    }

    ClusterSnapshot snapshot() {
        return snapshot;
    }

    /** As {@code placementctl status --json} has it for one service. */
    synchronized WebAnswer status() {
        WebAnswer written = status;
        if (written == null) {
            written = WebAnswer.json(MessageJson.object(snapshot.status()));
            status = written;
        }
        return written;
    }

    /**
     * Tiers by DataNode, reads, moves and findings.
     *
     * @param named whether the user has a name; sentences, which may quote a path, are left out for others
     */
    synchronized WebAnswer clusterFor(boolean named) {
        WebAnswer written = named ? forUsers : forNobody;
        if (written == null) {
            written = WebAnswer.json(cluster(named));
            if (named) {
                forUsers = written;
            } else {
                forNobody = written;
            }
        }
        return written;
    }

    private ObjectNode cluster(boolean sentences) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode nodes = json.putArray("nodes");
        ReadCounters reads = ReadCounters.NONE;
        for (NodeProto node : snapshot.nodes()) {
            reads = reads.plus(ReadCounters.of(node));
            nodes.add(MessageJson.object(node).remove(NOT_SHOWN));
        }
        ArrayNode withoutPlugin = json.putArray("withoutPlugin");
        snapshot.withoutPlugin().forEach(withoutPlugin::add);
        json.set("reads", reads.json());
        moves(json.putArray("movesInFlight"), snapshot.inFlight(), sentences);
        moves(json.putArray("movesEnded"), snapshot.ended(), sentences);
        ArrayNode findings = json.putArray("findings");
        SharedFinding.of(snapshot.findings()).forEach(one -> findings.add(one.json(sentences)));
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
