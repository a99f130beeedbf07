package io.terrace.placementctl.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.protocol.StampedBlock;
import org.junit.jupiter.api.Test;

class ReplayedDataNodeTest {

    @Test
    void heartbeat_tellsOfTheBytesThatWereRead() {
        ReplayedDataNode node = new ReplayedDataNode(1, 1000, 250, id -> new StampedBlock(id, 1, 100));
        node.read(0, 7, 30);
        node.read(1, 7, 40);
        Heat heat = node.heartbeat().heat().get(0);
        assertThat(heat.reads()).isEqualTo(2);
        assertThat(heat.bytesRead()).isEqualTo(70);
        node.read(2, 7, 5);
        assertThat(node.heartbeat().heat().get(0).bytesRead())
                .as("since the heartbeat before")
                .isEqualTo(5);
    }
}
