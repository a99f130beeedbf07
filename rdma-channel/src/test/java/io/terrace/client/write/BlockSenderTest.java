package io.terrace.client.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.write.WriteAck;
import io.terrace.channel.write.WriteConnection;
import io.terrace.channel.write.WriteFrame;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One block with a DataNode that says what the test wants, when it wants. */
@Timeout(60)
final class BlockSenderTest {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long START_NS = 1_000;
    private static final int FRAME_BYTES = 100;

    private final FramePool pool = new FramePool(4 << 20, () -> {});
    private final FrameQueue queue = new FrameQueue(pool, true, () -> {});
    private ServerSocketChannel listener;
    private Selector selector;
    private WriteConnection connection;
    private SocketChannel datanode;
    private BlockSender sender;

    /** Two frames are sent. */
    @BeforeEach
    void send() throws IOException {
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        selector = Selector.open();
        connection = WriteConnection.connect("node", listener.getLocalAddress(), TcpFrame.startWrites(), TIMEOUT_NS);
        datanode = listener.accept();
        connection.register(selector);
        sender = new BlockSender(queue, connection, TIMEOUT_NS, 2 * TIMEOUT_NS, new Untold(), 0, START_NS);
        DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512);
        FrameFiller filler = new FrameFiller(pool, queue, ChunkSummer.of(checksum), 1 << 20, false);
        for (int i = 0; i < 2; i++) {
            filler.write(new byte[FRAME_BYTES], 0, FRAME_BYTES);
            filler.flush(false);
        }
        assertThat(sender.advance(START_NS)).isEqualTo(TIMEOUT_NS);
        assertThat(sender.sent()).hasSize(2);
    }

    @AfterEach
    void stop() throws IOException {
        queue.end(sender.sent());
        datanode.close();
        connection.close();
        selector.close();
        listener.close();
        assertThat(pool.lentBytes()).isZero();
    }

    /** Nobody looks at the connection while the NameNode is waited for, as in a failover. */
    @Test
    void advance_answerCameWhileNobodyLooked_isInTime() throws IOException {
        acknowledgeTheFirst();
        long nowNs = START_NS + 2 * TIMEOUT_NS - 1;
        assertThat(sender.advance(nowNs)).isPositive();
        assertThat(sender.fault()).isNull();
        assertThat(sender.ackedBytes()).isEqualTo(FRAME_BYTES);
    }

    @Test
    void advance_noAnswerInTime_fails() {
        sender.advance(START_NS + TIMEOUT_NS - 1);
        assertThat(sender.fault()).isNull();
        sender.advance(START_NS + TIMEOUT_NS);
        assertThat(sender.fault()).isInstanceOf(SocketTimeoutException.class);
    }

    @Test
    void advance_afterAnAnswer_theNextOneHasItsOwnTime() throws IOException {
        acknowledgeTheFirst();
        WriteConnection.takeSelected(selector);
        sender.advance(START_NS + 10);
        sender.advance(START_NS + 9 + TIMEOUT_NS);
        assertThat(sender.fault()).isNull();
        sender.advance(START_NS + 10 + TIMEOUT_NS);
        assertThat(sender.fault()).isInstanceOf(SocketTimeoutException.class);
    }

    /** The streamer would look a thousand times a second whether it takes more. */
    @Test
    void advance_whileTheSocketTakesNothing_isNotCalledAgainForAPing() throws IOException {
        FramePool large = new FramePool(64 << 20, () -> {});
        FrameQueue frames = new FrameQueue(large, true, () -> {});
        DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512);
        FrameFiller filler = new FrameFiller(large, frames, ChunkSummer.of(checksum), 1 << 30, false);
        try (WriteConnection full = WriteConnection.connect(
                        "node", listener.getLocalAddress(), TcpFrame.startWrites(), TIMEOUT_NS);
                SocketChannel unread = listener.accept()) {
            assertThat(unread.isConnected()).isTrue();
            full.register(selector);
            BlockSender blocked = new BlockSender(frames, full, TIMEOUT_NS, TIMEOUT_NS / 2, new Untold(), 0, START_NS);
            while (blocked.takesMore()) {
                byte[] bytes = new byte[1 << 20];
                assertThat(filler.write(bytes, 0, bytes.length)).isEqualTo(bytes.length);
                filler.flush(false);
                blocked.advance(START_NS);
            }
            assertThat(blocked.advance(START_NS + TIMEOUT_NS / 2)).isEqualTo(TIMEOUT_NS / 2);
            frames.end(blocked.sent());
        }
        assertThat(large.lentBytes()).isZero();
    }

    /** Its memory would never be lent again. */
    @Test
    void advance_whereTheApplicationThrows_leavesTheFrameToBeGivenBack() throws IOException {
        sender.tell(new Untold() {
            @Override
            public void acknowledged(long blockBytes, long freshBytes) {
                throw new IllegalStateException("thrown by the test");
            }
        });
        acknowledgeTheFirst();
        WriteConnection.takeSelected(selector);
        assertThatThrownBy(() -> sender.advance(START_NS)).hasMessage("thrown by the test");
        assertThat(sender.sent()).hasSize(2);
    }

    /** By all, and returns when the answer is there. */
    private void acknowledgeTheFirst() throws IOException {
        WriteAck ack = new WriteAck(FRAME_BYTES, 1, FRAME_BYTES);
        ByteBuffer answer = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + WriteAck.BYTES);
        ack.frame(0, 1).encode(answer);
        ack.encode(answer);
        datanode.write(answer.flip());
        assertThat(selector.select()).isEqualTo(1);
    }

    private static class Untold implements BlockSender.Progress {
        @Override
        public void sending(long blockBytes) {
            // Nobody is told.
        }

        @Override
        public void acknowledged(long blockBytes, long freshBytes) {
            // Nobody is told.
        }
    }
}
