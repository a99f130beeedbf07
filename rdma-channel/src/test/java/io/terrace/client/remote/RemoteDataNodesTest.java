package io.terrace.client.remote;

import static io.terrace.channel.server.TcpGrantFixture.BLOCK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.server.TcpGrantFixture;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.client.ClientConfig;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.DatanodeInfoWithStorage;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who connects to DataNodes, when, and who waits for it. Where a reader would wait for ever, a test would not end. */
@Timeout(60)
final class RemoteDataNodesTest {
    private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);
    private static final int PORT_OFFSET = 1;

    @TempDir
    Path dir;

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final AtomicLong nowNs = new AtomicLong(System.nanoTime());
    /** What is to be connected and was not yet. */
    private final Queue<Runnable> toConnect = new ArrayDeque<>();

    private TcpGrantFixture fixture;

    @BeforeEach
    void start() throws IOException {
        fixture = new TcpGrantFixture(dir, TcpLimits.DEFAULT);
        fixture.announce(BLOCK);
    }

    @AfterEach
    void stop() throws IOException {
        fixture.close();
    }

    @Test
    void holds_withoutAConnection_isFalseAtOnce_andTrueOnceAnotherThreadConnected() {
        RemoteDataNodes nodes = nodes(new ConnectQueue(toConnect::add, 0), 256);

        assertThat(nodes.holds(block(alive()))).isFalse();
        assertThat(nodes.holds(block(alive()))).isFalse();
        assertThat(toConnect).hasSize(1);

        toConnect.remove().run();
        assertThat(nodes.holds(block(alive()))).isTrue();
    }

    @Test
    void holds_onceSecurityIsOn_trustsNoPortThatAnybodyMayListenAt() {
        RemoteDataNodes nodes = nodes(ConnectQueue.onSharedThreads(HOUR_NS), 256);
        assertThat(nodes.holds(block(alive()))).isTrue();
        Configuration secure = new Configuration(false);
        secure.set("hadoop.security.authentication", "token");
        UserGroupInformation.setConfiguration(secure);
        try {
            assertThat(nodes.holds(block(alive()))).isFalse();
        } finally {
            UserGroupInformation.setConfiguration(new Configuration(false));
        }
    }

    @Test
    void holds_atFirst_waitsForTheConnection() {
        RemoteDataNodes nodes = nodes(ConnectQueue.onSharedThreads(HOUR_NS), 256);

        assertThat(nodes.holds(block(alive()))).isTrue();
    }

    /** A reader looks for a connection, and then whether one is being made. */
    @Test
    void holds_whereTheConnectionIsMadeBetweenBothLooks_findsIt() {
        RemoteDataNodes nodes = nodes(new ConnectQueue(toConnect::add, HOUR_NS), 256);
        LocatedBlock block = new LocatedBlock(block(alive()).getBlock(), new DatanodeInfo[] {alive()}) {
            @Override
            public DatanodeInfoWithStorage[] getLocations() {
                if (!toConnect.isEmpty()) {
                    toConnect.remove().run();
                }
                return super.getLocations();
            }
        };
        assertThat(nodes.holds(block)).isTrue();
    }

    @Test
    void holds_whereTheFirstHolderIsSilent_waitsForTheSecondAlone() {
        DatanodeInfo silent = holder("silent", 9);
        ConnectQueue connects = new ConnectQueue(
                connect -> {
                    if (toConnect.isEmpty()) {
                        toConnect.add(connect);
                    } else {
                        connect.run();
                    }
                },
                HOUR_NS);

        assertThat(nodes(connects, 256).holds(block(silent, alive()))).isTrue();
    }

    @Test
    void holds_whereTheHolderFailedBefore_waitsForNobody() {
        DatanodeInfo another = holder("another than answers", port());
        RemoteDataNodes nodes = nodes(
                new ConnectQueue(
                        connect -> {
                            if (toConnect.isEmpty()) {
                                connect.run();
                            }
                            toConnect.add(connect);
                        },
                        HOUR_NS),
                256);
        assertThat(nodes.holds(block(another))).isFalse();
        assertThat(metricRegistry.value(Metric.CLIENT_REMOTE_UNREACHABLE)).isEqualTo(1);

        nowNs.addAndGet(HOUR_NS);
        assertThat(nodes.holds(block(another))).isFalse();
        assertThat(toConnect).as("a second time, and nobody did").hasSize(2);
    }

    @Test
    void holds_whenReadersHaveWaitedLongEnough_waitsNoMore() {
        ConnectQueue connects = new ConnectQueue(toConnect::add, HOUR_NS);
        connects.waited(HOUR_NS);

        assertThat(nodes(connects, 256).holds(block(alive()))).isFalse();
        assertThat(toConnect).hasSize(1);
    }

    @Test
    void holds_withAsManyDataNodesAsMayBe_connectsToNoOther_untilOneWasNotReadFromForLong() {
        RemoteDataNodes nodes = nodes(new ConnectQueue(toConnect::add, 0), 1);
        DatanodeInfo kept = holder("kept", 9);
        nodes.holds(block(kept));
        toConnect.clear();

        for (int i = 0; i < 5; i++) {
            nowNs.addAndGet(TimeUnit.SECONDS.toNanos(20));
            assertThat(nodes.holds(block(alive()))).isFalse();
        }
        assertThat(toConnect).isEmpty();
        assertThat(metricRegistry.value(Metric.CLIENT_REMOTE_FULL)).isEqualTo(5);

        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(20));
        nodes.holds(block(alive()));
        assertThat(toConnect).hasSize(1);
        toConnect.remove().run();
        assertThat(nodes.holds(block(alive()))).isTrue();
    }

    @Test
    void holds_whereTheDataNodeCameBackAtAnotherPort_connectsToThat() throws IOException {
        RemoteDataNodes nodes = nodes(new ConnectQueue(toConnect::add, 0), 256);
        DatanodeInfo before = alive();
        nodes.holds(block(before));
        toConnect.remove().run();
        assertThat(nodes.holds(block(before))).isTrue();

        int oldPort = port();
        fixture.close();
        fixture = new TcpGrantFixture(Files.createDirectory(dir.resolve("again")), TcpLimits.DEFAULT);
        fixture.announce(BLOCK);
        assertThat(port()).isNotEqualTo(oldPort);
        await().until(() -> {
            nowNs.addAndGet(HOUR_NS);
            return !nodes.holds(block(before));
        });
        toConnect.remove().run();
        assertThat(nodes.holds(block(alive())))
                .as("not before the pause is over")
                .isFalse();
        assertThat(toConnect).isEmpty();

        nowNs.addAndGet(HOUR_NS);
        assertThat(nodes.holds(block(alive()))).isFalse();
        toConnect.remove().run();
        assertThat(nodes.holds(block(alive()))).isTrue();
        assertThat(nodes.holds(block(before)))
                .as("for those who know the old port too")
                .isTrue();
    }

    private RemoteDataNodes nodes(ConnectQueue connects, int most) {
        Configuration conf = new Configuration(false);
        conf.setInt("terrace.channel.tcp.port.offset", PORT_OFFSET);
        conf.setInt("terrace.client.tcp.nodes.max", most);
        conf.set("terrace.client.tcp.connect.timeout", "20s");
        return new RemoteDataNodes(ClientConfig.from(conf).remote(), metricRegistry, connects, nowNs::get);
    }

    private int port() {
        return ((InetSocketAddress) fixture.server.address()).getPort();
    }

    private DatanodeInfo alive() {
        return holder("datanode", port());
    }

    private static DatanodeInfo holder(String uuid, int channelPort) {
        return new DatanodeInfoBuilder()
                .setDatanodeUuid(uuid)
                .setIpAddr("127.0.0.1")
                .setHostName("localhost")
                .setXferPort(channelPort - PORT_OFFSET)
                .build();
    }

    private static LocatedBlock block(DatanodeInfo... holders) {
        return new LocatedBlock(new ExtendedBlock(BLOCK.pool(), BLOCK.blockId(), 1, BLOCK.generationStamp()), holders);
    }
}
