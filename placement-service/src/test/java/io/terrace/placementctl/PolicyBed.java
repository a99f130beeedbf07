package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.terrace.placement.hdfs.StandInDataNode;
import io.terrace.placement.hdfs.TerraceNameNodePlugin;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.net.NetUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A NameNode with the plugin, a policy file, a log of accesses and a dozen files, and a DataNode that the test speaks for. */
abstract class PolicyBed {

    static final long BLOCK = 1 << 20;
    static final int FILES = 12;
    static final String CONFIGURED = "policy: idecider\nparameters: {threshold: 1000}\n";

    @TempDir
    static Path dir;

    /** One of each file, in their order. */
    static final List<ExtendedBlock> BLOCKS = new ArrayList<>();

    static Path policyFile;
    private static MiniDFSCluster cluster;
    private static DistributedFileSystem fs;
    CtlSession ctl;
    StandInDataNode dataNode;

    @BeforeAll
    static void startCluster() throws Exception {
        policyFile = Files.writeString(dir.resolve("placement.yaml"), CONFIGURED);
        Configuration conf = new HdfsConfiguration();
        conf.set("dfs.namenode.plugins", TerraceNameNodePlugin.class.getName());
        conf.set("terrace.placement.rpc-address", "127.0.0.1:0");
        conf.set("terrace.placement.admin.acl", "operator");
        conf.set("terrace.placement.policy.file", policyFile.toString());
        conf.set("terrace.placement.policy.file.interval", "100ms");
        conf.set("terrace.placement.access-log.dir", dir.resolve("accesses").toString());
        conf.setLong("dfs.blocksize", BLOCK);
        conf.setLong("dfs.namenode.fs-limits.min-block-size", 1024);
        cluster = new MiniDFSCluster.Builder(conf, dir.resolve("dfs").toFile())
                .numDataNodes(1)
                .build();
        cluster.waitActive();
        fs = cluster.getFileSystem();
        BLOCKS.clear();
        for (int i = 0; i < FILES; i++) {
            org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path((i % 3 == 0 ? "/tmp/f" : "/data/f") + i);
            DFSTestUtil.createFile(fs, path, BLOCK, (short) 1, 7);
            BLOCKS.add(DFSTestUtil.getFirstBlock(fs, path));
        }
    }

    @AfterAll
    static void stopCluster() {
        cluster.shutdown(true);
    }

    @BeforeEach
    void connect() throws IOException {
        String service = CtlSession.service(cluster.getNameNode().getConf());
        ctl = CtlSession.of(dir.resolve("conf"), fs.getUri(), service);
        dataNode = new StandInDataNode(
                NetUtils.createSocketAddr(service),
                cluster.getConfiguration(0),
                cluster.getDataNodes().get(0),
                cluster.getNamesystem().getBlockPoolId(),
                4 * BLOCK);
        await().atMost(Duration.ofSeconds(20))
                .ignoreExceptions()
                .until(dataNode::beat, HeartbeatResponseProto::getActive);
        // A connection from before a restart breaks once.
        await().atMost(Duration.ofSeconds(20)).until(() -> ctl.run("status") == 0);
    }

    @AfterEach
    void disconnect() throws IOException {
        dataNode.close();
        Files.writeString(policyFile, CONFIGURED);
        ctl.run("policy", "apply", "--dry-run", "--stop");
        ctl.run("policy", "apply", "--configured");
    }

    Path file(String text) throws IOException {
        return Files.writeString(dir.resolve("candidate.yaml"), text);
    }

    JsonNode shown() throws IOException {
        assertThat(ctl.run("policy", "show", "--json")).as(ctl.err).isZero();
        return ctl.json();
    }

    /** The same reads for the same seed; the last beats let moves end. */
    void read(long seed, int beats) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < beats; i++) {
            dataNode.reads(BLOCKS.get((int) Math.min(FILES - 1, -Math.log(random.nextDouble()) * 4)), 1);
            dataNode.beat();
        }
        dataNode.beat();
        dataNode.beat();
    }

    /** Restarts the NameNode, which forgets all heat. */
    void restart() throws Exception {
        dataNode.close();
        cluster.restartNameNode(0);
        cluster.waitActive();
        connect();
    }
}
