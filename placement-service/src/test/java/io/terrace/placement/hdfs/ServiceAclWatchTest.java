package io.terrace.placement.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.proto.AdminProtos.StatusRequestProto;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("cluster")
class ServiceAclWatchTest {

    private static final String POLICY_FILE = "hadoop.policy.file";

    @TempDir
    Path dir;

    private Path policy;
    private MiniDFSCluster cluster;
    private InetSocketAddress service;

    @BeforeEach
    void start() throws Exception {
        // Hadoop looks for the file on the class path.
        Path classes = Path.of(ServiceAclWatchTest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        policy = Files.createTempFile(classes, "service-acl-watch-test", ".xml");
        System.setProperty(POLICY_FILE, policy.getFileName().toString());
        allow("alice,bob");
        Configuration conf = NameNodePluginTest.conf();
        conf.setBoolean("hadoop.security.authorization", true);
        cluster = new MiniDFSCluster.Builder(conf, dir.toFile()).numDataNodes(0).build();
        service = NameNodePluginTest.service(cluster, 0);
    }

    @AfterEach
    void stop() throws IOException {
        if (cluster != null) {
            cluster.shutdown(true);
        }
        System.clearProperty(POLICY_FILE);
        Files.deleteIfExists(policy);
    }

    private void allow(String users) throws IOException {
        Files.writeString(
                policy,
                "<configuration><property><name>security.terrace.admin.protocol.acl</name><value>" + users
                        + "</value></property></configuration>");
    }

    private Object statusAs(String user) throws Exception {
        return UserGroupInformation.createRemoteUser(user).doAs((PrivilegedExceptionAction<Object>) () -> {
            Configuration conf = new Configuration();
            RPC.setProtocolEngine(conf, PlacementAdminPB.class, ProtobufRpcEngine2.class);
            PlacementAdminPB proxy =
                    RPC.getProxy(PlacementAdminPB.class, RPC.getProtocolVersion(PlacementAdminPB.class), service, conf);
            try {
                return proxy.status(null, StatusRequestProto.getDefaultInstance());
            } catch (ServiceException e) {
                throw (IOException) e.getCause();
            } finally {
                RPC.stopProxy(proxy);
            }
        });
    }

    @Test
    void refreshServiceAcl_userTakenOff_isRefusedAfterwards() throws Exception {
        assertThat(statusAs("bob")).isNotNull();
        assertThatThrownBy(() -> statusAs("carol")).hasMessageContaining("is not authorized");
        allow("alice,carol");
        assertThat(statusAs("bob"))
                .as("as HDFS, nothing is read before it is asked to")
                .isNotNull();
        cluster.getNameNodeRpc().refreshServiceAcl();
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> assertThatThrownBy(() -> statusAs("bob"))
                .hasMessageContaining("is not authorized"));
        assertThat(statusAs("carol")).isNotNull();
        assertThat(statusAs("alice")).isNotNull();
    }
}
