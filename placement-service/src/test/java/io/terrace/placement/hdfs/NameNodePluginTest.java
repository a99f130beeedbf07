package io.terrace.placement.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.hdfs.namesystem.NamesystemView;
import io.terrace.placement.hdfs.web.MetricsPublisher;
import io.terrace.placement.policyfile.PathAnnotations;
import io.terrace.placement.state.NamespaceView.Candidate;
import io.terrace.placement.state.NamespaceView.FilePart;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.placement.state.NamespaceView.Verdict;
import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.StampedBlock;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import io.terrace.protocol.proto.AdminProtos.TiersRequestProto;
import io.terrace.protocol.proto.AdminProtos.TiersResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderKindProto;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.net.NetUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plugin in a real NameNode, DataNodes spoken for by {@link StandInDataNode}. */
@Tag("cluster")
public class NameNodePluginTest {

    private static final long BLOCK = 1 << 20;

    @TempDir
    static java.nio.file.Path dir;

    private static MiniDFSCluster cluster;
    private static DistributedFileSystem fs;
    private StandInDataNode one;
    private StandInDataNode two;

    public static Configuration conf() {
        Configuration conf = new HdfsConfiguration();
        conf.set("dfs.namenode.plugins", TerraceNameNodePlugin.class.getName());
        conf.set("terrace.placement.rpc-address", "127.0.0.1:0");
        conf.setLong("dfs.blocksize", BLOCK);
        conf.setLong("dfs.namenode.fs-limits.min-block-size", 1024);
        return conf;
    }

    /** Where the service of a NameNode really listens, once it does. */
    public static InetSocketAddress service(MiniDFSCluster cluster, int nameNode) {
        Configuration conf = cluster.getNameNode(nameNode).getConf();
        await().atMost(Duration.ofSeconds(20))
                .until(() -> !conf.get("terrace.placement.rpc-address").endsWith(":0"));
        return NetUtils.createSocketAddr(conf.get("terrace.placement.rpc-address"));
    }

    @BeforeAll
    static void startCluster() throws Exception {
        cluster =
                new MiniDFSCluster.Builder(conf(), dir.toFile()).numDataNodes(2).build();
        cluster.waitActive();
        fs = cluster.getFileSystem();
    }

    @AfterAll
    static void stopCluster() {
        cluster.shutdown(true);
    }

    @BeforeEach
    void connect() throws IOException {
        one = standIn(0);
        two = standIn(1);
    }

    private static StandInDataNode standIn(int index) throws IOException {
        return new StandInDataNode(
                service(cluster, 0),
                cluster.getConfiguration(0),
                cluster.getDataNodes().get(index),
                cluster.getNamesystem().getBlockPoolId(),
                8 * BLOCK);
    }

    @AfterEach
    void disconnect() {
        one.close();
        two.close();
    }

    private static ExtendedBlock write(String path) throws Exception {
        DFSTestUtil.createFile(fs, new Path(path), BLOCK, (short) 2, 7);
        return DFSTestUtil.getFirstBlock(fs, new Path(path));
    }

    private HeartbeatResponseProto whenActive() {
        return await().atMost(Duration.ofSeconds(10)).until(one::beat, HeartbeatResponseProto::getActive);
    }

    @Test
    void heartbeat_hotBlock_isOrderedPromoted() throws Exception {
        ExtendedBlock block = write("/hot");
        HeartbeatResponseProto first = whenActive();
        assertThat(first.getEpoch()).isPositive();
        assertThat(first.getServe()).isTrue();
        one.reads(block, 3);
        HeartbeatResponseProto answer = one.beat();
        assertThat(answer.getOrdersList()).singleElement().satisfies(order -> {
            assertThat(order.getKind()).isEqualTo(OrderKindProto.PROMOTE);
            assertThat(order.getBlock()).isEqualTo(StandInDataNode.proto(block));
        });
        one.beat();
        assertThat(one.memory).containsKey(block.getBlockId());
    }

    @Test
    void heartbeat_deletedOrWrongOrOpenBlock_isNotPromoted() throws Exception {
        whenActive();
        ExtendedBlock deleted = write("/deleted");
        fs.delete(new Path("/deleted"), false);
        ExtendedBlock stale = new ExtendedBlock(write("/stale"));
        stale.setGenerationStamp(stale.getGenerationStamp() - 1);
        try (FSDataOutputStream open = fs.create(new Path("/open"))) {
            open.write(new byte[100]);
            open.hflush();
            ExtendedBlock growing = DFSTestUtil.getFirstBlock(fs, new Path("/open"));
            growing.setNumBytes(100);
            for (ExtendedBlock block : List.of(deleted, stale, growing)) {
                one.reads(block, 5);
            }
            one.beat();
            one.beat();
            assertThat(one.orders).isEmpty();
        }
    }

