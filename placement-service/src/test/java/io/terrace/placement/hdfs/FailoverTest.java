package io.terrace.placement.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.placement.state.OperatorState;
import io.terrace.placement.state.OperatorState.Order;
import io.terrace.placement.state.OperatorState.Pin;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.namenode.ha.HATestUtil;
import org.apache.hadoop.net.NetUtils;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two NameNodes with a shared edit log: who decides, under which epoch, and what an operator said is kept. */
@Tag("cluster")
class FailoverTest {

    private static final long BLOCK = 1 << 20;

    @TempDir
    java.nio.file.Path dir;

    private MiniDFSCluster cluster;

    private StandInDataNode standIn(int nameNode) throws Exception {
        return new StandInDataNode(
                NameNodePluginTest.service(cluster, nameNode),
                cluster.getConfiguration(nameNode),
                cluster.getDataNodes().get(0),
                cluster.getNamesystem(nameNode).getBlockPoolId(),
                8 * BLOCK);
    }

    private static HeartbeatResponseProto until(StandInDataNode node, boolean active) {
        return await().atMost(Duration.ofSeconds(15))
                .ignoreExceptions()
                .until(node::beat, answer -> answer.getActive() == active);
    }

    @Test
    void failover_otherNameNodeDecidesUnderHigherEpochAndKeepsPins() throws Exception {
        Configuration conf = new HdfsConfiguration();
        conf.set("dfs.namenode.plugins", TerraceNameNodePlugin.class.getName());
        conf.set("terrace.placement.rpc-address", "127.0.0.1:0");
        conf.setInt("dfs.ha.tail-edits.period", 1);
        cluster = new MiniDFSCluster.Builder(conf, dir.toFile())
                .nnTopology(withKnownWebPorts())
                .numDataNodes(1)
                .build();
        try {
            cluster.waitActive();
            cluster.transitionToActive(0);
            DistributedFileSystem fs = (DistributedFileSystem) HATestUtil.configureFailoverFs(cluster, conf);
            DFSTestUtil.createFile(fs, new Path("/above/below/pinned"), BLOCK, (short) 1, 7);
            ExtendedBlock block = DFSTestUtil.getFirstBlock(fs, new Path("/above/below/pinned"));
            long nowMs = System.currentTimeMillis();
            long inode = fs.getClient().getFileInfo("/above").getFileId();
            fs.setXAttr(
                    new Path("/"),
                    "trusted.terrace.placement",
                    OperatorState.initial()
                            .withPin(inode, new Pin(new Order("alice", nowMs), nowMs + 3_600_000, true))
                            .withPin(inode + 1, new Pin(new Order("alice", nowMs - 2_000), nowMs - 1_000, true))
                            .encoded());
            fs.rename(new Path("/above"), new Path("/renamed"));
            try (StandInDataNode first = standIn(0);
                    StandInDataNode second = standIn(1)) {
                long epoch = until(first, true).getEpoch();
                assertThat(epoch).isPositive();
                HeartbeatResponseProto standby = until(second, false);
                assertThat(standby.getOrdersList()).isEmpty();
                assertThat(page(1, "status").get("active").booleanValue()).isFalse();
                assertThat(page(1, "viewer").get("otherNameNodes"))
                        .as("the link from the standby's page to that of the active NameNode")
                        .singleElement()
                        .matches(page -> page.textValue()
                                .endsWith(":"
                                        + cluster.getNameNode(0)
                                                .getHttpAddress()
                                                .getPort() + "/terrace/"));

                cluster.transitionToStandby(0);
                cluster.transitionToActive(1);
                until(first, false);
                HeartbeatResponseProto taken = until(second, true);
                assertThat(taken.getEpoch()).isGreaterThan(epoch);
                await().atMost(Duration.ofSeconds(15)).until(() -> {
                    second.beat();
                    return second.memory.containsKey(block.getBlockId());
                });

                cluster.transitionToStandby(1);
                cluster.transitionToActive(0);
                until(second, false);
                assertThat(until(first, true).getEpoch()).isGreaterThan(taken.getEpoch());
            }
        } finally {
            cluster.shutdown(true);
        }
    }

    /** A NameNode must know the other's port when it starts. */
    private static MiniDFSNNTopology withKnownWebPorts() {
        return new MiniDFSNNTopology()
                .addNameservice(new MiniDFSNNTopology.NSConf("minidfs-ns")
                        .addNN(new MiniDFSNNTopology.NNConf("nn1").setHttpPort(NetUtils.getFreeSocketPort()))
                        .addNN(new MiniDFSNNTopology.NNConf("nn2").setHttpPort(NetUtils.getFreeSocketPort())));
    }

    private JsonNode page(int nameNode, String question) throws IOException {
        return new ObjectMapper()
                .readTree(URI.create("http://127.0.0.1:"
                                + cluster.getNameNode(nameNode).getHttpAddress().getPort() + "/terrace/api/" + question)
                        .toURL());
    }

    @Test
    void plugin_withBadSetting_leavesAStockNameNode() throws Exception {
        Configuration conf = new HdfsConfiguration();
        conf.set("dfs.namenode.plugins", TerraceNameNodePlugin.class.getName());
        conf.set("terrace.placement.rpc-address", "127.0.0.1:0");
        conf.set("terrace.placement.intervall", "1s");
        cluster = new MiniDFSCluster.Builder(conf, dir.toFile()).numDataNodes(1).build();
        try {
            cluster.waitActive();
            DFSTestUtil.createFile(cluster.getFileSystem(), new Path("/stock"), BLOCK, (short) 1, 7);
            await().atMost(Duration.ofSeconds(10)).until(() -> Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().startsWith("terrace-placement")));
            assertThat(cluster.getNameNode().getConf().get("terrace.placement.rpc-address"))
                    .as("nothing listens")
                    .endsWith(":0");
        } finally {
            cluster.shutdown(true);
        }
    }
}
