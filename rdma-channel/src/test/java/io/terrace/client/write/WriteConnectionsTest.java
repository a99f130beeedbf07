package io.terrace.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.shm.SocketDirectory;
import io.terrace.channel.write.WriteConnection;
import io.terrace.client.ClientConfig;
import io.terrace.client.landing.WindowConnector;
import io.terrace.metrics.MetricRegistry;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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

    /** Takes no SYN until one of those that wait is accepted: the kernel drops it, and it is sent again after a second. */
    private static final class Full implements Closeable {
        private final ServerSocketChannel listener =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
        private final List<SocketChannel> waiting = new ArrayList<>();

        Full() throws IOException {
            SocketChannel next;
            do {
                next = SocketChannel.open();
                next.configureBlocking(false);
                waiting.add(next);
                next.connect(listener.getLocalAddress());
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            } while (next.finishConnect());
            // It would be sent again, too.
            next.close();
        }

        int port() throws IOException {
            return ((InetSocketAddress) listener.getLocalAddress()).getPort();
        }

        void acceptOne() throws IOException {
            listener.accept().close();
        }

        @Override
        public void close() throws IOException {
            for (SocketChannel each : waiting) {
                each.close();
            }
            listener.close();
        }
    }

    private static boolean connectsOnceThereIsRoom(WriteConnections connections, Full full) throws Exception {
        FutureTask<Boolean> connects = new FutureTask<>(() -> isThere(connections.connect(node("full", full.port()))));
        new Thread(connects, "connects").start();
        // Its first SYN is lost by then.
        Thread.sleep(300);
        full.acceptOne();
        return connects.get();
    }

    @Test
    void connect_whoseFirstSynIsLost_goesOn() throws Exception {
        WriteConnections connections = connections();
        assertThat(isThere(connections.connect(node(UUID, server.port())))).isTrue();
        try (Full full = new Full()) {
            assertThat(connectsOnceThereIsRoom(connections, full)).isTrue();
        }
    }

    /** As where a firewall drops all: each file would wait. */
    @Test
    void connect_whereNobodyAnswersByTcp_isGivenUpSoon() throws Exception {
        try (Full full = new Full()) {
            WriteConnections connections = connections();
            long startNs = System.nanoTime();
            assertThat(isThere(connections.connect(node("full", full.port())))).isFalse();
            assertThat(System.nanoTime() - startNs).isLessThan(TimeUnit.MILLISECONDS.toNanos(900));
        }
    }

    /** As a host that is gone. */
    @Test
    void connect_whatDidNotAnswerLately_isGivenUpSoon() throws Exception {
        WriteConnections connections = connections();
        assertThat(isThere(connections.connect(node(UUID, server.port())))).isTrue();
        try (Full full = new Full()) {
            DatanodeInfo node = node("full", full.port());
            assertThat(isThere(connections.connect(node))).isFalse();
            long startNs = System.nanoTime();
            assertThat(isThere(connections.connectAnyway(node))).isFalse();
            assertThat(System.nanoTime() - startNs).isLessThan(TimeUnit.MILLISECONDS.toNanos(900));
        }
    }
}
