package io.terrace.datanode.write;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.WriteAck;
import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteFrame;
import io.terrace.common.LogThrottle;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection on which a client writes: one block after another, frame by frame.
 *
 * <p>A frame's data is taken in pieces. Each is received into a buffer of this process, verified there and written from there,
 * so nothing that the client does afterwards changes it. After a failure the client is told why and the connection ends; the
 * replica keeps what was verified.
 */
final class WriteSession {
    private static final Logger LOG = LoggerFactory.getLogger(WriteSession.class);
    private static final byte NO_FLAGS = 0;

    private final FrameChannel frames;
    private final BlockStore.Client client;
    private final BlockStore store;
    private final WriteBuffers buffers;
    private final WriteLimits limits;
    private final WriteMeter meter;
    private final LogThrottle ends;
    private final ByteBuffer fields = ByteBuffer.allocateDirect(WriteData.BYTES);
    private final ByteBuffer answer = ByteBuffer.allocateDirect(WriteFrame.HEADER_BYTES + WriteAck.BYTES);

    /** Whether the client has no block open, after one or more. */
    private volatile boolean idle;

    private volatile boolean cut;
    private @Nullable Thread thread;

    WriteSession(
            FrameChannel frames,
            BlockStore.Client client,
            BlockStore store,
            WriteBuffers buffers,
            WriteLimits limits,
            WriteMeter meter,
            LogThrottle ends) {
        this.frames = frames;
        this.client = client;
        this.store = store;
        this.buffers = buffers;
        this.limits = limits;
        this.meter = meter;
        this.ends = ends;
    }

    /** Before the thread starts. */
    void servedBy(Thread server) {
        thread = server;
    }

    /** Serves until the client closes the connection, or something fails. */
    void run() {
        try {
            WriteFrame open = frames.receive();
            while (open != null) {
                idle = false;
                writeBlock(open);
                idle = true;
                open = limits.idleNs() == 0 ? null : frames.receive();
            }
        } catch (IOException | RuntimeException | Error e) {
            tellEnd(e);
        }
    }

    private void tellEnd(Throwable why) {
        Long others = cut && idle ? null : ends.next(System.nanoTime());
        if (others == null) {
            LOG.debug("The connection of {}, which writes, ended", client.from(), why);
        } else if (cut) {
            LOG.info("Cut {}, which was silent within a block ({} others before it)", client.from(), others);
        } else if (why instanceof IOException) {
            LOG.info("Ended the connection of {}, which writes: {} ({} others before it)", client.from(), why, others);
        } else {
            LOG.error("Ended the connection of {}, which could not be served", client.from(), why);
        }
    }

    /** Ends the connection if the client was silent for too long. One thread. */
    void cutIfSilent(long nowNs) {
        boolean unused = idle;
        if (cut || !frames.isStalled(nowNs, unused ? limits.idleNs() : limits.silenceNs())) {
            return;
        }
        cut = true;
        if (!unused) {
            meter.cut();
        }
        close();
    }

    /** Ends calls that wait. Any thread. */
    void close() {
        try {
            frames.close();
        } catch (IOException e) {
            LOG.debug("Closing the connection of {}", client.from(), e);
        }
    }

