package io.terrace.channel.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FramedSocketTest {
    private static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(50);

    @TempDir
    Path directory;

    private UnixDomainSocketAddress address;
    private ServerSocketChannel listener;
    private final List<SocketChannel> waiting = new ArrayList<>();

    @BeforeEach
    void listen() throws IOException {
        address = UnixDomainSocketAddress.of(directory.resolve("datanode.sock"));
        listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address, 1);
    }

    @AfterEach
    void stop() throws IOException {
        for (SocketChannel each : waiting) {
            each.close();
        }
        listener.close();
    }

    private void fillTheQueue() throws IOException {
        while (true) {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            waiting.add(channel);
            channel.configureBlocking(false);
            if (catchThrowable(() -> channel.connect(address)) != null) {
                return;
            }
        }
    }

    @Test
    void connect_toAListenerWithAFullQueue_waits() throws IOException {
        fillTheQueue();

        assertThatThrownBy(() -> FramedSocket.connect(address, SHORT_NS)).isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void connect_toAFullQueue_isInOnceItIsAccepted() throws Exception {
        fillTheQueue();
        CompletableFuture<FramedSocket> connected = CompletableFuture.supplyAsync(() -> {
            try {
                return FramedSocket.connect(address, TimeUnit.SECONDS.toNanos(60));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });

        assertThatThrownBy(() -> connected.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        listener.accept().close();

        connected.get(60, TimeUnit.SECONDS).close();
    }

    @Test
    void connect_whereNobodyListens_failsAtOnce() throws IOException {
        listener.close();

        assertThatThrownBy(() -> FramedSocket.connect(address, TimeUnit.HOURS.toNanos(1)))
                .isInstanceOf(ConnectException.class);
    }

    @Test
    void connect_whereNoSocketIs_failsAtOnce() {
        UnixDomainSocketAddress nowhere = UnixDomainSocketAddress.of(directory.resolve("gone.sock"));

        assertThat(catchThrowable(() -> FramedSocket.connect(nowhere, TimeUnit.HOURS.toNanos(1))))
                .isInstanceOf(SocketException.class);
    }
}
