package io.terrace.bench.tiers;

import static org.awaitility.Awaitility.await;

import io.terrace.conf.TerraceSettings;
import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.ExplainRequestProto;
import io.terrace.protocol.proto.AdminProtos.ExplainResponseProto;
import io.terrace.protocol.proto.AdminProtos.MovesRequestProto;
import io.terrace.protocol.proto.AdminProtos.MovesResponseProto;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

/** Two DataNodes with four storage types each, the placement service, and calls of it. */
final class FourTierCluster implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofMinutes(1);
    static final int BYTES = 300_001;
    private static final StorageType[] TYPES = {
        StorageType.DISK, StorageType.SSD, StorageType.ARCHIVE, StorageType.NVDIMM
    };

    final MiniDFSCluster cluster;
    final DistributedFileSystem fs;
    final PlacementAdminPB service;
    /** What is in each file. */
    final byte[] bytes = new byte[BYTES];

    private final java.nio.file.Path scratch;

    /**
     * @param settings in addition to what a test of moves needs
     * @param more types of storage, in addition to the four
     */
    FourTierCluster(Map<String, String> settings, StorageType... more) throws IOException {
        StorageType[] types = Stream.concat(Stream.of(TYPES), Stream.of(more)).toArray(StorageType[]::new);
        new Random(1).nextBytes(bytes);
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
        settings.forEach(conf::set);
        Configuration[] overlays = new Configuration[2];
        for (int i = 0; i < overlays.length; i++) {
            overlays[i] = new Configuration(false);
            overlays[i].set(
                    TerraceSettings.DATANODE_MEMORY_DIR.key(),
                    Files.createDirectory(scratch.resolve("memory" + i)).toString());
        }
        cluster = new MiniDFSCluster.Builder(conf, scratch.resolve("dfs").toFile())
                .numDataNodes(0)
                .storagesPerDatanode(types.length)
                .build();
        // The service starts beside the NameNode, and then says which port it has.
        Configuration started = cluster.getNameNode().getConf();
        String address = await().atMost(PATIENCE)
                .until(() -> started.get(TerraceSettings.PLACEMENT_RPC_ADDRESS.key()), set -> !set.endsWith(":0"));
        conf.set(TerraceSettings.PLACEMENT_RPC_ADDRESS.key(), address);
        cluster.startDataNodes(
                conf,
                overlays.length,
                new StorageType[][] {types, types},
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
    }

    @Override
    public void close() throws IOException {
        RPC.stopProxy(service);
        cluster.shutdown();
        try (Stream<java.nio.file.Path> tree = Files.walk(scratch)) {
            for (java.nio.file.Path path :
                    tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }

    /** A file of one block with a replica on each DataNode. */
    void create(Path file) throws IOException {
        try (FSDataOutputStream out = fs.create(file, (short) 2)) {
            out.write(bytes);
        }
    }

    /** Puts a policy in force that promotes nothing to memory, with these lines of rules. */
    void rules(String... lines) {
        policy("rules:\n" + String.join("\n", lines));
    }

    /** The same, with these lines in addition to the policy. */
    void policy(String lines) {
        inForce("policy: idecider\nparameters: {threshold: 1000000}\n" + lines + "\n");
    }

    /** Puts the policy of that text in force. */
    void inForce(String text) {
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

    /** Where the replicas of a file are. */
    List<StorageType> types(Path file) throws IOException {
        LocatedBlock block =
                fs.getClient().getLocatedBlocks(file.toString(), 0, BYTES).get(0);
        return Arrays.stream(block.getStorageTypes()).sorted().toList();
    }

    ExplainResponseProto explain(Path file) throws ServiceException {
        return service.explain(
                null,
                ExplainRequestProto.newBuilder().setTarget(file.toString()).build());
    }

    MovesResponseProto moves() throws ServiceException {
        return service.moves(null, MovesRequestProto.getDefaultInstance());
    }
}
