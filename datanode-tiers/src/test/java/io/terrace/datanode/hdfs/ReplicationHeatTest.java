package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.conf.TerraceSettings;
import io.terrace.protocol.proto.DataNodeProtos.HeatProto;
import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What DataNodes report as written: what clients write, and nothing that they send to each other. */
@Tag("cluster")
class ReplicationHeatTest {

    private static FakePlacement service;
    private static TerraceCluster cluster;

    @BeforeAll
    static void start() throws IOException {
        service = new FakePlacement();
        Configuration conf = TerraceCluster.configuration();
        conf.set(TerraceSettings.PLACEMENT_RPC_ADDRESS.key(), service.address());
        cluster = TerraceCluster.start(2, conf);
    }

    @AfterAll
    static void stop() throws IOException {
        cluster.close();
        service.close();
    }

    private static long writes(Path file) throws IOException {
        long id = cluster.key(file, 0).blockId();
        return service.heartbeats.stream()
                .flatMap(heartbeat -> heartbeat.getHeatList().stream())
                .filter(heat -> heat.getBlock().getBlockId() == id)
                .mapToLong(HeatProto::getWrites)
                .sum();
    }

    @Test
    void block_thatIsReplicated_wasWrittenByItsClientAlone() throws Exception {
        Path file = cluster.write("replicated", 100_000, 1);
        await().until(() -> writes(file), writes -> writes == 1);
        assertThat(cluster.fs().setReplication(file, (short) 2)).isTrue();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> cluster.located(file, 0).getLocations().length == 2);
        // Of both DataNodes, so both have reported what was finalised before.
        Path later = cluster.write("later", 100_000, 2);
        await().until(() -> writes(later), writes -> writes == 2);
        assertThat(writes(file)).isEqualTo(1);
    }
}
