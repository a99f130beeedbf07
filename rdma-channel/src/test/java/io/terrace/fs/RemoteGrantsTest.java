package io.terrace.fs;

import static io.terrace.channel.tcp.TcpGrantBed.BLOCK;
import static io.terrace.channel.tcp.TcpGrantBed.TIMEOUT_NS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.ChannelException;
import io.terrace.channel.tcp.TcpGrantBed;
import io.terrace.channel.tcp.TcpLimits;
import io.terrace.metrics.Figures;
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
final class RemoteGrantsTest {
    private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);
    private static final int LENGTH = 1000;

    @TempDir
    Path dir;

    private TcpGrantBed bed;
    private RemoteConnection connection;
    private RemoteGrants grants;

    @BeforeEach
    void start() throws IOException {
        bed = new TcpGrantBed(dir, TcpLimits.DEFAULT);
        bed.leaseMs = TimeUnit.NANOSECONDS.toMillis(HOUR_NS);
        Configuration conf = new Configuration(false);
        conf.set("terrace.client.tcp.timeout", "20s");
        conf.set("terrace.client.tcp.connect.timeout", "20s");
        RemoteSettings settings = RemoteSettings.from(conf);
        connection = RemoteConnection.to(
                "datanode", (InetSocketAddress) bed.server.address(), settings, "user/test", new Figures());
        grants = new RemoteGrants(connection, settings, new Figures());
    }

    @AfterEach
    void stop() throws IOException {
        connection.close();
        bed.close();
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

    private static RemoteGrant.Key key(int token) {
        return new RemoteGrant.Key("user", BLOCK, new byte[] {(byte) token});
    }
}
