package io.terrace.placement.hdfs.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.placement.move.Refusals;
import io.terrace.placement.report.NodeReport;
import io.terrace.protocol.StampedBlock;
import io.terrace.protocol.proto.AdminProtos.ChangeResponseProto;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which DataNode an operator means. */
class AdminChangesTest {

    private static NodeReport node(String uuid, String name, boolean live) {
        return new NodeReport(
                uuid, name, live, true, true, 0, 0, List.of(), 0, 0, 0, 0, List.of(), List.of(), Map.of(), "");
    }

    @Test
    void named_dataNodeThatCameBackWithAnotherUuid_isTheLiveOne() {
        List<NodeReport> nodes = List.of(node("old", "dn1:9866", false), node("new", "dn1:9866", true));
        assertThat(AdminChanges.named(nodes, "dn1:9866").uuid()).isEqualTo("new");
        assertThat(AdminChanges.named(nodes, "old").uuid()).isEqualTo("old");
        assertThatThrownBy(() -> AdminChanges.named(nodes, "dn2:9866")).hasMessageContaining("no DataNode dn2:9866");
    }

    @Test
    void fileWithMoreBlocksThanOneCallTakes_isPartlyRefused() {
        Refusals refusals = new Refusals();
        AdminChanges.tellOfRest(AdminChanges.MOST_BLOCKS, refusals);
        assertThat(refusals.count()).isZero();
        AdminChanges.tellOfRest(AdminChanges.MOST_BLOCKS + 1, refusals);
        assertThat(refusals.count()).isEqualTo(1);
        assertThat(refusals.lines()).singleElement().asString().contains("first 10000 of the file's 10001 blocks");
    }

    @Test
    void response_saysHowManyMessagesAreRefusals() {
        Refusals refusals = new Refusals();
        refusals.addBeyond(500, "only the first are taken");
        refusals.add(new StampedBlock(1, 1, 1), "no DataNode that holds it is live");

        ChangeResponseProto response = AdminChanges.response(List.of(), refusals);
        assertThat(response.getRefused()).isEqualTo(501);
        assertThat(response.getRefusalMessages()).isEqualTo(2);
    }
}
