package io.terrace.placement.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.PlacementDataNodePB;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.StatusRequestProto;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.http.HttpConfig;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.minikdc.MiniKdc;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.ssl.KeyStoreTestUtil;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The service in a NameNode with Kerberos and service-level authorization. */
class SecureServiceTest {

    @TempDir
    static File dir;

    private static MiniKdc kdc;
    private static NameNode nameNode;
    private static Configuration conf;
    private static InetSocketAddress service;
    private static File keytab;

    @BeforeAll
    static void startSecureNameNode() throws Exception {
        Properties kdcConf = MiniKdc.createConf();
        kdc = new MiniKdc(kdcConf, new File(dir, "kdc"));
        kdc.start();
        keytab = new File(dir, "all.keytab");
        kdc.createPrincipal(keytab, "hdfs/localhost", "HTTP/localhost", "dn/localhost", "alice");
        conf = new HdfsConfiguration();
        conf.set("hadoop.security.authentication", "kerberos");
        conf.set("hadoop.security.authorization", "true");
        conf.set("hadoop.security.auth_to_local", "RULE:[2:$1](hdfs)s/.*/hdfs/\nRULE:[2:$1](dn)s/.*/dn/\nDEFAULT");
        conf.set("dfs.namenode.kerberos.principal", "hdfs/localhost@" + kdc.getRealm());
        conf.set("dfs.datanode.kerberos.principal", "dn/localhost@" + kdc.getRealm());
        conf.set("dfs.web.authentication.kerberos.principal", "HTTP/localhost@" + kdc.getRealm());
        conf.set("dfs.namenode.keytab.file", keytab.getPath());
        conf.set("dfs.web.authentication.kerberos.keytab", keytab.getPath());
        conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
        conf.set(DFSConfigKeys.DFS_HTTP_POLICY_KEY, HttpConfig.Policy.HTTPS_ONLY.name());
        conf.set("dfs.namenode.https-address", "localhost:0");
        conf.set("dfs.namenode.name.dir", new File(dir, "name").toURI().toString());
        conf.set("fs.defaultFS", "hdfs://localhost:0");
        conf.set("dfs.namenode.plugins", TerraceNameNodePlugin.class.getName());
        conf.set("terrace.placement.rpc-address", "localhost:0");
        String classes = KeyStoreTestUtil.getClasspathDir(SecureServiceTest.class);
        KeyStoreTestUtil.setupSSLConfig(dir.getPath(), classes, conf, false);
        UserGroupInformation.setConfiguration(conf);
        DFSTestUtil.formatNameNode(conf);
        nameNode = new NameNode(conf);
        Configuration bound = nameNode.getConf();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> !bound.get("terrace.placement.rpc-address").endsWith(":0"));
        service = NetUtils.createSocketAddr(bound.get("terrace.placement.rpc-address"));
    }

    @AfterAll
    static void stopAndForgetKerberos() throws Exception {
        if (nameNode != null) {
            nameNode.stop();
        }
        kdc.stop();
        KeyStoreTestUtil.cleanupSSLConfig(dir.getPath(), KeyStoreTestUtil.getClasspathDir(SecureServiceTest.class));
        UserGroupInformation.reset();
        UserGroupInformation.setConfiguration(new Configuration());
    }

    private interface Call<P> {
        Object on(P proxy) throws ServiceException;
    }

    private static <P> Object as(String principal, Class<P> protocol, Call<P> call) throws Exception {
        UserGroupInformation user = UserGroupInformation.loginUserFromKeytabAndReturnUGI(
                principal + "@" + kdc.getRealm(), keytab.getPath());
        return user.doAs((PrivilegedExceptionAction<Object>) () -> {
            RPC.setProtocolEngine(conf, protocol, ProtobufRpcEngine2.class);
            P proxy = RPC.getProxy(protocol, RPC.getProtocolVersion(protocol), service, conf);
            try {
                return call.on(proxy);
            } catch (ServiceException e) {
                throw (IOException) e.getCause();
            } finally {
                RPC.stopProxy(proxy);
            }
        });
    }

    private static HeartbeatRequestProto heartbeat() {
        return HeartbeatRequestProto.newBuilder()
                .setBlockPoolId(nameNode.getNamesystem().getBlockPoolId())
                .setDatanodeUuid("none")
                .setHostName("localhost")
                .setTransferPort(9866)
                .setIncarnation(1)
                .setSequence(0)
                .build();
    }

    @Test
    void heartbeat_ofDataNodePrincipal_getsThroughToTheRegistrationCheck() {
        assertThatThrownBy(() ->
                        as("dn/localhost", PlacementDataNodePB.class, proxy -> proxy.heartbeat(null, heartbeat())))
                .hasMessageContaining("not registered");
    }

    @Test
    void heartbeat_ofAUser_isRefusedByServiceAuthorization() {
        assertThatThrownBy(() -> as("alice", PlacementDataNodePB.class, proxy -> proxy.heartbeat(null, heartbeat())))
                .hasMessageContaining("is not authorized for protocol");
    }

    @Test
    void admin_userMayLookAndOnlySuperuserMayChange() throws Exception {
        StatusRequestProto status = StatusRequestProto.getDefaultInstance();
        assertThat(as("alice", PlacementAdminPB.class, proxy -> proxy.status(null, status))
                        .toString())
                .contains("blockPoolId");
        ChangeRequestProto pause =
                ChangeRequestProto.newBuilder().setVerb(VerbProto.PAUSE).build();
        assertThatThrownBy(() -> as("alice", PlacementAdminPB.class, proxy -> proxy.change(null, pause)))
                .hasMessageContaining("alice may not change placement");
        assertThat(as("hdfs/localhost", PlacementAdminPB.class, proxy -> proxy.change(null, pause))
                        .toString())
                .contains("accepted: 1");
    }
}
