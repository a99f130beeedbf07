package io.terrace.placement.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.proto.AdminProtos.TiersRequestProto;
import io.terrace.protocol.proto.AdminProtos.TiersResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.security.GroupMappingServiceProvider;
import org.apache.hadoop.security.Groups;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What users cannot do to the threads that serve DataNodes. */
@Tag("cluster")
class HandlersTest {

    private static final int HANDLERS = 4;
    private static final CountDownLatch DIRECTORY_ANSWERS = new CountDownLatch(1);
    private static final AtomicInteger LOOKUPS = new AtomicInteger();

    @TempDir
    java.nio.file.Path dir;

    /** A directory of users that hangs when it is asked about a stranger. */
    public static final class HangingGroups implements GroupMappingServiceProvider {
        @Override
        public List<String> getGroups(String user) throws IOException {
            if (user.startsWith("stranger")) {
                LOOKUPS.incrementAndGet();
                try {
                    DIRECTORY_ANSWERS.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IOException(e);
                }
            }
            return List.of("users");
        }

        @Override
        public void cacheGroupsRefresh() {}

        @Override
        public void cacheGroupsAdd(List<String> groups) {}
    }

    private static TiersResponseProto tiers(String user, InetSocketAddress service) throws Exception {
        return UserGroupInformation.createRemoteUser(user).doAs((PrivilegedExceptionAction<TiersResponseProto>) () -> {
            Configuration conf = new Configuration();
            RPC.setProtocolEngine(conf, PlacementAdminPB.class, ProtobufRpcEngine2.class);
            PlacementAdminPB proxy =
                    RPC.getProxy(PlacementAdminPB.class, RPC.getProtocolVersion(PlacementAdminPB.class), service, conf);
            try {
                return proxy.tiers(null, TiersRequestProto.getDefaultInstance());
            } catch (ServiceException e) {
                throw (IOException) e.getCause();
            } finally {
                RPC.stopProxy(proxy);
            }
        });
    }

    /** From now on; what was known of users is forgotten. */
    private static void askForGroupsAs(Configuration conf) {
        Groups.getUserToGroupsMappingServiceWithLoadedConfiguration(conf);
        UserGroupInformation.reset();
        UserGroupInformation.setConfiguration(conf);
    }

    @Test
    void users_whoseGroupsHang_holdHalfOfTheThreadsAtMost() throws Exception {
        Configuration conf = NameNodePluginTest.conf();
        conf.setInt("terrace.placement.handlers", HANDLERS);
        conf.set("terrace.placement.admin.acl", "operator admins");
        conf.setClass("hadoop.security.group.mapping", HangingGroups.class, GroupMappingServiceProvider.class);
        askForGroupsAs(conf);
        ExecutorService callers = Executors.newCachedThreadPool();
        MiniDFSCluster cluster = new MiniDFSCluster.Builder(conf, dir.toFile()).build();
        try {
            cluster.waitActive();
            InetSocketAddress service = NameNodePluginTest.service(cluster, 0);
            try (StandInDataNode dataNode = new StandInDataNode(
                    service,
                    cluster.getConfiguration(0),
                    cluster.getDataNodes().get(0),
                    cluster.getNamesystem().getBlockPoolId(),
                    1 << 20)) {
                await().atMost(Duration.ofSeconds(30)).until(dataNode::beat, HeartbeatResponseProto::getActive);
                List<Future<TiersResponseProto>> waiting = new ArrayList<>();
                for (int i = 0; i < HANDLERS / 2; i++) {
                    String user = "stranger" + i;
                    waiting.add(callers.submit(() -> tiers(user, service)));
                }
                await().atMost(Duration.ofSeconds(30)).until(() -> LOOKUPS.get() == HANDLERS / 2);
                for (int i = 0; i < HANDLERS; i++) {
                    String user = "stranger" + (100 + i);
                    assertThatThrownBy(() -> tiers(user, service)).hasMessageContaining("ask again");
                }
                assertThat(dataNode.beat().getActive()).isTrue();
                assertThat(tiers("operator", service).getNodesList())
                        .as("who may change placement by his name")
                        .hasSize(1);
                DIRECTORY_ANSWERS.countDown();
                for (Future<TiersResponseProto> one : waiting) {
                    assertThat(one.get().getNodesList()).hasSize(1);
                }
                assertThat(tiers("stranger7", service).getNodesList()).hasSize(1);
            }
        } finally {
            DIRECTORY_ANSWERS.countDown();
            cluster.shutdown(true);
            callers.shutdownNow();
            askForGroupsAs(new Configuration());
        }
    }
}
