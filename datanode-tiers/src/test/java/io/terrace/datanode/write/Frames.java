package io.terrace.datanode.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.WindowFrame;
import io.terrace.channel.write.WriteAck;
import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteFrame;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A client that writes one block, frame by frame. */
final class Frames implements Closeable {
    final FrameChannel channel;
    private final byte[] contents;
    private long number;
    private int position;

    Frames(InetSocketAddress node, byte[] contents) throws IOException {
        this(SocketChannel.open(node), contents);
        channel.send(TcpFrame.startWrites());
    }

    /** A client that takes the offer of a landing window, which comes first. */
    static Frames withOffer(InetSocketAddress node, byte[] contents) throws IOException {
        Frames client = new Frames(SocketChannel.open(node), contents);
        client.channel.send(TcpFrame.startWrites(true));
        WriteFrame offer = client.expect(WriteFrame.OFFER);
        assertThat(WindowFrame.offered(ByteBuffer.wrap(client.body(offer)))).isEqualTo("here:1");
        return client;
    }

    /** Asks for a window; null when there is none. */
    @Nullable
    RegionKey askForWindow() throws IOException {
        channel.send(WindowFrame.request());
        return WindowFrame.answered(ByteBuffer.wrap(body(expect(WriteFrame.WINDOW))));
    }

    private Frames(SocketChannel channel, byte[] contents) throws IOException {
        this.channel = new FrameChannel(channel);
        this.contents = contents;
    }

    /** Opens a block and returns the answer. */
    String open() throws IOException {
        ByteBuffer out = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + 1);
        new WriteFrame(1, WriteFrame.OPEN, (byte) 0, 0).encode(out);
        channel.send(out.put((byte) 'b').flip());
        return WriteNode.text(body(expect(WriteFrame.OPENED)));
    }

    /** Opens a block that has all of the contents, as it says, and sends what follows; the answer is to be taken. */
    void openWith(long wholeBytes, ByteBuffer frame) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + 1 + frame.remaining());
        new WriteFrame(1, WriteFrame.OPEN, (byte) 0, wholeBytes).encode(out);
        channel.send(out.put((byte) 'b').put(frame).flip());
    }

    /** The next frame begins there, as after a recovery. */
    void startAt(int offset) {
        position = offset;
    }

    /** Sends the contents up to there. */
    void sendTo(int to, int flags) throws IOException {
        channel.send(frame(to, flags));
    }

    /** Sends the frame of the contents up to there, whose data lands, or is said to. */
    void sendLanded(int to, int flags) throws IOException {
        int from = position - position % WriteNode.CHUNK_BYTES;
        ByteBuffer whole = frame(to, flags | WriteFrame.LANDED);
        channel.send(whole.limit(whole.limit() - (to - from)));
    }

    ByteBuffer frame(int to, int flags) {
        int from = position == to ? to : position - position % WriteNode.CHUNK_BYTES;
        ByteBuffer sums = sums(contents, from, to);
        WriteData fields = new WriteData(from, to - from);
        WriteFrame header = fields.frame(WriteNode.CHUNK_BYTES, flags, ++number);
        int wholeBytes = WriteData.BYTES + sums.remaining() + to - from;
        ByteBuffer out = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + wholeBytes);
        header.encode(out);
        fields.encode(out);
        position = to;
        return out.put(sums).put(contents, from, to - from).flip();
    }

    static ByteBuffer sums(byte[] contents, int from, int to) {
        ByteBuffer sums = ByteBuffer.allocate(WriteData.sumBytes(to - from, WriteNode.CHUNK_BYTES));
        CRC32C crc = new CRC32C();
        for (int at = from; at < to; at += WriteNode.CHUNK_BYTES) {
            crc.reset();
            crc.update(contents, at, Math.min(WriteNode.CHUNK_BYTES, to - at));
            sums.putInt((int) crc.getValue());
        }
        return sums.flip();
    }

    long number() {
        return number;
    }

    /** Takes acknowledgements until all DataNodes have the last frame; they never go back. */
    WriteAck awaitAll() throws IOException {
        WriteAck ack = new WriteAck(0, 0, 0);
        while (ack.replicatedNumber() < number) {
            WriteFrame frame = expect(WriteFrame.ACK);
            WriteAck next = WriteAck.decode(frame, ByteBuffer.wrap(body(frame)));
            assertThat(next.replicatedNumber()).isGreaterThanOrEqualTo(ack.replicatedNumber());
            assertThat(next.replicatedBytes()).isGreaterThanOrEqualTo(ack.replicatedBytes());
            assertThat(frame.number()).isLessThanOrEqualTo(number);
            ack = next;
        }
        return ack;
    }

    /** What a DataNode says that does not open the block. */
    String refusal() throws IOException {
        return WriteNode.text(body(expect(WriteFrame.OPENED)));
    }

    /** Skips acknowledgements; what the DataNode says when the block fails. */
    String failure() throws IOException {
        WriteFrame frame = receive();
        while (frame.type() == WriteFrame.ACK) {
            assertThat(frame.has(WriteFrame.ALL_FINALIZED)).isFalse();
            body(frame);
            frame = receive();
        }
        assertThat(frame.type()).isEqualTo(WriteFrame.FAILED);
        return WriteNode.text(body(frame));
    }

    WriteFrame expect(byte type) throws IOException {
        WriteFrame frame = receive();
        if (frame.type() != type) {
            throw new AssertionError("a frame of type " + frame.type() + ": " + WriteNode.text(body(frame)));
        }
        return frame;
    }

    private WriteFrame receive() throws IOException {
        WriteFrame frame = channel.receive();
        assertThat(frame).isNotNull();
        return frame;
    }

    private byte[] body(WriteFrame frame) throws IOException {
        byte[] body = new byte[frame.bodyBytes()];
        channel.receiveBody(ByteBuffer.wrap(body));
        return body;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
