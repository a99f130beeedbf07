package io.terrace.placement.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.WriteSpeedProto;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.BlockType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeStorageInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.TerraceBlockPlacementPolicy;
import org.apache.hadoop.net.Node;
import org.apache.hadoop.net.NodeBase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the blocks of a client begin whose speeds are known, in a real NameNode with DataNodes in two racks. */
@Tag("cluster")
class FirstNodePlacementTest {
    private static final int BLOCKS = 60;
    private static final long BLOCK_BYTES = 1 << 20;

    @TempDir
    static java.nio.file.Path dir;

    private static MiniDFSCluster cluster;
    private static BlockManager blocks;
    private static int hosts;

    private String host;

    @BeforeAll
    static void startCluster() throws Exception {
        Configuration conf = NameNodePluginTest.conf();
        conf.set("dfs.block.replicator.classname", TerraceBlockPlacementPolicy.class.getName());
        cluster = new MiniDFSCluster.Builder(conf, dir.toFile())
                .numDataNodes(6)
                .racks(new String[] {"/a", "/b", "/a", "/b", "/a", "/b"})
                .build();
        cluster.waitActive();
        InetSocketAddress unused = NameNodePluginTest.service(cluster, 0);
        blocks = cluster.getNamesystem().getBlockManager();
    }

    @AfterAll
    static void stopCluster() {
        cluster.shutdown(true);
    }

    /** Of which nothing is known yet. */
    @BeforeEach
    void anotherHost() {
        host = "10.7.0." + ++hosts;
    }

    private DatanodeDescriptor node(int index) throws IOException {
        return blocks.getDatanodeManager()
                .getDatanode(cluster.getDataNodes().get(index).getDatanodeId());
    }

    /** Each DataNode tells the speed at its index. */
    private void told(long... bytesPerSecond) throws Exception {
        for (int i = 0; i < bytesPerSecond.length; i++) {
            tell(i, WriteSpeedProto.newBuilder().setClient(host).setBytesPerSecond(bytesPerSecond[i]));
        }
    }

    private static void tell(int datanode, WriteSpeedProto.Builder speed) throws Exception {
        try (StandInDataNode standIn = new StandInDataNode(
                NameNodePluginTest.service(cluster, 0),
                cluster.getConfiguration(0),
                cluster.getDataNodes().get(datanode),
                cluster.getNamesystem().getBlockPoolId(),
                8 * BLOCK_BYTES)) {
            HeartbeatResponseProto unused = standIn.proxy()
                    .heartbeat(null, standIn.request().addWriteSpeeds(speed).build());
        }
    }

    @Test
    void blocks_beginAtTheFastOnes_andStayOnTwoRacks() throws Exception {
        told(100, 100, 1, 1, 1, 1);
        List<DatanodeStorageInfo[]> chosen = choose(Set.of(), List.of(), EnumSet.noneOf(AddBlockFlag.class));
        // One of twenty is tried elsewhere.
        assertThat(beginAt(chosen, 0, 1)).isGreaterThan(45);
        assertThat(chosen).allSatisfy(targets -> {
            assertThat(targets).hasSize(3);
            assertThat(Stream.of(targets)
                            .map(target -> target.getDatanodeDescriptor().getNetworkLocation())
                            .distinct())
                    .hasSize(2);
        });
    }

    @Test
    void excludedOnes_areNotChosen() throws Exception {
        told(100, 100, 1, 1, 1, 1);
        Set<Node> excluded = Set.of(new DatanodeInfoBuilder().setFrom(node(0)).build());
        List<DatanodeStorageInfo[]> chosen = choose(excluded, List.of(), EnumSet.noneOf(AddBlockFlag.class));
        assertThat(chosen).allSatisfy(targets -> assertThat(nodes(targets)).doesNotContain(node(0)));
        // The other place of the two that a client has is drawn as often, and then any DataNode that is not slow is
        // tried, four
        // times at most: five of six in the mean. Stock alone begins one of five there.
        assertThat(beginAt(chosen, 1)).isGreaterThan(30);
    }

    @Test
    void favoredNodes_win() throws Exception {
        told(100, 100, 1, 1, 1, 1);
        List<DatanodeStorageInfo[]> chosen =
                choose(Set.of(), List.of(node(4).getXferAddr()), EnumSet.noneOf(AddBlockFlag.class));
        assertThat(chosen).allSatisfy(targets -> assertThat(nodes(targets)).contains(node(4)));
    }

