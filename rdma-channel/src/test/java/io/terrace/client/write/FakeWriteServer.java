package io.terrace.client.write;

import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.ChunkVerifier;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.WindowFrame;
import io.terrace.channel.write.WriteAck;
import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteFrame;
import io.terrace.channel.write.WriteThrough;
import io.terrace.common.DaemonThreads;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.jspecify.annotations.Nullable;

/** A DataNode's end of write connections over tcp, which keeps blocks in memory and verifies each frame. */
class FakeWriteServer implements Closeable {
    static final int CHUNK_BYTES = 512;

    private final ServerSocketChannel listener;
    private final List<SocketChannel> connections = new CopyOnWriteArrayList<>();

    /** One block, as far as it was written. */
    static final class Block {
        final OpWriteBlockProto request;
        final List<String> frames = new ArrayList<>();
        byte[] bytes = new byte[0];
        boolean finalised;

        /** As the request to open it says. */
        long wholeBytes;

        Block(OpWriteBlockProto request) {
            this.request = request;
        }
    }

    final List<Block> blocks = new CopyOnWriteArrayList<>();

    /**
     * A request to open a block.
     *
     * @param syncs whether the replica is to be on the disk
     */
    record Asked(BlockConstructionStage stage, boolean syncs) {}

    /** Whether it does not know how to be asked for a sync. */
    volatile boolean older;

    final List<Asked> requests = new CopyOnWriteArrayList<>();

    /** Whether each frame is acknowledged as its own before it is as everybody's. */
    volatile boolean ownFirst;

    /** Whether it answers once to a block that comes with its opening; an older DataNode does not. */
    volatile boolean takesWhole;

    final AtomicInteger accepted = new AtomicInteger();

    /** One for each PING. */
    final Semaphore pings = new Semaphore(0);

    FakeWriteServer() throws IOException {
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        DaemonThreads.make("fake-writes", this::accept).start();
    }

    int port() throws IOException {
        return ((InetSocketAddress) listener.getLocalAddress()).getPort();
    }

    /** What a block's open is answered with. */
    Status opened(OpWriteBlockProto request) {
        return Status.SUCCESS;
    }

    /** Called before a frame is acknowledged; false ends the connection. */
    boolean received(Block block, WriteFrame frame) {
        return true;
    }

    /** What a FAILED frame says. */
    record FailedPipeline(Status status, String address) {}

    /** Called before a frame is acknowledged as everybody's; said instead of that where it is not null. */
    @Nullable
    FailedPipeline beforeAck(Block block, WriteFrame frame) {
        return null;
    }

    /** Said with the last acknowledgement of a block, before the connection ends; null where it goes on. */
    @Nullable
    FailedPipeline afterBlock(Block block) {
        return null;
    }

    /** Whether the connection serves another block after this one. */
    boolean goesOn(Block block) {
        return true;
    }

    /** Called when a connection has ended. */
    void ended() {
        // Nobody is told.
    }

    /** Called before the first frame of a connection. */
    boolean started(SocketChannel connection) {
        return true;
    }

