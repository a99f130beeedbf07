package io.terrace.datanode.write;

import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.WriteAck;
import io.terrace.channel.write.WriteFrame;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * What a client is told while it writes a block: what this DataNode has, and what this one and all after it have. Used by
 * the replica's writer and by the thread that sends the block on. Thread-safe.
 */
public final class BlockAnswers {
    private final FrameChannel frames;
    private final OpenBlock block;
    private final boolean alone;
    private final ByteBuffer out = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + WriteAck.BYTES);
    private Progress own = Progress.NONE;
    private Progress next = Progress.NONE;
    private Progress all = Progress.NONE;
    private boolean failed;

    /** The client is gone since this DataNode has the whole block. */
    private boolean unheard;

    /** So far a DataNode has a block, or those after it. */
    private record Progress(long number, long bytes, boolean finalised) {
        static final Progress NONE = new Progress(0, 0, false);

        Progress least(Progress other) {
            return new Progress(
                    Math.min(number, other.number), Math.min(bytes, other.bytes), finalised && other.finalised);
        }
    }

    /** @param alone whether there is no DataNode after this one */
    public BlockAnswers(FrameChannel frames, OpenBlock block, boolean alone) {
        this.frames = frames;
        this.block = block;
        this.alone = alone;
    }

    /** This DataNode has a frame, and all before it. */
    synchronized void own(long number, long bytes, boolean finalised) throws IOException {
        own = new Progress(number, bytes, finalised);
        if (alone) {
            next = own;
        }
        // A client with several replicas waits for all of them: it is told when they have more, or this one is
        // finalised.
        advance(finalised);
    }

    /** Those after it have one. */
    public synchronized void next(long number, long bytes, boolean finalised) throws IOException {
        next = new Progress(number, bytes, finalised);
        advance(false);
    }

    private void advance(boolean anyway) throws IOException {
        Progress least = own.least(next);
        boolean more = !least.equals(all);
        if (failed || !(more || anyway)) {
            return;
        }
        all = least;
        long beginNs = System.nanoTime();
        if (more) {
            block.acknowledge(all.bytes);
        }
        if (!unheard) {
            tell();
            block.events().acknowledged(System.nanoTime() - beginNs);
        }
    }

    private void tell() throws IOException {
        int flags = (own.finalised ? WriteFrame.FINALIZED : 0) | (all.finalised ? WriteFrame.ALL_FINALIZED : 0);
        WriteAck ack = new WriteAck(own.bytes, all.number, all.bytes);
        out.clear();
        ack.frame(flags, own.number).encode(out);
        ack.encode(out);
        try {
            frames.send(out.flip());
        } catch (IOException e) {
            if (!own.finalised || !frames.channel().isOpen()) {
                throw e;
            }
            // The NameNode may take the block for written: those that lack some of it get that from here alone.
            unheard = true;
        }
    }

    /** Answers a PING. */
    synchronized void ping(WriteFrame frame) throws IOException {
        if (!failed && block.events().answersPing()) {
            out.clear();
            frame.encode(out);
            frames.send(out.flip());
        }
    }

    /** Tells the client of its landing window. */
    synchronized void window(ByteBuffer frame) throws IOException {
        if (!failed) {
            frames.send(frame);
        }
    }

    /**
     * Says why the block is not written any further, unless that is said, or all have the block.
     *
     * @param refusal Hadoop's {@code BlockOpResponseProto}
     */
    public synchronized void fail(byte[] refusal) throws IOException {
        if (!failed && !all.finalised) {
            failed = true;
            send(frames, WriteFrame.FAILED, own.number, refusal);
        }
    }

    /** Ends what waits for the client. */
    void cut() throws IOException {
        frames.close();
    }

    /** Sends a frame with one of Hadoop's bodies. */
    static void send(FrameChannel frames, byte type, long number, byte[] body) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + body.length);
        new WriteFrame(body.length, type, (byte) 0, number).encode(out);
        frames.send(out.put(body).flip());
    }
}
