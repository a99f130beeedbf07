package io.terrace.placementctl;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.placement.hdfs.LoggedLines;
import io.terrace.placement.hdfs.StandInDataNode;
import io.terrace.placement.hdfs.TerraceNameNodePlugin;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.net.NetUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A NameNode with the plugin, one DataNode with memory that holds a hot file, and the command with its output. */
abstract class PlacementCtlFixture {
    static final long BLOCK = 1 << 20;
    static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    static java.nio.file.Path dir;

    static MiniDFSCluster cluster;
    static DistributedFileSystem fs;
    static String service;
    static CtlSession session;
    static java.nio.file.Path conf;
    static StandInDataNode dataNode;
    static ExtendedBlock hot;
    static LoggedLines audit;

    String out = "";
    String err = "";

    @BeforeAll
    static void startCluster() throws Exception {
        Configuration configuration = new HdfsConfiguration();
        configuration.set("dfs.namenode.plugins", TerraceNameNodePlugin.class.getName());
        configuration.set("terrace.placement.rpc-address", "127.0.0.1:0");
        configuration.set("terrace.placement.admin.acl", "operator");
        cluster = new MiniDFSCluster.Builder(configuration, dir.resolve("dfs").toFile())
                .numDataNodes(2)
                .build();
        cluster.waitActive();
        fs = cluster.getFileSystem();
        Configuration bound = cluster.getNameNode().getConf();
        service = CtlSession.service(bound);
        session = CtlSession.of(dir.resolve("conf"), fs.getUri(), service);
        conf = session.conf;
        dataNode = new StandInDataNode(
                NetUtils.createSocketAddr(service),
                bound,
                cluster.getDataNodes().get(0),
                cluster.getNamesystem().getBlockPoolId(),
                8 * BLOCK);
        await().atMost(Duration.ofSeconds(10)).until(dataNode::beat, HeartbeatResponseProto::getActive);
        DFSTestUtil.createFile(fs, new Path("/data/hot file"), BLOCK, (short) 2, 7);
        hot = DFSTestUtil.getFirstBlock(fs, new Path("/data/hot file"));
        fs.setPermission(new Path("/data/hot file"), new FsPermission((short) 0600));
        dataNode.reads(hot, 5);
        dataNode.beat();
        dataNode.beat();
        audit = new LoggedLines("io.terrace.audit");
    }

    @AfterAll
    static void stopCluster() {
        audit.close();
        dataNode.close();
        cluster.shutdown(true);
    }

    @BeforeEach
    void clearAudit() {
        audit.lines().clear();
    }

    int run(String... arguments) {
        int code = session.run(arguments);
        out = session.out;
        err = session.err;
        return code;
    }

    int runAs(String user, String... arguments) throws Exception {
        int code = session.runAs(user, arguments);
        out = session.out;
        err = session.err;
        return code;
    }
}
