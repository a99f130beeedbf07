package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.terrace.placement.hdfs.NameNodeRestart;
import io.terrace.placement.hdfs.StandInDataNode;
import io.terrace.placement.hdfs.TerraceNameNodePlugin;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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

/**
 * A NameNode with the plugin, a policy file and a log of accesses, and a stand-in of a DataNode with memory for four of its
 * twelve blocks. Files 0, 3, 6 and 9 are below /tmp, the others below /data, each of one block.
 */
final class PolicyFixture implements AutoCloseable {
    static final long BLOCK = 1 << 20;
    static final int FILES = 12;
    /** Its threshold is out of reach: it moves nothing. */
    static final String CONFIGURED = "policy: idecider\nparameters: {threshold: 1000}\n";

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    final Path policyFile;
    /** The configured directory of the access log, which was there before. */
    final Path logDir;

    final List<ExtendedBlock> blocks = new ArrayList<>();
    final CtlSession ctl;
    StandInDataNode dataNode;

    private final Path dir;
    private final MiniDFSCluster cluster;

    PolicyFixture(Path dir) throws Exception {
        this.dir = dir;
        ctl = new CtlSession(dir.resolve("conf"));
        policyFile = Files.writeString(dir.resolve("placement.yaml"), CONFIGURED);
        Configuration conf = new HdfsConfiguration();
        conf.set("dfs.namenode.plugins", TerraceNameNodePlugin.class.getName());
        conf.set("terrace.placement.rpc-address", "127.0.0.1:0");
        // A DataNode comes back to a NameNode that was restarted with its next heartbeat.
        conf.setInt("dfs.heartbeat.interval", 1);
        conf.set("terrace.placement.admin.acl", "operator");
        conf.set("terrace.placement.policy.file", policyFile.toString());
        conf.set("terrace.placement.policy.file.interval", "100ms");
        logDir = Files.createDirectory(dir.resolve("log"));
        Files.setPosixFilePermissions(logDir, PosixFilePermissions.fromString("rwxr-xr-x"));
        conf.set("terrace.placement.access-log.dir", logDir.toString());
        conf.setLong("dfs.blocksize", BLOCK);
        conf.setLong("dfs.namenode.fs-limits.min-block-size", 1024);
        cluster = new MiniDFSCluster.Builder(conf, dir.resolve("dfs").toFile())
                .numDataNodes(1)
                .build();
        cluster.waitActive();
        DistributedFileSystem fs = cluster.getFileSystem();
        for (int i = 0; i < FILES; i++) {
            org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path((i % 3 == 0 ? "/tmp/f" : "/data/f") + i);
            DFSTestUtil.createFile(fs, path, BLOCK, (short) 1, 7);
            blocks.add(DFSTestUtil.getFirstBlock(fs, path));
        }
    }

    void connect() throws IOException {
        String service = CtlSession.service(cluster.getNameNode().getConf());
        ctl.pointAt(cluster.getFileSystem().getUri(), service);
        InetSocketAddress address = NetUtils.createSocketAddr(service);
        dataNode = new StandInDataNode(
                address,
                cluster.getConfiguration(0),
                cluster.getDataNodes().get(0),
                cluster.getNamesystem().getBlockPoolId(),
                4 * BLOCK);
        await().atMost(PATIENCE).ignoreExceptions().until(dataNode::beat, HeartbeatResponseProto::getActive);
        // A connection from before a restart breaks once.
        await().atMost(PATIENCE).until(() -> ctl.run("status") == 0);
    }

    /** Ends what a test put in force. */
    void disconnect() throws IOException {
        dataNode.close();
        Files.writeString(policyFile, CONFIGURED);
        ctl.run("policy", "apply", "--dry-run", "--stop");
        ctl.run("policy", "apply", "--configured");
    }

    void restart() throws Exception {
        dataNode.close();
        NameNodeRestart.of(cluster);
        connect();
    }

    Path file(String text) throws IOException {
        return Files.writeString(dir.resolve("candidate.yaml"), text);
    }

    JsonNode shown() throws IOException {
        assertThat(ctl.run("policy", "show", "--json")).as(ctl.err).isZero();
        return ctl.json();
    }

    JsonNode figures() throws IOException {
        assertThat(ctl.run("status", "--json")).isZero();
        return ctl.json().at("/services/0/figures");
    }

    /** The same reads for the same seed; the last beats let moves end. */
    void read(long seed, int beats) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < beats; i++) {
            dataNode.reads(blocks.get((int) Math.min(FILES - 1, -Math.log(random.nextDouble()) * 4)), 1);
            dataNode.beat();
        }
        dataNode.beat();
        dataNode.beat();
    }

    @Override
    public void close() {
        cluster.shutdown(true);
    }
}
