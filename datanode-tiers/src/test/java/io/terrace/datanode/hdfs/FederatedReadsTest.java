package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.conf.TerraceSettings;
import io.terrace.fs.TerraceFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.hdfs.protocol.CacheDirectiveInfo;
import org.apache.hadoop.hdfs.protocol.CachePoolInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.TerraceNameNodes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Federation: one DataNode with the block pools of two NameNodes, which give the same ids to different blocks. */
@Tag("cluster")
class FederatedReadsTest {
    private static final int NAMENODES = 2;
    private static final int BYTES = 2 * TerraceCluster.BLOCK_BYTES + 99;
    private static final org.apache.hadoop.fs.Path FILE = new org.apache.hadoop.fs.Path("/same/name");

    @TempDir
    Path dir;

    @Test
    void read_ofTwoNameServices_comesFromEachOnesOwnBlocks() throws IOException {
        Configuration conf = TerraceCluster.configuration();
        conf.set("dfs.datanode.plugins", TerraceDataNodePlugin.class.getName());
        conf.setBoolean(TerraceSettings.DATANODE_MEMORY_REQUIRE_TMPFS.key(), false);
        conf.set(
                TerraceSettings.DATANODE_MEMORY_DIR.key(),
                Files.createDirectory(dir.resolve("memory")).toString());
        conf.set(
                TerraceSettings.CHANNEL_DIR.key(),
                Files.createDirectory(dir.resolve("channel")).toString());
        conf.setInt("terrace.channel.tcp.port.offset", RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS);
        MiniDFSCluster cluster = new MiniDFSCluster.Builder(
                        conf, dir.resolve("dfs").toFile())
                .nnTopology(MiniDFSNNTopology.simpleFederatedTopology(NAMENODES))
                .numDataNodes(1)
                .build();
        try {
            cluster.waitActive();
            DataNode datanode = cluster.getDataNodes().get(0);
            assertThat(HeartbeatAgents.serves(datanode, "BP-of-nobody")).isFalse();
            for (int i = 0; i < NAMENODES; i++) {
                assertThat(HeartbeatAgents.serves(
                                datanode, cluster.getNamesystem(i).getBlockPoolId()))
                        .isTrue();
                writeAndPin(cluster.getFileSystem(i), contents(i));
            }
            for (int i = 0; i < NAMENODES; i++) {
                readFromMemory(cluster, i);
            }
            assertThat(TerraceNameNodes.allKnown(datanode)).isTrue();
            serveOneMoreThatIsDown(datanode);
            assertThat(TerraceNameNodes.allKnown(datanode)).isFalse();
        } finally {
            cluster.shutdown();
        }
    }

    private static void serveOneMoreThatIsDown(DataNode datanode) throws IOException {
        Configuration more = new Configuration(datanode.getConf());
        more.set("dfs.nameservices", more.get("dfs.nameservices") + ",down");
        more.set("dfs.namenode.rpc-address.down", "127.0.0.1:1");
        datanode.refreshNamenodes(more);
    }

    private static void writeAndPin(DistributedFileSystem fs, byte[] contents) throws IOException {
        try (FSDataOutputStream out = fs.create(FILE)) {
            out.write(contents);
        }
        fs.addCachePool(new CachePoolInfo("pool"));
        long unused = fs.addCacheDirective(new CacheDirectiveInfo.Builder()
                .setPath(FILE)
                .setPool("pool")
                .setReplication((short) 1)
                .build());
    }

    private static void readFromMemory(MiniDFSCluster cluster, int nameNode) throws IOException {
        try (OtherHostClient client = new OtherHostClient(
                cluster.getURI(nameNode), cluster.getConfiguration(nameNode), Duration.ofSeconds(5))) {
            assertThat(client.fs()).isInstanceOf(TerraceFileSystem.class);
            client.awaitGranted(FILE, BYTES);
            long before = OtherHostClient.bytes();
            assertThat(client.read(FILE)).isEqualTo(contents(nameNode));
            assertThat(OtherHostClient.bytes() - before).isEqualTo(BYTES);
        }
    }

    private static byte[] contents(int nameNode) {
        return TerraceCluster.contents("of name service " + nameNode, BYTES);
    }
}