    @Test
    void verdict_ofABlockBeingWritten_tellsItsPipelineFromOthers() throws Exception {
        whenActive();
        NamesystemView view = new NamesystemView(cluster.getNamesystem(), new MetricRegistry(), 256);
        try (FSDataOutputStream open = fs.create(new Path("/growing"), (short) 1)) {
            open.write(new byte[100]);
            open.hflush();
            LocatedBlock growing =
                    fs.getClient().getLocatedBlocks("/growing", 0).getLastLocatedBlock();
            ExtendedBlock block = growing.getBlock();
            StampedBlock stamped = new StampedBlock(block.getBlockId(), block.getGenerationStamp(), 100);
            String writer = growing.getLocations()[0].getDatanodeUuid();
            assertThat(view.examine(List.of(new Candidate(stamped, writer), new Candidate(stamped, "another"))))
                    .containsExactly(Verdict.UNDER_CONSTRUCTION, Verdict.NO_REPLICA);
        }
    }

    @Test
    void names_ofBlocks_areLookedUpWithoutTheLengthsOfTheirFiles() throws Exception {
        NamesystemView view = new NamesystemView(cluster.getNamesystem(), new MetricRegistry(), 256);
        DFSTestUtil.createFile(fs, new Path("/long"), 3 * BLOCK, (short) 1, 7);
        long blockId = DFSTestUtil.getFirstBlock(fs, new Path("/long")).getBlockId();
        long inode = fs.getClient().getFileInfo("/long").getFileId();
        assertThat(view.names(List.of(blockId, 1L)))
                .containsExactly(new Named(inode, "/long", PathAnnotations.NONE, 3 * BLOCK, true), null);
        FilePart part = view.parts(List.of(inode, 1L), List.of(1, 0), 2).get(0);
        assertThat(part.blocks()).isEqualTo(3);
        assertThat(part.part()).hasSize(2).allSatisfy(located -> assertThat(located.nodes())
                .hasSize(1));
        assertThat(view.names(List.of(part.part().get(0).block().id())).get(0).begins())
                .isFalse();
        assertThat(view.parts(List.of(inode, 1L), List.of(1, 0), 2).get(1)).isNull();
        assertThat(view.lengthOf(inode)).isEqualTo(3 * BLOCK);
        fs.delete(new Path("/long"), false);
        assertThat(view.lengthOf(inode)).isEqualTo(-1);
    }

    @Test
    void accessTime_saysForHowLongAtLeastNobodyHasRead() throws Exception {
        NamesystemView view = new NamesystemView(cluster.getNamesystem(), new MetricRegistry(), 256);
        Path file = new Path("/read");
        DFSTestUtil.createFile(fs, file, BLOCK, (short) 1, 7);
        List<Long> block = List.of(DFSTestUtil.getFirstBlock(fs, file).getBlockId());
        assertThat(view.placed(block).get(0).unreadMs()).isZero();
        long hourMs = Duration.ofHours(1).toMillis();
        fs.setTimes(file, -1, System.currentTimeMillis() - 3 * hourMs);
        // HDFS notes reads an hour apart.
        assertThat(view.placed(block).get(0).unreadMs()).isBetween(2 * hourMs, 2 * hourMs + hourMs / 2);
    }

    @Test
    void heartbeat_replicaOnOtherDataNodeOnly_isNotPromotedHere() throws Exception {
        whenActive();
        DFSTestUtil.createFile(fs, new Path("/single"), BLOCK, (short) 1, 7);
        ExtendedBlock block = DFSTestUtil.getFirstBlock(fs, new Path("/single"));
        String holder = fs.getFileBlockLocations(new Path("/single"), 0, 1)[0].getNames()[0];
        StandInDataNode unknownNode =
                holder.endsWith(":" + cluster.getDataNodes().get(0).getXferPort()) ? two : one;
        unknownNode.reads(block, 5);
        unknownNode.beat();
        unknownNode.beat();
        assertThat(unknownNode.orders).isEmpty();
    }

