package io.terrace.channel.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.tcp.TcpFrame;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class WriteConnectionTest {
    private ServerSocketChannel listener;
    private Selector selector;
    private WriteConnection connection;
    private SocketChannel datanode;

    @BeforeEach
    void connect() throws IOException {
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        selector = Selector.open();
        connection = WriteConnection.connect(
                "node", listener.getLocalAddress(), TcpFrame.startWrites(), TimeUnit.SECONDS.toNanos(60));
        datanode = listener.accept();
        connection.register(selector);
    }

    @AfterEach
    void close() throws IOException {
        datanode.close();
        connection.close();
        selector.close();
        listener.close();
    }

    private void send() throws IOException {
        ByteBuffer ping = ByteBuffer.allocate(WriteFrame.HEADER_BYTES);
        new WriteFrame(0, WriteFrame.PING, (byte) 0, 0).encode(ping);
        datanode.write(ping.flip());
    }

    private void select() throws IOException {
        selector.select();
        WriteConnection.takeSelected(selector);
    }

    /** Each read of nothing is a system call, for each frame that is sent. */
    @Test
    void isReadable_onceItWasRead_notUntilThereIsMore() throws IOException {
        assertThat(connection.isReadable()).isFalse();
        for (int i = 0; i < 3; i++) {
            send();
            select();
            assertThat(connection.isReadable()).isTrue();
            assertThat(connection.fill()).isTrue();
            assertThat(connection.next()).isNotNull();
            assertThat(connection.isReadable()).isFalse();
            selector.selectNow();
            WriteConnection.takeSelected(selector);
            assertThat(connection.isReadable()).isFalse();
        }
    }

    /** Whoever waits for something else first finds it later. */
    @Test
    void isReadable_untilItIsRead() throws IOException {
        send();
        select();
        connection.awaitOutput(true);
        select();
        assertThat(connection.isReadable()).isTrue();
        assertThat(connection.fill()).isTrue();
        assertThat(connection.next()).isNotNull();
        select();
        assertThat(connection.isReadable()).as("it takes output").isFalse();
    }

    @Test
    void isReadable_moreThanThereIsRoomFor_isFoundAgain() throws IOException {
        int many = 1_000;
        for (int i = 0; i < many; i++) {
            send();
        }
        for (int got = 0; got < many; ) {
            select();
            assertThat(connection.isReadable()).isTrue();
            connection.fill();
            while (connection.next() != null) {
                got++;
            }
        }
    }

    @Test
    void isReadable_theEnd() throws IOException {
        datanode.close();
        select();
        assertThat(connection.isReadable()).isTrue();
        assertThatThrownBy(connection::fill).isInstanceOf(ConnectionEndedException.class);
    }
}