    private void accept() {
        try {
            while (true) {
                SocketChannel connection = listener.accept();
                connections.add(connection);
                accepted.incrementAndGet();
                DaemonThreads.make("fake-write", () -> serve(connection)).start();
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void serve(SocketChannel connection) {
        try {
            ByteBuffer hello = ByteBuffer.allocate(TcpFrame.HEADER_BYTES);
            FrameChannel frames = new FrameChannel(connection);
            frames.receiveBody(hello);
            boolean takesOffer = hello.flip().equals(TcpFrame.startWrites(true));
            if (!takesOffer && !hello.equals(TcpFrame.startWrites())) {
                throw new IOException("not a connection for writes");
            }
            if (takesOffer) {
                frames.send(WindowFrame.offer("localhost:1"));
            }
            if (!started(connection)) {
                return;
            }
            WriteFrame open = frames.receive();
            while (open != null && serveBlock(frames, open)) {
                open = frames.receive();
            }
        } catch (IOException | UncheckedIOException e) {
            // The client is gone, or the test ended.
        } finally {
            close(connection);
            ended();
        }
    }

    private static void close(SocketChannel connection) {
        try {
            connection.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean serveBlock(FrameChannel frames, WriteFrame open) throws IOException {
        ByteBuffer body = body(frames, open);
        OpWriteBlockProto request = OpWriteBlockProto.parseFrom(body);
        requests.add(new Asked(request.getStage(), open.has(WriteFrame.SYNC_REPLICA)));
        if (older && open.has(WriteFrame.SYNC_REPLICA)) {
            return false;
        }
        // The files of these tests ask for copies in memory, which only a new block can get.
        boolean isNew = request.getStage() == BlockConstructionStage.PIPELINE_SETUP_CREATE;
        boolean asks = WriteThrough.of(open) == WriteThrough.FIRST;
        Status status = lacks(request) || asks != isNew ? Status.ERROR : opened(request);
        byte[] answer = BlockOpResponseProto.newBuilder()
                .setStatus(status)
                .setMessage("said by a test")
                .build()
                .toByteArray();
        boolean answersOnce = takesWhole && open.number() > 0 && status == Status.SUCCESS;
        if (!answersOnce) {
            send(frames, new WriteFrame(answer.length, WriteFrame.OPENED, (byte) 0, open.number()), answer);
        }
        if (status != Status.SUCCESS) {
            return false;
        }
        Block block = block(request);
        block.wholeBytes = open.number();
        if (request.getStage() == BlockConstructionStage.PIPELINE_CLOSE_RECOVERY) {
            block.finalised = true;
        }
        long replicatedNumber = 0;
        int replicatedBytes = block.bytes.length;
        while (!block.finalised) {
            WriteFrame frame = frames.receive();
            if (frame == null) {
                return false;
            }
            ByteBuffer data = body(frames, frame);
            if (frame.type() == WriteFrame.PING) {
                pings.release();
                send(frames, frame, new byte[0]);
                continue;
            }
            if (frame.type() == WriteFrame.WINDOW) {
                frames.send(WindowFrame.answer(window(frames)));
                continue;
            }
            write(block, frame, data);
            if (!received(block, frame)) {
                return false;
            }
            boolean last = frame.has(WriteFrame.LAST);
            if (ownFirst) {
                WriteAck own = new WriteAck(block.bytes.length, replicatedNumber, replicatedBytes);
                send(frames, own, last ? WriteFrame.FINALIZED : 0, frame.number());
            }
            replicatedNumber = frame.number();
            replicatedBytes = block.bytes.length;
            FailedPipeline fault = beforeAck(block, frame);
            if (fault != null) {
                frames.send(failed(fault, frame.number()));
                return false;
            }
            WriteAck ack = new WriteAck(replicatedBytes, replicatedNumber, replicatedBytes);
            // As a real one, it has finalised the block before it says so.
            block.finalised = last;
            FailedPipeline after = last ? afterBlock(block) : null;
            ByteBuffer said = bytes(ack, last ? WriteFrame.FINALIZED | WriteFrame.ALL_FINALIZED : 0, frame.number());
            if (after != null) {
                ByteBuffer failed = failed(after, frame.number());
                frames.send(ByteBuffer.allocate(said.remaining() + failed.remaining())
                        .put(said)
                        .put(failed)
                        .flip());
                return false;
            }
            frames.send(said);
        }
        return goesOn(block);
    }

    /** As a DataNode, it finalises only what is whole. */
    private boolean lacks(OpWriteBlockProto request) {
        return request.getStage() == BlockConstructionStage.PIPELINE_CLOSE_RECOVERY
                && block(request).bytes.length != request.getMinBytesRcvd();
    }

    private Block block(OpWriteBlockProto request) {
        if (request.getStage() == BlockConstructionStage.PIPELINE_SETUP_CREATE) {
            Block fresh = new Block(request);
            blocks.add(fresh);
            return fresh;
        }
        long id = request.getHeader().getBaseHeader().getBlock().getBlockId();
        return blocks.stream()
                .filter(block ->
                        block.request.getHeader().getBaseHeader().getBlock().getBlockId() == id)
                .findFirst()
                .orElseThrow();
    }

    private static void write(Block block, WriteFrame frame, ByteBuffer body) throws IOException {
        WriteData fields = WriteData.decode(frame, CHUNK_BYTES, body);
        ByteBuffer sums = body.slice(body.position(), WriteData.sumBytes(fields.dataBytes(), CHUNK_BYTES));
        ByteBuffer data = body.slice(body.position() + sums.remaining(), fields.dataBytes());
        if (ChunkVerifier.JDK.of(ChecksumType.CRC32C, CHUNK_BYTES).firstWrong(data, sums) >= 0) {
            throw new IOException("wrong checksum");
        }
        int offset = (int) fields.offset();
        if (offset > block.bytes.length) {
            throw new IOException("a gap before " + offset);
        }
        block.bytes = Arrays.copyOf(block.bytes, Math.max(block.bytes.length, offset + fields.dataBytes()));
        data.get(block.bytes, offset, fields.dataBytes());
        block.frames.add(offset + "+" + fields.dataBytes() + " " + frame.flags());
    }

    private static void send(FrameChannel frames, WriteAck ack, int flags, long number) throws IOException {
        frames.send(bytes(ack, flags, number));
    }

    private static ByteBuffer bytes(WriteAck ack, int flags, long number) {
        ByteBuffer body = ByteBuffer.allocate(WriteAck.BYTES);
        ack.encode(body);
        return bytes(ack.frame(flags, number), body.array());
    }

    private static ByteBuffer failed(FailedPipeline fault, long number) {
        byte[] body = BlockOpResponseProto.newBuilder()
                .setStatus(fault.status())
                .setFirstBadLink(fault.address())
                .build()
                .toByteArray();
        return bytes(new WriteFrame(body.length, WriteFrame.FAILED, (byte) 0, number), body);
    }

    /** A window for a client that asks; null when there is none. */
    @Nullable
    RegionKey window(FrameChannel frames) throws IOException {
        throw new IOException("a wish for a window");
    }

    /** With the data, wherever that lies. */
    private static ByteBuffer body(FrameChannel frames, WriteFrame frame) throws IOException {
        ByteBuffer body = ByteBuffer.allocate(frame.bodyBytes());
        frames.receiveBody(body);
        body.flip();
        if (frame.type() != WriteFrame.DATA || !frame.has(WriteFrame.LANDED)) {
            return body;
        }
        ByteBuffer data = ByteBuffer.allocate(body.getInt(Long.BYTES));
        frames.beginData(frame, data.capacity());
        frames.receiveData(data);
        ByteBuffer whole = ByteBuffer.allocate(body.remaining() + data.capacity());
        return whole.put(body).put(data.flip()).flip();
    }

    private static void send(FrameChannel frames, WriteFrame header, byte[] body) throws IOException {
        frames.send(bytes(header, body));
    }

    private static ByteBuffer bytes(WriteFrame header, byte[] body) {
        ByteBuffer bytes = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + body.length);
        header.encode(bytes);
        return bytes.put(body).flip();
    }

    void endConnections() throws IOException {
        for (SocketChannel connection : connections) {
            connection.close();
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        endConnections();
    }
}
