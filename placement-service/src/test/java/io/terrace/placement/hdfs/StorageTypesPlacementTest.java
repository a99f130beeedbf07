package io.terrace.placement.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.BlockType;
import org.apache.hadoop.hdfs.protocol.HdfsConstants;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockManager;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeStorageInfo;
import org.apache.hadoop.hdfs.server.blockmanagement.TerraceBlockPlacementPolicy;
import org.apache.hadoop.net.NetworkTopology;
import org.apache.hadoop.net.Node;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What storage policies keep where new blocks go past some DataNodes: three of six have an SSD. */
@Tag("cluster")
class StorageTypesPlacementTest {
    private static final int BLOCKS = 60;
    private static final int SSD = 0;
    private static final int OTHERS = 3;

    @TempDir
    static java.nio.file.Path dir;

    private static MiniDFSCluster cluster;
    private static BlockManager blocks;

    private int spared;

    @BeforeAll
    static void startCluster() throws Exception {
        Configuration conf = new HdfsConfiguration();
        conf.set("dfs.block.replicator.classname", TerraceBlockPlacementPolicy.class.getName());
        StorageType[] ssd = {StorageType.SSD};
        StorageType[] disk = {StorageType.DISK};
        cluster = new MiniDFSCluster.Builder(conf, dir.toFile())
                .numDataNodes(6)
                .racks(new String[] {"/a", "/b", "/a", "/b", "/a", "/b"})
                .storagesPerDatanode(1)
                .storageTypes(new StorageType[][] {ssd, ssd, ssd, disk, disk, disk})
                .build();
        cluster.waitActive();
        blocks = cluster.getNamesystem().getBlockManager();
    }

    @AfterAll
    static void stopCluster() {
        cluster.shutdown(true);
    }

    private static DatanodeDescriptor node(int index) throws IOException {
        return blocks.getDatanodeManager()
                .getDatanode(cluster.getDataNodes().get(index).getDatanodeId());
    }

    /** Blocks begin at one DataNode, go past another, and how often that held is counted. */
    private void serve(int first, int spare) {
        ((TerraceBlockPlacementPolicy) blocks.getBlockPlacementPolicy())
                .serve(new TerraceBlockPlacementPolicy.FirstNode() {
                    @Override
                    public Node choose(Node writer, Set<Node> excluded, int replicas, NetworkTopology topology) {
                        return known(first);
                    }

                    @Override
                    public Set<Node> spare(
                            Node writer, Node chosen, Set<Node> excluded, int replicas, NetworkTopology topology) {
                        return Set.of(known(spare));
                    }

                    @Override
                    public void spared() {
                        spared++;
                    }
                });
    }

    private static Node known(int index) {
        try {
            return node(index);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static DatanodeStorageInfo[] choose(int writer, byte policy) throws IOException {
        return blocks.chooseTarget4NewBlock(
                "/file",
                3,
                node(writer),
                new HashSet<>(),
                1 << 20,
                null,
                policy,
                BlockType.CONTIGUOUS,
                null,
                EnumSet.noneOf(AddBlockFlag.class));
    }

    @Test
    void blocksOnSsd_stayOnSsd_whereOneWithAnSsdIsSlow() throws Exception {
        serve(SSD, 2);
        for (int i = 0; i < BLOCKS; i++) {
            assertThat(choose(SSD, HdfsConstants.StoragePolicy.ALL_SSD.value()))
                    .extracting(DatanodeStorageInfo::getStorageType)
                    .containsOnly(StorageType.SSD)
                    .hasSize(3);
        }
        assertThat(spared).isZero();
    }

    @Test
    void blocksWithOneOnSsd_goPastASlowOne_whereAnotherHasAnSsd() throws Exception {
        serve(SSD, 2);
        for (int i = 0; i < BLOCKS; i++) {
            assertThat(choose(SSD, HdfsConstants.StoragePolicy.ONE_SSD.value()))
                    .extracting(DatanodeStorageInfo::getStorageType)
                    .containsExactlyInAnyOrder(StorageType.SSD, StorageType.DISK, StorageType.DISK);
        }
        assertThat(spared).isPositive();
    }

    /** A DataNode keeps such a block in memory only for a client of its own host. */
    @Test
    void lazyPersistedBlocks_beginAtTheClientsOwnDataNode() throws Exception {
        serve(OTHERS, 5);
        for (int i = 0; i < BLOCKS; i++) {
            assertThat(choose(4, HdfsConstants.StoragePolicy.LAZY_PERSIST.value())[0].getDatanodeDescriptor())
                    .isEqualTo(node(4));
        }
    }
}
