package io.terrace.client.remote;

import static io.terrace.channel.server.TcpGrantFixture.BLOCK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.server.TcpGrantFixture;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.transport.ChannelException;
import io.terrace.client.ClientConfig;
import io.terrace.client.GrantKey;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Readers that take longer than a lease. */
@Timeout(120)
final class RemoteBlockAccessorTest {
    private static final int LENGTH = 1 << 20;
    private static final long LEASE_MS = 300;

    @TempDir
    Path dir;

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final byte[] content = new byte[LENGTH];
    private TcpGrantFixture fixture;
    private RemoteDataNodes nodes;
    private RemoteDataNode node;

    @BeforeEach
    void start() throws IOException {
        new Random(5).nextBytes(content);
        fixture = new TcpGrantFixture(dir, TcpLimits.DEFAULT);
        fixture.leaseMs = LEASE_MS;
        fixture.announce(BLOCK);
        Configuration conf = new Configuration(false);
        conf.set("terrace.client.tcp.timeout", "20s");
        conf.set("terrace.client.tcp.connect.timeout", "20s");
        ClientConfig.Remote settings = ClientConfig.from(conf).remote();
        ConnectQueue connects = new ConnectQueue(Runnable::run, 0);
        nodes = new RemoteDataNodes(settings, metricRegistry, connects, System::nanoTime);
        InetSocketAddress address = (InetSocketAddress) fixture.server.address();
        node = new RemoteDataNode(
                "datanode",
                "127.0.0.1",
                address.getPort(),
                settings,
                "user/test",
                metricRegistry,
                connects,
                System::nanoTime);
        node.has(BLOCK);
    }

    @AfterEach
    void stop() throws IOException {
        node.retire();
        fixture.close();
    }

    private RemoteBlockAccessor accessor() {
        byte[] token = new byte[0];
        RemoteGrant grant = Objects.requireNonNull(node.grant(new GrantKey("user", token, BLOCK), token, LENGTH));
        return new RemoteBlockAccessor(nodes, node, grant, token, LENGTH, 0);
    }

    @Test
    void sequentialRead_overSeveralLeases_goesOn_withOneGrantForEach() throws Exception {
        RemoteBlockAccessor reader = accessor();
        byte[] got = new byte[LENGTH];
        long beganNs = System.nanoTime();
        for (int at = 0; at < LENGTH; ) {
            int count = reader.read(at, got, at, Math.min(20_000, LENGTH - at));
            assertThat(count).isPositive();
            at += count;
            // Pieces of 64 KB, 256 KB and the rest: the second is asked for when the lease is over.
            LockSupport.parkNanos(100_000_000);
        }
        long leases = (System.nanoTime() - beganNs) / (LEASE_MS * 1_000_000) + 1;
        assertThat(got).isEqualTo(content);
        assertThat(fixture.released).as("the DataNode ended grants meanwhile").isNotEmpty();
        assertThat(metricRegistry.value(Metric.CLIENT_REMOTE_GRANTS)).isBetween(2L, 2 * leases);
        reader.close();
    }

    @Test
    void readOfAll_afterTheLease_isGrantedAnew() throws Exception {
        RemoteBlockAccessor reader = accessor();
        awaitEndOfLease();
        ByteBuffer rest = ByteBuffer.allocate(LENGTH - 5);
        assertThat(reader.read(5, rest)).isEqualTo(LENGTH - 5);
        assertThat(rest.array()).isEqualTo(Arrays.copyOfRange(content, 5, LENGTH));
        assertThat(metricRegistry.value(Metric.CLIENT_REMOTE_GRANTS)).isEqualTo(2);
        reader.close();
    }

    @Test
    void read_afterTheLease_whereNothingIsGranted_fails_andTheConnectionStays() throws Exception {
        RemoteBlockAccessor reader = accessor();
        fixture.refuses = true;
        awaitEndOfLease();
        assertThatThrownBy(() -> reader.read(0, ByteBuffer.allocate(100))).isInstanceOf(ChannelException.class);
        assertThat(node.isConnected()).isTrue();
        assertThat(metricRegistry.value(Metric.CLIENT_REMOTE_UNREACHABLE)).isZero();
        reader.close();
    }

    /** The DataNode looks for leases that are over once a second. */
    private void awaitEndOfLease() {
        TcpGrantFixture.eventually(() -> !fixture.released.isEmpty());
    }
}
