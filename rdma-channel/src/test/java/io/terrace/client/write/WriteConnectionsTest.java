package io.terrace.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.shm.SocketDirectory;
import io.terrace.channel.write.WriteConnection;
import io.terrace.client.ClientConfig;
import io.terrace.metrics.MetricRegistry;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class WriteConnectionsTest {
    private static final String UUID = "datanode";

    @TempDir
    Path dir;

    private final Configuration conf = new Configuration(false);
    private FakeWriteServer server;

    @BeforeEach
    void start() throws IOException {
        server = new FakeWriteServer();
        conf.set("terrace.channel.dir", dir.toString());
        conf.set("terrace.channel.tcp.port.offset", "1");
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private WriteConnections connections() {
        MetricRegistry metricRegistry = new MetricRegistry();
        return new WriteConnections(ClientConfig.from(conf), new WindowConnector(null, metricRegistry), metricRegistry);
    }

    private static DatanodeInfo node(String uuid, int port) {
        String address = InetAddress.getLoopbackAddress().getHostAddress();
        return new DatanodeInfoBuilder()
                .setIpAddr(address)
                .setHostName(address)
                .setDatanodeUuid(uuid)
                .setXferPort(port - 1)
                .build();
    }

    /** As a DataNode that was killed leaves it, which is back without a directory for sockets. */
    private void leaveSocket() throws IOException {
        SocketDirectory.listen(SocketDirectory.check(dir).socket(UUID)).close();
    }

    private static boolean isThere(@Nullable WriteConnection connection) throws IOException {
        try (WriteConnection closed = connection) {
            return closed != null;
        }
    }

    @Test
    void connect_socketThatNobodyServes_isByTcp() throws IOException {
        leaveSocket();
        WriteConnections connections = connections();
        assertThat(isThere(connections.connect(node(UUID, server.port())))).isTrue();
        assertThat(isThere(connections.connect(node(UUID, server.port())))).isTrue();
    }

    /** It is no DataNode that could be believed, but that says nothing of those of other hosts. */
    @Test
    void connect_directoryThatOthersMayWrite_isByTcp() throws IOException {
        Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThat(isThere(connections().connect(node("another", server.port()))))
                .isTrue();
    }

    @Test
    void connect_socketThatNobodyServes_andNoTcp_isPaused() throws IOException {
        leaveSocket();
        conf.unset("terrace.channel.tcp.port.offset");
        WriteConnections connections = connections();
        DatanodeInfo node = node(UUID, server.port());
        assertThat(isThere(connections.connect(node))).isFalse();
        try (Closeable served =
                SocketDirectory.listen(SocketDirectory.check(dir).socket(UUID))) {
            assertThat(isThere(connections.connect(node))).isFalse();
            assertThat(isThere(connections.connectAnyway(node))).isTrue();
            assertThat(served).isNotNull();
        }
    }
}
