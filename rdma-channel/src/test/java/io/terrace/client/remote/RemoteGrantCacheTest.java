package io.terrace.client.remote;

import static io.terrace.channel.server.TcpGrantFixture.BLOCK;
import static io.terrace.channel.server.TcpGrantFixture.TIMEOUT_NS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.server.TcpGrantFixture;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.channel.transport.ChannelException;
import io.terrace.client.ClientConfig;
import io.terrace.client.GrantKey;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a client keeps of the grants that a DataNode gave it. */
final class RemoteGrantCacheTest {
    private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);
    private static final int LENGTH = 1000;

    @TempDir
    Path dir;

    private TcpGrantFixture fixture;
    private RemoteConnection connection;
    private RemoteGrantCache grants;

    @BeforeEach
    void start() throws IOException {
        fixture = new TcpGrantFixture(dir, TcpLimits.DEFAULT);
        fixture.leaseMs = TimeUnit.NANOSECONDS.toMillis(HOUR_NS);
        Configuration conf = new Configuration(false);
        conf.set("terrace.client.tcp.timeout", "20s");
        conf.set("terrace.client.tcp.connect.timeout", "20s");
        ClientConfig.Remote settings = ClientConfig.from(conf).remote();
        connection = RemoteConnection.to(
                "datanode", (InetSocketAddress) fixture.server.address(), settings, "user/test", new MetricRegistry());
        grants = new RemoteGrantCache(connection, settings, new MetricRegistry());
    }

    @AfterEach
    void stop() throws IOException {
        connection.close();
        fixture.close();
    }

    @Test
    void grants_ofOpensThatAreOver_areDetached_andOthersAreKept() throws Exception {
        RemoteGrant first = grants.of(key(1), new byte[0]);
        first.region().read(0, ByteBuffer.allocate(LENGTH), TIMEOUT_NS);
        grants.letGoOfOver(System.nanoTime());
        first.region().read(0, ByteBuffer.allocate(LENGTH), TIMEOUT_NS);
        assertThat(grants.of(key(1), new byte[0])).isSameAs(first);

        grants.letGoOfOver(System.nanoTime() + 2 * HOUR_NS);
        assertThatThrownBy(() -> first.region().read(0, ByteBuffer.allocate(LENGTH), TIMEOUT_NS))
                .as("though its lease is not over for the DataNode")
                .isInstanceOf(ChannelException.class);
        RemoteGrant second = grants.of(key(1), new byte[0]);
        assertThat(second).isNotSameAs(first);
        second.region().read(0, ByteBuffer.allocate(LENGTH), TIMEOUT_NS);
    }

    private static GrantKey key(int token) {
        return new GrantKey("user", new byte[] {(byte) token}, BLOCK);
    }
}
