package io.terrace.bench.tiers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.protocol.proto.AdminProtos.MoveProto;
import io.terrace.protocol.proto.AdminProtos.PolicyRequestProto;
import io.terrace.protocol.proto.AdminProtos.PoolUseProto;
import io.terrace.protocol.proto.AdminProtos.TiersRequestProto;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi.FsVolumeReferences;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two pools share the SSDs of two DataNodes, each with room for twelve blocks below its high-water mark. */
@Tag("cluster")
class PooledSsdTest {

    private static final long SSD_BYTES = 4L << 20;

    private FourTierCluster tiers;

    @BeforeEach
    void start() throws Exception {
        tiers = new FourTierCluster(Map.of());
        for (DataNode dataNode : tiers.cluster.getDataNodes()) {
            try (FsVolumeReferences volumes = dataNode.getFSDataset().getFsVolumeReferences()) {
                for (FsVolumeSpi volume : volumes) {
                    if (volume.getStorageType() == StorageType.SSD) {
                        ((FsVolumeImpl) volume).setCapacityForTesting(SSD_BYTES);
                    }
                }
            }
            dataNode.scheduleAllBlockReport(0);
        }
        tiers.cluster.triggerHeartbeats();
    }

    @AfterEach
    void stop() throws Exception {
        tiers.close();
    }

    private List<Path> files(String directory, int count) throws Exception {
        List<Path> files = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            files.add(new Path(directory, String.valueOf(i)));
            tiers.create(files.get(i));
        }
        return files;
    }

    private int onSsd(List<Path> files) throws Exception {
        int found = 0;
        for (Path file : files) {
            found += tiers.types(file).equals(List.of(StorageType.SSD, StorageType.SSD)) ? 1 : 0;
        }
        return found;
    }

    private void readUntilOnSsd(List<Path> files, int expected) {
        await().atMost(FourTierCluster.PATIENCE.multipliedBy(2)).until(() -> {
            for (Path file : files) {
                assertThat(DFSTestUtil.readFileAsBytes(tiers.fs, file)).isEqualTo(tiers.bytes);
            }
            return onSsd(files) == expected;
        });
    }

    @Test
    void shares_areLentAndTakenBack_andTiersExplainAndPolicySayIt() throws Exception {
        tiers.policy("pools:\n"
                + "  - {name: etl, share: 10%, tiers: {ssd: {share: 30%}}}\n"
                + "  - {name: bi, share: 10%, tiers: {ssd: {share: 30%, most: 100%}}}\n"
                + "rules:\n"
                + "  - {path: /etl/**, pool: etl, tiers: ssd..disk, replicas: all}\n"
                + "  - {path: /bi/**, pool: bi, tiers: ssd..disk, replicas: all}");
        List<Path> bi = files("/bi", 12);
        readUntilOnSsd(bi, 12);
        List<Path> etl = files("/etl", 4);
        readUntilOnSsd(etl, 3);
        await().atMost(FourTierCluster.PATIENCE).until(() -> tiers.moves().getInFlight() == 0);
        assertThat(onSsd(bi)).as("of the borrower").isBetween(8, 9);

        List<PoolUseProto> uses = tiers.service
                .tiers(null, TiersRequestProto.getDefaultInstance())
                .getNodes(0)
                .getPoolsList();
        assertThat(uses)
                .extracting(use -> use.getTier() + " " + use.getName())
                .containsExactly("memory default", "memory etl", "memory bi", "ssd default", "ssd etl", "ssd bi");
        assertThat(uses.get(4).getUsedBytes()).isEqualTo(3 * FourTierCluster.BYTES);
        assertThat(uses.get(4).getOwnBytes()).isBetween(3L * FourTierCluster.BYTES, 4L * FourTierCluster.BYTES);

        Path out = etl.stream()
                .filter(file -> !types(file).contains(StorageType.SSD))
                .findFirst()
                .orElseThrow();
        assertThat(tiers.explain(out).getBlocks(0).getReplicas(0).getStays())
                .startsWith("pool etl has 0 MB of ssd there");
        assertThat(tiers.explain(out).getBlocks(0).getRange())
                .isEqualTo("rule 1 of the policy keeps it in ssd..disk, pool etl of ssd");
        assertThat(tiers.moves().getMovesList().stream()
                        .filter(move -> move.getReason().endsWith("pool etl takes its share of ssd back")))
                .extracting(MoveProto::getCause)
                .isNotEmpty()
                .containsOnly("full");
        assertThat(tiers.service
                        .policy(null, PolicyRequestProto.getDefaultInstance())
                        .getPools(2)
                        .getTiers(0)
                        .getMost())
                .isEqualTo(1);
    }

    private List<StorageType> types(Path file) {
        try {
            return tiers.types(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
