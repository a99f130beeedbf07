package io.terrace.placement.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.PlacementDataNodePB;
import io.terrace.protocol.proto.AdminProtos.ChangeRequestProto;
import io.terrace.protocol.proto.AdminProtos.StatusRequestProto;
import io.terrace.protocol.proto.AdminProtos.VerbProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.PrivilegedExceptionAction;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.security.token.block.ExportedBlockKeys;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants;
import org.apache.hadoop.hdfs.server.common.StorageInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNodeLayoutVersion;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.hdfs.server.protocol.DatanodeRegistration;
import org.apache.hadoop.http.HttpConfig;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.ssl.KeyStoreTestUtil;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.apache.hadoop.util.VersionInfo;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The service in a NameNode with Kerberos and service-level authorization. */
@Tag("cluster")
class SecureServiceTest {

    @TempDir
    static File dir;

    private static SecureNameNode secure;
    private static NameNode nameNode;
    private static Configuration conf;
    private static InetSocketAddress service;

    @BeforeAll
    static void startSecureNameNode() throws Exception {
        secure = new SecureNameNode(dir, SecureServiceTest::web, "alice");
        nameNode = secure.nameNode();
        conf = secure.conf();
        service = NetUtils.createSocketAddr(nameNode.getConf().get("terrace.placement.rpc-address"));
    }

    private static void web(Configuration more) {
        more.set(DFSConfigKeys.DFS_HTTP_POLICY_KEY, HttpConfig.Policy.HTTPS_ONLY.name());
        more.set("dfs.namenode.https-address", "localhost:0");
        try {
            String classes = KeyStoreTestUtil.getClasspathDir(SecureServiceTest.class);
            KeyStoreTestUtil.setupSSLConfig(dir.getPath(), classes, more, false);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @AfterAll
    static void stopAndForgetKerberos() throws Exception {
        if (secure != null) {
            secure.close();
        }
        KeyStoreTestUtil.cleanupSSLConfig(dir.getPath(), KeyStoreTestUtil.getClasspathDir(SecureServiceTest.class));
    }

    private interface Call<P> {
        Object on(P proxy) throws ServiceException;
    }

    private static <P> Object as(String principal, Class<P> protocol, Call<P> call) throws Exception {
        return secure.user(principal).doAs((PrivilegedExceptionAction<Object>) () -> {
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

    /** Registers a DataNode of this address, as the NameNode does when it says so. */
    private static void register(String uuid, String address, int port) throws Exception {
        DatanodeID id = new DatanodeID(address, "localhost", uuid, port, 9864, 9865, 9867);
        StorageInfo storage = new StorageInfo(
                DataNodeLayoutVersion.getCurrentLayoutVersion(),
                nameNode.getNamesystem().getFSImage().getStorage().getNamespaceID(),
                nameNode.getNamesystem().getClusterId(),
                0,
                HdfsServerConstants.NodeType.DATA_NODE);
        nameNode.getNamesystem()
                .getBlockManager()
                .getDatanodeManager()
                .registerDatanode(
                        new DatanodeRegistration(id, storage, new ExportedBlockKeys(), VersionInfo.getVersion()));
    }

    private static HeartbeatRequestProto heartbeat(String uuid) {
        return heartbeat().toBuilder().setDatanodeUuid(uuid).build();
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
    void heartbeat_fromAnotherAddressThanRegistered_isRefused() throws Exception {
        register("here", "127.0.0.1", 9866);
        register("elsewhere", "127.0.0.9", 9866);
        assertThat(as("dn/localhost", PlacementDataNodePB.class, proxy -> proxy.heartbeat(null, heartbeat("here")))
                        .toString())
                .contains("epoch");
        assertThatThrownBy(() -> as(
                        "dn/localhost",
                        PlacementDataNodePB.class,
                        proxy -> proxy.heartbeat(null, heartbeat("elsewhere"))))
                .hasMessageContaining("registered from 127.0.0.9, its heartbeat came from 127.0.0.1");
    }

    /** Service-level authorization asked nothing, as where hadoop.security.authorization is false. */
    @Test
    void check_ofAUser_isRefusedWhereServiceAuthorizationIsOff() throws Exception {
        register("checked", "127.0.0.1", 9876);
        DataNodeCheck check = new DataNodeCheck(nameNode.getNamesystem(), conf);
        String pool = nameNode.getNamesystem().getBlockPoolId();
        assertThat(checkedAs("dn/localhost", () -> check.check(pool, "checked")).getDatanodeUuid())
                .isEqualTo("checked");
        assertThatThrownBy(() -> checkedAs("alice", () -> check.check(pool, "checked")))
                .isInstanceOf(AccessControlException.class)
                .hasMessageContaining(secure.principal("alice") + " is not a DataNode");
    }

    /** Within a call that came from loopback, authenticated as this principal. */
    private static <T> T checkedAs(String principal, Callable<T> check) throws Exception {
        UserGroupInformation caller = UserGroupInformation.createRemoteUser(secure.principal(principal));
        Server.getCurCall().set(new Server.Call(1, 0, null, null, RPC.RpcKind.RPC_PROTOCOL_BUFFER, new byte[16]) {
            @Override
            public UserGroupInformation getRemoteUser() {
                return caller;
            }

            @Override
            public InetAddress getHostInetAddress() {
                return InetAddress.getLoopbackAddress();
            }
        });
        try {
            return check.call();
        } finally {
            Server.getCurCall().remove();
        }
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
