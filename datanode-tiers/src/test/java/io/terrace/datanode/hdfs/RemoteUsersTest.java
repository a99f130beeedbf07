package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.GrantRequest;
import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.tcp.TcpLink;
import io.terrace.client.ClientMetrics;
import io.terrace.common.BlockKey;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Users who read the memory of a DataNode from other hosts: those of one JVM without block tokens, then those whom tokens name. */
@Tag("cluster")
class RemoteUsersTest {

    private static final int BYTES = 200_000;
    private static final int GRANTS = 40;
    private static final int GRANTS_PER_CONNECTION = 5;
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);

    private static long readBy(FileSystem files, Path file) throws Exception {
        long before = ClientMetrics.value(Metric.CLIENT_REMOTE_BYTES);
        try (FSDataInputStream in = files.open(file)) {
            assertThat(in.readAllBytes()).isEqualTo(TerraceCluster.contents("shared", BYTES));
        }
        return ClientMetrics.value(Metric.CLIENT_REMOTE_BYTES) - before;
    }

    @Test
    void users_ofOneJvm_haveAGrantEach() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.setInt("terrace.channel.tcp.port.offset", RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS);
        try (TerraceCluster cluster = TerraceCluster.start(1, conf)) {
            Path file = cluster.write("shared", BYTES, 1);
            cluster.pin(file, 1);
            BlockKey key = cluster.key(file, 0);
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> cluster.service(0).tier().isResident(key));
            Configuration remote = OtherHostClient.configuration(cluster.fs().getConf(), Duration.ofSeconds(5));
            try (FileSystem alice = FileSystem.newInstance(cluster.cluster().getURI(), remote, "alice");
                    FileSystem bob = FileSystem.newInstance(cluster.cluster().getURI(), remote, "bob")) {
                // News of what is in memory takes a moment.
                await().atMost(Duration.ofSeconds(20)).until(() -> readBy(alice, file) == BYTES);
                long grants = ClientMetrics.value(Metric.CLIENT_REMOTE_GRANTS);
                assertThat(readBy(alice, file)).isEqualTo(BYTES);
                assertThat(ClientMetrics.value(Metric.CLIENT_REMOTE_GRANTS))
                        .as("hers is shared by all that she reads")
                        .isEqualTo(grants);
                assertThat(readBy(bob, file)).isEqualTo(BYTES);
                assertThat(ClientMetrics.value(Metric.CLIENT_REMOTE_GRANTS))
                        .as("he is given his own, over the same connection")
                        .isEqualTo(grants + 1);
                assertThat(cluster.service(0).tier().usage().grants()).isEqualTo(2);
            }
        }
    }

    @Test
    void grants_ofOneTokensUserOverManyConnections_leaveAsManyForOthers() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
        conf.setInt("terrace.channel.tcp.port.offset", RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS);
        conf.setInt(TerraceSettings.DATANODE_GRANTS_MAX.key(), GRANTS);
        conf.setInt(TerraceSettings.DATANODE_GRANTS_PER_PEER_MAX.key(), GRANTS_PER_CONNECTION);
        try (TerraceCluster cluster = TerraceCluster.start(1, conf)) {
            Path file = cluster.write("shared", BYTES, 1);
            BlockKey key = cluster.key(file, 0);
            cluster.promote(0, key, BYTES);
            List<TcpLink> greedy = new ArrayList<>();
            try (TcpLink modest = connect(cluster, "honest")) {
                byte[] his = token(cluster, file, "mallory");
                int granted = 0;
                for (int i = 0; i < 2 * GRANTS / GRANTS_PER_CONNECTION; i++) {
                    // What a client of another host calls itself is worth nothing.
                    TcpLink one = connect(cluster, "user-" + i);
                    greedy.add(one);
                    for (int j = 0; j < GRANTS_PER_CONNECTION; j++) {
                        granted += ask(one, key, his) instanceof Message.Granted ? 1 : 0;
                    }
                }
                assertThat(granted).isEqualTo(GRANTS / 2);
                assertThat(ask(modest, key, his)).isInstanceOf(Message.Refused.class);
                assertThat(ask(modest, key, token(cluster, file, "alice"))).isInstanceOf(Message.Granted.class);
            } finally {
                for (TcpLink one : greedy) {
                    one.close();
                }
            }
        }
    }

    private static TcpLink connect(TerraceCluster cluster, String calledItself) throws IOException {
        int port = cluster.datanode(0).getXferPort() + RemoteReadsCluster.OUT_OF_EPHEMERAL_PORTS;
        TcpLink link = TcpLink.connect(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TcpLimits.DEFAULT, TIMEOUT_NS);
        say(link, new Message.Hello(calledItself + "/test"));
        return link;
    }

    private static byte[] token(TerraceCluster cluster, Path file, String user) throws IOException {
        Token<?> token = cluster.cluster()
                .getNamesystem()
                .getBlockManager()
                .getBlockTokenSecretManager()
                .generateToken(
                        user,
                        cluster.located(file, 0).getBlock(),
                        EnumSet.of(AccessMode.READ),
                        new StorageType[0],
                        new String[0]);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        token.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    /** The answer; what the DataNode says of itself in between is passed over. */
    private static Message ask(TcpLink link, BlockKey key, byte[] token) throws IOException {
        say(link, new Message.Ask(1, new GrantRequest(key, token, false)));
        while (true) {
            ByteBuffer frame = link.receive(TIMEOUT_NS);
            if (frame == null) {
                throw new IOException("nothing heard in time");
            }
            Message message = MessageCodec.decode(frame);
            if (message instanceof Message.Granted || message instanceof Message.Refused) {
                return message;
            }
        }
    }

    private static void say(TcpLink link, Message message) throws IOException {
        link.send(MessageCodec.encode(message).position(Integer.BYTES), TIMEOUT_NS);
    }
}
