package io.terrace.datanode.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.WriteAck;
import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteFrame;
import io.terrace.common.DaemonThreads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The next DataNode, whose answers the test gives. */
final class FakeNext implements AutoCloseable {
    private final ServerSocketChannel listener;
    private final CompletableFuture<FrameChannel> opened = new CompletableFuture<>();

    /** Of the request to open a block. */
    volatile long number;

    /** @param answer to the request to open a block; null for none */
    FakeNext(@Nullable String answer) throws IOException {
        // A connection takes little before it is read.
        listener = ServerSocketChannel.open()
                .setOption(StandardSocketOptions.SO_RCVBUF, 64 << 10)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        DaemonThreads.make("fake-next", () -> open(answer)).start();
    }

    InetSocketAddress address() throws IOException {
        return (InetSocketAddress) listener.getLocalAddress();
    }

    private void open(@Nullable String answer) {
        try {
            FrameChannel frames = new FrameChannel(listener.accept());
            frames.receiveBody(ByteBuffer.allocate(TcpFrame.HEADER_BYTES));
            WriteFrame open = frames.receive();
            frames.receiveBody(ByteBuffer.allocate(open.bodyBytes()));
            number = open.number();
            if (answer != null) {
                answer(frames, WriteFrame.OPENED, answer);
            }
            opened.complete(frames);
        } catch (IOException e) {
            opened.completeExceptionally(e);
        }
    }

    static void answer(FrameChannel frames, byte type, String body) throws IOException {
        BlockAnswers.send(frames, type, 0, body.getBytes(StandardCharsets.UTF_8));
    }

    FrameChannel frames() throws Exception {
        return opened.get(1, TimeUnit.MINUTES);
    }

    /** Takes the next frame of data; its data bytes. */
    static int take(FrameChannel frames) throws IOException {
        WriteFrame frame = frames.receive();
        assertThat(frame).isNotNull();
        assertThat(frame.type()).isEqualTo(WriteFrame.DATA);
        ByteBuffer body = ByteBuffer.allocate(frame.bodyBytes());
        frames.receiveBody(body);
        return WriteData.decode(frame, WriteNode.CHUNK_BYTES, body.flip()).dataBytes();
    }

    /** Takes the next frame of data, which must be a part of this and end with whole checksums; where it ends. */
    static int take(FrameChannel frames, byte[] contents) throws IOException {
        WriteFrame frame = frames.receive();
        assertThat(frame).isNotNull();
        ByteBuffer body = ByteBuffer.allocate(frame.bodyBytes());
        frames.receiveBody(body);
        WriteData fields = WriteData.decode(frame, WriteNode.CHUNK_BYTES, body.flip());
        int from = (int) fields.offset();
        int to = from + fields.dataBytes();
        ByteBuffer sums = Frames.sums(contents, from, to);
        assertThat(body.slice(body.position(), sums.remaining())).isEqualTo(sums);
        body.position(body.position() + sums.remaining());
        assertThat(body).isEqualTo(ByteBuffer.wrap(contents, from, to - from));
        return to;
    }

    static void ack(FrameChannel frames, long number, long allNumber, long bytes, int flags) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + WriteAck.BYTES);
        encode(out, new WriteAck(bytes, allNumber, bytes), number, flags);
        frames.send(out.flip());
    }

    /** All have finalised the block with this frame; then, in the same packet, a failure. */
    static void ackAndFail(FrameChannel frames, long number, long bytes) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(2 * WriteFrame.HEADER_BYTES + WriteAck.BYTES);
        encode(out, new WriteAck(bytes, number, bytes), number, WriteFrame.FINALIZED | WriteFrame.ALL_FINALIZED);
        new WriteFrame(0, WriteFrame.FAILED, (byte) 0, number).encode(out);
        frames.send(out.flip());
    }

    private static void encode(ByteBuffer out, WriteAck ack, long number, int flags) {
        ack.frame(flags, number).encode(out);
        ack.encode(out);
    }

    @Override
    public void close() throws Exception {
        listener.close();
        if (opened.isDone() && !opened.isCompletedExceptionally()) {
            opened.get().close();
        }
    }
}
