package io.terrace.client.remote;

import static io.terrace.channel.server.TcpGrantFixture.BLOCK;
import static io.terrace.channel.server.TcpGrantFixture.SLOW;
import static io.terrace.channel.server.TcpGrantFixture.TIMEOUT_NS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.LoggedLines;
import io.terrace.channel.server.TcpGrantFixture;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.client.ClientConfig;
import io.terrace.client.GrantKey;
import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One answer that is late, of a DataNode that is well: what becomes of the connection and of the other grants. */
@Timeout(60)
final class LateAnswersTest {
    private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);

    @TempDir
    Path dir;

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final AtomicLong nowNs = new AtomicLong(System.nanoTime());
    private TcpGrantFixture fixture;
    private RemoteDataNode node;

    @BeforeEach
    void start() throws IOException {
        fixture = new TcpGrantFixture(dir, TcpLimits.DEFAULT);
        fixture.leaseMs = TimeUnit.NANOSECONDS.toMillis(HOUR_NS);
        fixture.announce(BLOCK);
        fixture.announce(SLOW);
        Configuration conf = new Configuration(false);
        conf.set("terrace.client.tcp.timeout", "1s");
        conf.set("terrace.client.tcp.connect.timeout", "20s");
        InetSocketAddress address = (InetSocketAddress) fixture.server.address();
        node = new RemoteDataNode(
                "datanode",
                address.getHostString(),
                address.getPort(),
                ClientConfig.from(conf).remote(),
                "user/test",
                metricRegistry,
                new ConnectQueue(Runnable::run, 0),
                nowNs::get);
        assertThat(has(BLOCK)).isFalse();
        assertThat(has(BLOCK)).isTrue();
    }

    @AfterEach
    void stop() throws IOException {
        node.retire();
        fixture.close();
    }

    @Test
    void grantThatIsLate_leavesTheConnectionToReadersOfOtherBlocks() throws Exception {
        RemoteGrant held = node.grant(key(BLOCK), new byte[0], 1);
        assertThat(held).isNotNull();
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Integer> reader = CompletableFuture.supplyAsync(() -> reads(held, over));
        long beganNs = System.nanoTime();

        assertThat(node.grant(key(SLOW), new byte[0], 1)).isNull();
        over.set(true);
        assertThat(reader.get(20, TimeUnit.SECONDS)).isPositive();
        assertThat(System.nanoTime() - beganNs).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(900));
        assertThat(node.isConnected()).isTrue();
        assertThat(metricRegistry.value(Metric.CLIENT_REMOTE_UNREACHABLE)).isZero();
        assertThat(metricRegistry.value(Metric.CLIENT_FALLBACK_TIMEOUT)).isEqualTo(1);
        assertThat(node.grant(key(BLOCK), new byte[0], 1)).isSameAs(held);
        nowNs.set(System.nanoTime());
        assertThat(has(SLOW)).as("asked for again at once").isFalse();
        assertThat(has(BLOCK)).isTrue();
    }

    @Test
    void grantThatIsLate_whereNothingElseIsHeard_isADataNodeThatIsGone() throws Exception {
        try (LoggedLines logged = new LoggedLines(RemoteDataNode.class)) {
            assertThat(node.grant(key(SLOW), new byte[0], 1)).isNull();
            assertThat(node.isConnected()).isFalse();
            assertThat(metricRegistry.value(Metric.CLIENT_REMOTE_UNREACHABLE)).isEqualTo(1);
            assertThat(logged.containing("INFO No tcp channel to DataNode datanode at 127.0.0.1"))
                    .hasSize(1)
                    .allMatch(line -> line.contains("terrace.channel.tcp.port.offset"));
        }
    }

    @Test
    void readThatIsLate_refusesItsBlockForAWhile_andLeavesTheConnection() throws Exception {
        RemoteGrant held = node.grant(key(BLOCK), new byte[0], 1);
        assertThat(held).isNotNull();

        node.failed(held, new ChannelException(TransferStatus.DEADLINE, "planted", null));
        assertThat(node.isConnected()).isTrue();
        assertThat(metricRegistry.value(Metric.CLIENT_REMOTE_UNREACHABLE)).isZero();
        nowNs.set(System.nanoTime());
        assertThat(has(BLOCK)).isFalse();
        await().until(() -> {
            nowNs.set(System.nanoTime());
            return has(BLOCK);
        });
        assertThat(node.grant(key(BLOCK), new byte[0], 1)).isSameAs(held);
    }

    private static int reads(RemoteGrant grant, AtomicBoolean over) {
        int reads = 0;
        try {
            while (!over.get()) {
                grant.region().read(0, ByteBuffer.allocate(1000), TIMEOUT_NS);
                reads++;
                Thread.sleep(5);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return reads;
    }

    private boolean has(BlockKey block) {
        return node.has(block);
    }

    private static GrantKey key(BlockKey block) {
        return new GrantKey("user", new byte[] {1}, block);
    }
}
