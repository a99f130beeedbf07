package io.terrace.datanode.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.write.ConnectionEndedException;
import io.terrace.channel.write.WriteConnection;
import io.terrace.channel.write.WriteFrame;
import io.terrace.common.DaemonThreads;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose turn it is to send, and what is owed for it. The socket takes all. */
final class FrameSenderTest {
    private static final int BYTES = 1024;

    /** More than sockets hold. */
    private static final int MUCH_BYTES = 64 << 20;

    private static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);

    private final ForwardQueue queue = new ForwardQueue(512, 0, BYTES);
    private final ByteBuffer piece = ByteBuffer.allocateDirect(512);
    private final ByteBuffer sums = ByteBuffer.allocateDirect(8);
    private final ForwardQueue.Part part = new ForwardQueue.Part(1, 0, BYTES, 0, 0);
    private ServerSocketChannel listener;
    private WriteConnection connection;
    private WrittenFiles files;
    private NextSocket socket;
    private FrameSender sender;
    private final List<Long> answerNs = new ArrayList<>();

    private final PipelineEvents events = new PipelineEvents() {
        @Override
        public void answered(long tookNs) {
            answerNs.add(tookNs);
        }
    };

    @BeforeEach
    void open(@TempDir Path directory) throws Exception {
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        connection = WriteConnection.connect("next", listener.getLocalAddress(), ByteBuffer.allocate(1), MINUTE_NS);
        Path file = Files.write(directory.resolve("data"), new byte[4 * BYTES]);
        files = new WrittenFiles(file, file, 0, 512);
        socket = new NextSocket(connection, new WaitCredit(MINUTE_NS));
        sender = new FrameSender(
                new NextNode(connection, "next", MINUTE_NS, MINUTE_NS, unused -> {}),
                socket,
                queue,
                files,
                events,
                ByteBuffer.allocateDirect(BYTES),
                new WriteMeter(new MetricRegistry()));
    }

    @AfterEach
    void close() throws Exception {
        socket.close();
        files.close();
        connection.close();
        listener.close();
    }

    private void sendPiece(long offset) {
        sender.send(part, sums.clear(), offset, piece.clear());
    }

    /** A client that stops within a frame is not the next DataNode's fault. */
    @Test
    void frame_isOwedOnlyWhenItIsWhole_andUntilItIsAcknowledged() {
        sendPiece(0);
        assertThat(sender.owesAck()).isFalse();
        assertThat(sender.sentNumber()).isZero();
        sendPiece(512);
        assertThat(sender.end(part, sums)).isTrue();
        assertThat(sender.owesAck()).isTrue();
        assertThat(sender.sentNumber()).isEqualTo(1);
        sender.acked(1);
        assertThat(sender.owesAck()).isFalse();
    }

    /** What the client takes for a frame is not the next DataNode's time, and frames in between are not timed. */
    @Test
    void answer_isTimedFromTheEndOfItsFrame_oneAtATime() {
        sendPiece(0);
        long beginNs = System.nanoTime();
        sendPiece(512);
        sender.end(part, sums);
        ForwardQueue.Part empty = new ForwardQueue.Part(2, BYTES, BYTES, 0, 0);
        sender.end(empty, sums.clear().limit(0));
        sender.acked(0);
        assertThat(answerNs).isEmpty();
        sender.acked(2);
        assertThat(answerNs).singleElement().satisfies(tookNs -> assertThat(tookNs)
                .isBetween(0L, System.nanoTime() - beginNs));
        ForwardQueue.Part other = new ForwardQueue.Part(3, BYTES, BYTES, 0, 0);
        sender.end(other, sums.clear().limit(0));
        sender.acked(3);
        assertThat(answerNs).hasSize(2);
    }

    @Test
    void ping_isNotSentWithinAFrame() {
        sendPiece(0);
        assertThat(sender.ping()).isFalse();
        sendPiece(512);
        sender.end(part, sums);
        assertThat(sender.ping()).isTrue();
    }

    /** The order of frames holds: what waits goes first, from the files. */
    @Test
    void writer_doesNotSendBeforeWhatWaits() throws Exception {
        queue.add(new ForwardQueue.Part(1, 0, 512, 0, 0));
        ForwardQueue.Part second = new ForwardQueue.Part(2, 512, BYTES, WriteFrame.LAST, 0);
        sender.send(second, sums.clear().limit(4), 512, piece.clear());
        assertThat(sender.end(second, sums)).isFalse();
        assertThat(sender.sentNumber()).isZero();
        assertThat(sender.send()).isTrue();
        assertThat(sender.sentNumber()).isEqualTo(2);
        assertThat(sender.isEnd(2)).isTrue();
        ForwardQueue.Part third = new ForwardQueue.Part(3, BYTES, BYTES, 0, 0);
        assertThat(sender.end(third, sums.clear().limit(0))).isTrue();
    }

    private void takeAll() {
        ByteBuffer taken = ByteBuffer.allocate(64 << 10);
        try (SocketChannel from = listener.accept()) {
            while (from.read(taken.clear()) >= 0) {
                Thread.onSpinWait();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the socket takes a moment later is sent from memory, not by the forwarder from the files. */
    @Test
    void writer_waitsForASocketThatIsFull() throws Exception {
        ByteBuffer much = ByteBuffer.allocateDirect(MUCH_BYTES);
        ForwardQueue.Part large = new ForwardQueue.Part(1, 0, MUCH_BYTES, 0, 0);
        DaemonThreads.make("next", this::takeAll).start();
        sender.send(large, sums.clear(), 0, much);
        assertThat(much.hasRemaining()).isFalse();
        assertThat(sender.end(large, sums)).isTrue();
    }

    /** Recovery interrupts a writer to stop it, and waits for its end. */
    @Test
    void writer_thatIsInterrupted_waitsNoLonger() throws Exception {
        ByteBuffer much = ByteBuffer.allocateDirect(MUCH_BYTES);
        ForwardQueue.Part large = new ForwardQueue.Part(1, 0, MUCH_BYTES, 0, 0);
        Thread writer = DaemonThreads.make("writer", () -> {
            sender.send(large, sums.clear(), 0, much);
            boolean unused = sender.end(large, sums);
        });
        writer.start();
        while (Arrays.stream(writer.getStackTrace())
                .noneMatch(frame -> frame.getMethodName().equals("select"))) {
            Thread.onSpinWait();
        }
        writer.interrupt();
        writer.join();
        assertThat(much.hasRemaining()).isTrue();
        assertThat(socket.waitedNs()).isLessThan(MINUTE_NS / 2);
        assertThat(connection.isIdle()).isTrue();
    }

    /** The forwarder meets what the writer met, and says who is at fault. */
    @Test
    void failure_ofTheWriter_isTheForwarders() throws Exception {
        connection.close();
        sendPiece(0);
        sendPiece(512);
        assertThat(sender.end(part, sums)).isFalse();
        assertThatThrownBy(sender::send).isInstanceOf(ConnectionEndedException.class);
    }
}