    @Test
    void heartbeat_lieOfWhoHoldsNoReplica_touchesNobodysCopy() throws Exception {
        whenActive();
        DFSTestUtil.createFile(fs, new Path("/honest"), BLOCK, (short) 1, 7);
        ExtendedBlock block = DFSTestUtil.getFirstBlock(fs, new Path("/honest"));
        ExtendedBlock forged = new ExtendedBlock(block);
        forged.setGenerationStamp(1L << 62);
        String holder = fs.getFileBlockLocations(new Path("/honest"), 0, 1)[0].getNames()[0];
        boolean first = holder.endsWith(":" + cluster.getDataNodes().get(0).getXferPort());
        StandInDataNode honest = first ? one : two;
        StandInDataNode liar = first ? two : one;
        liar.reads(forged, 0);
        liar.beat();
        honest.reads(block, 3);
        honest.beat();
        honest.beat();
        assertThat(honest.memory)
                .as("promoted, whatever stamp was claimed before")
                .containsKey(block.getBlockId());
        for (int i = 0; i < 3; i++) {
            liar.reads(block, 1_000_000_000);
            liar.reads(forged, 1);
            liar.beat();
            honest.reads(block, 1);
            honest.beat();
        }
        assertThat(honest.memory).as("not dropped").containsKey(block.getBlockId());
        assertThat(liar.orders).isEmpty();
    }

    @Test
    void heartbeat_unknownDataNodeOrPool_isRefused() {
        whenActive();
        assertThatThrownBy(() -> one.proxy()
                        .heartbeat(null, one.request().setDatanodeUuid("nobody").build()))
                .as("to be asked again, as before it has registered")
                .hasMessageContaining("RetriableException")
                .hasMessageContaining("not registered");
        assertThatThrownBy(() -> one.proxy()
                        .heartbeat(null, one.request().setBlockPoolId("BP-0").build()))
                .hasMessageContaining("block pool");
    }

    @Test
    void heartbeat_underTheNameOfAnother_isShownUnderItsOwn() throws Exception {
        whenActive();
        two.beat();
        DatanodeID pretended = cluster.getDataNodes().get(1).getDatanodeId();
        one.proxy()
                .heartbeat(
                        null,
                        one.request()
                                .setHostName(pretended.getHostName())
                                .setTransferPort(pretended.getXferPort())
                                .build());
        Map<String, String> shown = new HashMap<>();
        for (NodeProto node : tiers().getNodesList()) {
            shown.put(node.getUuid(), node.getName());
        }
        for (DataNode dataNode : cluster.getDataNodes()) {
            DatanodeID id = dataNode.getDatanodeId();
            assertThat(shown).containsEntry(id.getDatanodeUuid(), id.getHostName() + ":" + id.getXferPort());
        }
    }

    private static TiersResponseProto tiers() throws Exception {
        Configuration conf = cluster.getConfiguration(0);
        RPC.setProtocolEngine(conf, PlacementAdminPB.class, ProtobufRpcEngine2.class);
        PlacementAdminPB admin = RPC.getProxy(
                PlacementAdminPB.class, RPC.getProtocolVersion(PlacementAdminPB.class), service(cluster, 0), conf);
        try {
            return admin.tiers(null, TiersRequestProto.getDefaultInstance());
        } finally {
            RPC.stopProxy(admin);
        }
    }

    @Test
    void figures_areShownAsPrometheusTextAndInJmx() throws Exception {
        whenActive();
        String web = "http://" + cluster.getNameNode().getHttpAddress().getHostString() + ":"
                + cluster.getNameNode().getHttpAddress().getPort();
        assertThat(fetched(web + MetricsPublisher.PATH))
                .contains("# TYPE terrace_placement_heartbeats_total counter")
                .contains("terrace_placement_lock_longest_seconds");
        int port = service(cluster, 0).getPort();
        assertThat(fetched(web + "/jmx?qry=Hadoop:service=NameNode,name=TerracePlacement,port=" + port))
                .contains("\"HeartbeatsTotal\"")
                .contains("\"Active\"")
                .contains("\"tag.port\" : \"" + port + "\"");
    }

    private static String fetched(String url) throws IOException {
        try (InputStream in = URI.create(url).toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void restartOfNameNode_residentsAreAskedForAgainAndEpochGrows() throws Exception {
        ExtendedBlock block = write("/survivor");
        long before = whenActive().getEpoch();
        one.reads(block, 3);
        one.beat();
        one.beat();
        NameNodeRestart.of(cluster);
        try (StandInDataNode again = standIn(0)) {
            again.memory.putAll(one.memory);
            HeartbeatResponseProto answer = await().atMost(Duration.ofSeconds(10))
                    .ignoreExceptions()
                    .until(again::beat, HeartbeatResponseProto::getActive);
            assertThat(answer.getEpoch()).isGreaterThan(before);
            again.beat();
            again.reads(block, 5);
            again.beat();
            assertThat(again.orders).as("it is resident already").isEmpty();
        }
    }
}