    @Test
    void noLocalWrite_isStocks() throws Exception {
        told(100, 100, 1, 1, 1, 1);
        assertThat(beginAt(choose(Set.of(), List.of(), EnumSet.of(AddBlockFlag.NO_LOCAL_WRITE)), 0, 1))
                .isLessThan(45);
    }

    @Test
    void withoutService_orWhereItFails_isStocks_untilItServesAgain() throws Exception {
        told(100, 100, 1, 1, 1, 1);
        policy().serve(null);
        assertThat(beginAt(choose(Set.of(), List.of(), EnumSet.noneOf(AddBlockFlag.class)), 0, 1))
                .isLessThan(45);
        policy().serve((writer, excluded, replicas, topology) -> {
            throw new IllegalStateException("as was wanted");
        });
        assertThat(beginAt(choose(Set.of(), List.of(), EnumSet.noneOf(AddBlockFlag.class)), 0, 1))
                .isLessThan(45);
        assertThat(policy().isServed()).isFalse();
        blocks.refreshBlockPlacementPolicy(cluster.getConfiguration(0));
        assertThat(policy().isServed()).isFalse();
        told(100, 100, 1, 1, 1, 1);
        assertThat(policy().isServed()).isTrue();
        assertThat(beginAt(choose(Set.of(), List.of(), EnumSet.noneOf(AddBlockFlag.class)), 0, 1))
                .isGreaterThan(45);
    }

    private static TerraceBlockPlacementPolicy policy() {
        return (TerraceBlockPlacementPolicy) blocks.getBlockPlacementPolicy();
    }

    /** The fourth one has five of a hundred blocks, of what other DataNodes say is half of them. */
    @Test
    void slowOneThatOthersForwardTo_isSpared_andBlocksStayOnTwoRacks() throws Exception {
        told(100, 100);
        for (String other : new String[] {"10.8.0.1", "10.8.0.2"}) {
            tell(1, forwarded(other, 100));
            tell(3, forwarded(other, 1));
            tell(5, forwarded(other, 100));
        }
        // What was told is compared once a second.
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            tell(1, forwarded("10.8.0.1", 100));
            List<DatanodeStorageInfo[]> chosen = choose(Set.of(), List.of(), EnumSet.noneOf(AddBlockFlag.class));
            assertThat(chosen).allSatisfy(targets -> {
                assertThat(targets).hasSize(3);
                assertThat(nodes(targets)
                                .map(DatanodeDescriptor::getNetworkLocation)
                                .distinct())
                        .hasSize(2);
            });
            DatanodeDescriptor slow = node(3);
            return chosen.stream()
                            .filter(targets -> nodes(targets).anyMatch(slow::equals))
                            .count()
                    < BLOCKS / 10;
        });
    }

    private static WriteSpeedProto.Builder forwarded(String from, long bytesPerSecond) {
        return WriteSpeedProto.newBuilder().setClient(from).setForwarded(true).setBytesPerSecond(bytesPerSecond);
    }

    @Test
    void garbage_isNotTaken() throws Exception {
        told(-1, Long.MAX_VALUE, 0, 0, 0, 0);
        assertThat(beginAt(choose(Set.of(), List.of(), EnumSet.noneOf(AddBlockFlag.class)), 0, 1))
                .isLessThan(45);
    }

    private List<DatanodeStorageInfo[]> choose(Set<Node> excluded, List<String> favored, EnumSet<AddBlockFlag> flags)
            throws IOException {
        List<DatanodeStorageInfo[]> chosen = new ArrayList<>();
        for (int i = 0; i < BLOCKS; i++) {
            chosen.add(blocks.chooseTarget4NewBlock(
                    "/file",
                    3,
                    new NodeBase("/elsewhere/" + host),
                    new HashSet<>(excluded),
                    BLOCK_BYTES,
                    favored,
                    HdfsConstants.HOT_STORAGE_POLICY_ID,
                    BlockType.CONTIGUOUS,
                    null,
                    flags));
        }
        return chosen;
    }

    private static Stream<DatanodeDescriptor> nodes(DatanodeStorageInfo... targets) {
        return Stream.of(targets).map(DatanodeStorageInfo::getDatanodeDescriptor);
    }

    private long beginAt(List<DatanodeStorageInfo[]> chosen, int... nodes) throws IOException {
        Set<DatanodeDescriptor> wanted = new HashSet<>();
        for (int node : nodes) {
            wanted.add(node(node));
        }
        return chosen.stream()
                .filter(targets -> wanted.contains(targets[0].getDatanodeDescriptor()))
                .count();
    }
}
