package io.terrace.bench.tiers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.conf.TerraceSettings;
import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.proto.AdminProtos.BlockReportProto;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ExplainRequestProto;
import io.terrace.protocol.proto.AdminProtos.MoveProto;
import io.terrace.protocol.proto.AdminProtos.MovesRequestProto;
import io.terrace.protocol.proto.AdminProtos.MovesResponseProto;
import io.terrace.protocol.proto.AdminProtos.ReplicaProto;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.SafeModeAction;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.RollingUpgradeAction;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The service moves replicas between the volumes of two DataNodes with four storage types each. */
@Tag("cluster")
class TieredMovesTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int BYTES = 300_001;
    private static final StorageType[] TYPES = {
        StorageType.DISK, StorageType.SSD, StorageType.ARCHIVE, StorageType.NVDIMM
    };

    private java.nio.file.Path scratch;
    private MiniDFSCluster cluster;
    private DistributedFileSystem fs;
    private PlacementAdminPB service;
    private final Path file = new Path("/data/file");
    private byte[] bytes;

    @BeforeEach
    void start() throws Exception {
        java.nio.file.Path memory = java.nio.file.Path.of("/dev/shm");
        boolean tmpfs = Files.isWritable(memory);
        scratch =
                tmpfs ? Files.createTempDirectory(memory, "terrace-tiers") : Files.createTempDirectory("terrace-tiers");
        Files.setPosixFilePermissions(scratch, PosixFilePermissions.fromString("rwx--x--x"));
        Configuration conf = new HdfsConfiguration();
        conf.set(
                "dfs.datanode.fsdataset.factory",
                "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.TerraceDatasetFactory");
        conf.set("dfs.datanode.plugins", "io.terrace.datanode.hdfs.TerraceDataNodePlugin");
        conf.set("dfs.namenode.plugins", "io.terrace.placement.hdfs.TerraceNameNodePlugin");
        conf.setInt("dfs.heartbeat.interval", 1);
        conf.set(TerraceSettings.PLACEMENT_RPC_ADDRESS.key(), "127.0.0.1:0");
        conf.set(TerraceSettings.DATANODE_MEMORY_CAPACITY.key(), "16m");
        conf.setBoolean(TerraceSettings.DATANODE_MEMORY_REQUIRE_TMPFS.key(), tmpfs);
        conf.set(TerraceSettings.DATANODE_HEARTBEAT_INTERVAL.key(), "100ms");
        conf.set(TerraceSettings.PLACEMENT_INTERVAL.key(), "50ms");
        conf.set(
                TerraceSettings.CHANNEL_DIR.key(),
                Files.createDirectory(scratch.resolve("channel")).toString());
        Configuration[] overlays = new Configuration[2];
        for (int i = 0; i < overlays.length; i++) {
            overlays[i] = new Configuration(false);
            overlays[i].set(
                    TerraceSettings.DATANODE_MEMORY_DIR.key(),
                    Files.createDirectory(scratch.resolve("memory" + i)).toString());
        }
        cluster = new MiniDFSCluster.Builder(conf, scratch.resolve("dfs").toFile())
                .numDataNodes(0)
                .storagesPerDatanode(TYPES.length)
                .build();
        // The NameNode has a port by now that no other process has.
        String address = cluster.getNameNode().getConf().get(TerraceSettings.PLACEMENT_RPC_ADDRESS.key());
        conf.set(TerraceSettings.PLACEMENT_RPC_ADDRESS.key(), address);
        cluster.startDataNodes(
                conf,
                overlays.length,
                new StorageType[][] {TYPES, TYPES},
                true,
                null,
                null,
                null,
                null,
                null,
                false,
                false,
                false,
                overlays,
                null,
                null);
        cluster.waitActive();
        fs = cluster.getFileSystem();
        RPC.setProtocolEngine(conf, PlacementAdminPB.class, ProtobufRpcEngine2.class);
        service = RPC.getProxy(
                PlacementAdminPB.class,
                RPC.getProtocolVersion(PlacementAdminPB.class),
                NetUtils.createSocketAddr(address),
                conf);
        bytes = new byte[BYTES];
        new Random(1).nextBytes(bytes);
        try (FSDataOutputStream out = fs.create(file, (short) 2)) {
            out.write(bytes);
        }
    }

    @AfterEach
    void stop() throws IOException {
        RPC.stopProxy(service);
        cluster.shutdown();
        try (Stream<java.nio.file.Path> tree = Files.walk(scratch)) {
            for (java.nio.file.Path path :
                    tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }

    private void rule(String... lines) throws ServiceException {
        String text = "policy: idecider\nparameters: {threshold: 1000000}\nrules:\n- path: /data/**\n  "
                + String.join("\n  ", lines) + "\n";
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> service.change(
                                        null,
                                        ChangeRequestProto.newBuilder()
                                                .setVerb(VerbProto.APPLY_POLICY)
                                                .setPolicyText(text)
                                                .build())
                                .getRefused()
                        == 0);
    }

    private List<StorageType> types() throws IOException {
        LocatedBlock block =
                fs.getClient().getLocatedBlocks(file.toString(), 0, BYTES).get(0);
        return Arrays.stream(block.getStorageTypes()).sorted().toList();
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
        assertThat(DFSTestUtil.readFileAsBytes(fs, file)).isEqualTo(bytes);
    }

    private BlockReportProto explain() throws ServiceException {
        return service.explain(
                        null,
                        ExplainRequestProto.newBuilder()
                                .setTarget(file.toString())
                                .build())
                .getBlocks(0);
    }

    private MovesResponseProto moves() throws ServiceException {
        return service.moves(null, MovesRequestProto.getDefaultInstance());
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
        // The service has seen the replica that did not climb. Of the other, which it moved itself, it concludes nothing
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
}