    /** Waits for the thread that serves. */
    void awaitEnd(long deadlineNs) {
        try {
            if (thread != null) {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void writeBlock(WriteFrame open) throws IOException {
        if (open.type() != WriteFrame.OPEN) {
            throw new MalformedMessageException("a frame of type " + open.type() + " where no block is open");
        }
        byte[] request = new byte[open.bodyBytes()];
        frames.receiveBody(ByteBuffer.wrap(request));
        OpenBlock block;
        try {
            block = store.open(request, client);
        } catch (IOException | RuntimeException e) {
            meter.notOpened();
            send(WriteFrame.OPENED, open.number(), store.refusal(e));
            throw e;
        }
        long number = open.number();
        boolean finished = false;
        WriteBuffers.Pair pair = buffers.take(block.chunkBytes());
        try (block) {
            send(WriteFrame.OPENED, number, block.answer());
            while (!finished) {
                WriteFrame frame = frames.receive();
                if (frame == null) {
                    throw new EOFException("the client is gone within a block");
                }
                number = frame.number();
                finished = take(frame, block, pair);
            }
        } catch (IOException | RuntimeException | Error e) {
            meter.failed();
            tell(number, e);
            throw e;
        } finally {
            buffers.give(pair);
        }
        acknowledge(number, block.lengthBytes(), (byte) (WriteFrame.FINALIZED | WriteFrame.ALL_FINALIZED));
    }

    /** Whether the block ends with this frame; then it is finalised, and that is to be acknowledged. */
    private boolean take(WriteFrame frame, OpenBlock block, WriteBuffers.Pair pair) throws IOException {
        if (frame.type() == WriteFrame.PING) {
            answer.clear();
            frame.encode(answer);
            frames.send(answer.flip());
            return false;
        }
        if (frame.type() != WriteFrame.DATA) {
            throw new MalformedMessageException("a frame of type " + frame.type() + " within a block");
        }
        write(frame, block, pair);
        boolean sync = frame.has(WriteFrame.SYNC);
        if (sync) {
            block.sync();
        }
        block.acknowledge();
        if (frame.has(WriteFrame.LAST)) {
            block.finish(sync);
            meter.finalised();
            return true;
        }
        acknowledge(frame.number(), block.lengthBytes(), NO_FLAGS);
        return false;
    }

    private void write(WriteFrame frame, OpenBlock block, WriteBuffers.Pair pair) throws IOException {
        int chunkBytes = block.chunkBytes();
        frames.receiveBody(fields.clear());
        WriteData data = WriteData.decode(frame, chunkBytes, fields.flip());
        checkPlace(data, block);
        ByteBuffer sums = pair.sums().clear().limit(WriteData.sumBytes(data.dataBytes(), chunkBytes));
        frames.receiveBody(sums);
        sums.flip();
        int pieceBytes = pair.data().capacity() / chunkBytes * chunkBytes;
        for (int done = 0; done < data.dataBytes(); done += pieceBytes) {
            ByteBuffer piece = pair.data().clear().limit(Math.min(pieceBytes, data.dataBytes() - done));
            frames.receiveBody(piece);
            int sumsAt = WriteData.sumBytes(done, chunkBytes);
            ByteBuffer pieceSums = sums.slice(sumsAt, WriteData.sumBytes(piece.limit(), chunkBytes));
            block.write(data.offset() + done, piece.flip(), pieceSums);
        }
        meter.written(data.dataBytes());
    }

    /** Data continues where the block ends, or begins with its last, partial chunk and covers that. */
    private static void checkPlace(WriteData data, OpenBlock block) throws MalformedMessageException {
        long length = block.lengthBytes();
        long expected = data.dataBytes() == 0 ? length : length - length % block.chunkBytes();
        long end = data.offset() + data.dataBytes();
        if (data.offset() != expected || end < length || end > block.mostBytes()) {
            throw new MalformedMessageException(data.dataBytes() + " bytes at " + data.offset() + " of a block of "
                    + length + " bytes that may have " + block.mostBytes());
        }
    }

    private void acknowledge(long number, long lengthBytes, byte flags) throws IOException {
        WriteAck ack = new WriteAck(lengthBytes, number, lengthBytes);
        answer.clear();
        ack.frame(flags, number).encode(answer);
        ack.encode(answer);
        frames.send(answer.flip());
    }

    /** The client may be gone already. */
    private void tell(long number, Throwable why) {
        try {
            send(WriteFrame.FAILED, number, store.refusal(why));
        } catch (IOException | RuntimeException e) {
            why.addSuppressed(e);
        }
    }

    private void send(byte type, long number, byte[] body) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + body.length);
        new WriteFrame(body.length, type, NO_FLAGS, number).encode(out);
        frames.send(out.put(body).flip());
    }
}
