package io.terrace.bench.tiers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.protocol.proto.AdminProtos.BlockReportProto;
import io.terrace.protocol.proto.AdminProtos.MoveProto;
import io.terrace.protocol.proto.AdminProtos.MovesResponseProto;
import io.terrace.protocol.proto.AdminProtos.ReplicaProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSCluster.DataNodeProperties;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.RollingUpgradeAction;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The service moves replicas between the volumes of two DataNodes with four storage types each. */
@Tag("cluster")
class TieredMovesTest {

    private static final Duration PATIENCE = FourTierCluster.PATIENCE;
    private static final int BYTES = FourTierCluster.BYTES;

    private final Path file = new Path("/data/file");
    private FourTierCluster tiers;
    private MiniDFSCluster cluster;
    private DistributedFileSystem fs;

    @BeforeEach
    void start() throws Exception {
        tiers = new FourTierCluster(Map.of());
        cluster = tiers.cluster;
        fs = tiers.fs;
        tiers.create(file);
    }

    @AfterEach
    void stop() throws IOException {
        tiers.close();
    }

    private void rule(String... lines) {
        tiers.rules("- path: /data/**\n  " + String.join("\n  ", lines));
    }

    private List<StorageType> types() throws IOException {
        return tiers.types(file);
    }

    /** Reads the file again and again, as somebody who needs it, until its replicas are on volumes of these types. */
    private void readUntil(StorageType... expected) {
        await().alias("replicas on " + Arrays.toString(expected))
                .atMost(PATIENCE)
                .until(() -> {
                    read();
                    return types().equals(Arrays.stream(expected).sorted().toList());
                });
    }

    private void read() throws IOException {
        assertThat(DFSTestUtil.readFileAsBytes(fs, file)).isEqualTo(tiers.bytes);
    }

    private BlockReportProto explain() throws ServiceException {
        return tiers.explain(file).getBlocks(0);
    }

    private MovesResponseProto moves() throws ServiceException {
        return tiers.moves();
    }

    @Test
    void rules_bringReplicasFromTierToTier_andHeatLiftsOne() throws Exception {
        rule("tiers: nvm");
        readUntil(StorageType.NVDIMM, StorageType.NVDIMM);
        rule("tiers: archive");
        await().atMost(PATIENCE).until(() -> types().equals(List.of(StorageType.ARCHIVE, StorageType.ARCHIVE)));
        rule("tiers: ssd..disk");
        readUntil(StorageType.DISK, StorageType.SSD);
        rule("tiers: ssd..disk", "replicas: all");
        readUntil(StorageType.SSD, StorageType.SSD);
        read();
        assertThat(explain().getRange()).isEqualTo("rule 1 of the policy keeps it in ssd..disk");
        // The NameNode hears of a move from the DataNode, the service with the next heartbeat.
        await().atMost(PATIENCE).until(() -> moves().getInFlight() == 0);
        List<MoveProto> moves = moves().getMovesList().stream()
                .filter(move -> move.getState().equals("done"))
                .toList();
        assertThat(moves).extracting(MoveProto::getCause).contains("rule", "heat");
        assertThat(moves)
                .extracting(move -> move.getFrom() + " " + move.getTo())
                .contains("DISK NVM", "NVM ARCHIVE", "ARCHIVE DISK", "DISK SSD");
    }

    @Test
    void whatOthersMoved_stays_andExplainSaysSo() throws Exception {
        rule("tiers: ssd..disk");
        // The service has seen the replica that did not climb. Of the other, which it moved itself, it concludes
        // nothing
        // for a minute.
        readUntil(StorageType.DISK, StorageType.SSD);
        LocatedBlock located =
                fs.getClient().getLocatedBlocks(file.toString(), 0, BYTES).get(0);
        int seen = Arrays.asList(located.getStorageTypes()).indexOf(StorageType.DISK);
        // What a DataNode does when Mover or Satisfier ask it to.
        cluster.getDataNode(located.getLocations()[seen].getIpcPort())
                .getFSDataset()
                .moveBlockAcrossStorage(located.getBlock(), StorageType.ARCHIVE, null);
        await().atMost(PATIENCE).until(() -> types().equals(List.of(StorageType.SSD, StorageType.ARCHIVE)));
        await().atMost(PATIENCE).until(() -> {
            read();
            return explain().getReplicasList().stream()
                    .map(ReplicaProto::getStays)
                    .anyMatch(why -> why.startsWith("moved from disk to archive by others"));
        });
        assertThat(types()).containsExactly(StorageType.SSD, StorageType.ARCHIVE);
    }

    @Test
    void rollingUpgrade_stopsMoves() throws Exception {
        fs.setSafeMode(SafeModeAction.ENTER);
        fs.rollingUpgrade(RollingUpgradeAction.PREPARE);
        fs.setSafeMode(SafeModeAction.LEAVE);
        rule("tiers: nvm");
        assertThat(moves().getStopped()).isEqualTo("a rolling upgrade is under way");
        read();
        fs.rollingUpgrade(RollingUpgradeAction.FINALIZE);
        readUntil(StorageType.NVDIMM, StorageType.NVDIMM);
        assertThat(moves().hasStopped()).isFalse();
        assertThat(moves().getMovesList()).extracting(MoveProto::getTo).containsOnly(TierProto.NVM);
    }

    @Test
    void upgradeThatIsNotFinalized_stopsMoves() throws Exception {
        List<DataNodeProperties> stopped = List.of(cluster.stopDataNode(0), cluster.stopDataNode(0));
        cluster.restartNameNode(0, false, "-upgrade");
        for (DataNodeProperties datanode : stopped) {
            cluster.restartDataNode(datanode, true);
        }
        cluster.waitActive();
        rule("tiers: nvm");
        assertThat(moves().getStopped()).isEqualTo("an upgrade is not finalized");
        for (int i = 0; i < 20; i++) {
            read();
        }
        assertThat(explain().getReplicasList())
                .allSatisfy(replica -> assertThat(replica.getStays()).isEqualTo("an upgrade is not finalized"));
        assertThat(types()).containsExactly(StorageType.DISK, StorageType.DISK);
        fs.finalizeUpgrade();
        readUntil(StorageType.NVDIMM, StorageType.NVDIMM);
        assertThat(moves().hasStopped()).isFalse();
    }
}
