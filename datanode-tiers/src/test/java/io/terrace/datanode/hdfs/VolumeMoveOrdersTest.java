package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.OutcomeProto;
import io.terrace.protocol.proto.DataNodeProtos.ResultProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import java.time.Duration;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Orders of a placement service to move a replica between volumes. */
@Tag("cluster")
class VolumeMoveOrdersTest {

    private static final int BYTES = 700_003;

    @Test
    void order_isCarriedOut_andItsResultSaysWhereTheReplicaIs() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        try (FakePlacement service = new FakePlacement()) {
            conf.set(TerraceSettings.PLACEMENT_RPC_ADDRESS.key(), service.address());
            try (TerraceCluster cluster = TerraceCluster.start(1, conf, TieredVolumes.TYPES)) {
                TieredVolumes volumes = new TieredVolumes(cluster);
                Path file = cluster.write("ordered", BYTES, 1);
                BlockVersion block = volumes.version(file, 0);

                ResultProto moved = result(service, service.move(block, StorageTier.NVM));
                assertThat(moved.getOutcome()).as("%s", moved).isEqualTo(OutcomeProto.DONE);
                assertThat(moved.getBytesMoved()).isEqualTo(BYTES);
                assertThat(moved.getTier()).isEqualTo(TierProto.NVM);
                volumes.awaitReported(file, StorageTier.NVM);
                assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("ordered", BYTES));
                assertThat(cluster.figure(0, Metric.VOLUME_MOVED)).isEqualTo(1);
                assertThat(cluster.figure(0, Metric.VOLUME_MOVED_BYTES)).isEqualTo(BYTES);
                assertThat(service.heartbeats).anyMatch(HeartbeatRequestProto::getTakesVolumeMoves);

                ResultProto again = result(service, service.move(block, StorageTier.NVM));
                assertThat(again.getOutcome()).isEqualTo(OutcomeProto.DONE);
                assertThat(again.getBytesMoved()).isZero();

                BlockVersion longer = new BlockVersion(block.key(), BYTES + 1);
                ResultProto notHere = result(service, service.move(longer, StorageTier.DISK));
                assertThat(notHere.getOutcome()).isEqualTo(OutcomeProto.NOT_HERE);
                assertThat(notHere.getTier()).isEqualTo(TierProto.NVM);
                assertThat(cluster.figure(0, Metric.VOLUME_MOVES_FAILED)).isEqualTo(1);
            }
        }
    }

    private static ResultProto result(FakePlacement service, long moveId) {
        return await().atMost(Duration.ofSeconds(20))
                .until(() -> service.result(moveId), Optional::isPresent)
                .orElseThrow();
    }
}
