package io.terrace.client.write;

import static io.terrace.channel.write.WriteFrame.FLUSH;
import static io.terrace.channel.write.WriteFrame.LAST;
import static io.terrace.channel.write.WriteFrame.SYNC;

import io.terrace.channel.write.WriteFrame;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Cuts what is written to a file into blocks, and these into frames. Frames of a block grow from the smallest size to the
 * largest, so that a small file takes little memory. Used under the lock of the file's stream.
 */
final class FrameFiller {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final FramePool pool;
    private final FrameQueue queue;
    private final ChunkSummer summer;
    private final long blockBytes;
    private final int blockEnd;

    /** The chunk that the last frame ended within, from its first byte. */
    private final byte[] partialChunk;

    private int partialBytes;
    private @Nullable DataFrame current;
    private long sequence;
    private int nextSize;

    /** Of the block, with what is in the current frame. */
    private long writtenBytes;

    /** @param syncBlocks whether each block is on the disk before it counts as written */
    FrameFiller(FramePool pool, FrameQueue queue, ChunkSummer summer, long blockBytes, boolean syncBlocks) {
        this.pool = pool;
        this.queue = queue;
        this.summer = summer;
        this.blockBytes = blockBytes;
        this.blockEnd = syncBlocks ? LAST | SYNC : LAST;
        this.partialChunk = new byte[summer.chunkBytes()];
    }

    /** Takes in bytes, and says how many: all, unless they are not sent any more. */
    int write(byte[] from, int at, int count) {
        int done = 0;
        while (done < count) {
            DataFrame frame = frame();
            if (frame == null) {
                break;
            }
            int taken = frame.put(from, at + done, count - done);
            done += taken;
            written(frame, taken);
        }
        return done;
    }

    /** Takes in one byte, unless it is not sent any more. */
    boolean write(byte value) {
        DataFrame frame = frame();
        if (frame != null) {
            frame.put(value);
            written(frame, 1);
        }
        return frame != null;
    }

    private void written(DataFrame frame, int count) {
        writtenBytes += count;
        if (writtenBytes == blockBytes) {
            endBlock(frame, blockEnd);
        } else if (frame.isFull() && !mayBeWhole(frame)) {
            sendFull(frame);
        }
    }

    /** If the block ends where this frame does, it goes with the request to open that. */
    private static boolean mayBeWhole(DataFrame frame) {
        return frame.offset() == 0 && frame.dataBytes() <= WriteFrame.MAX_WHOLE_BYTES;
    }

    private void sendFull(DataFrame frame) {
        nextSize = Math.min(FramePool.LARGEST, nextSize + 1);
        send(frame, 0);
    }

    /** Written of the block that is being written. */
    long writtenBytes() {
        return writtenBytes;
    }

    /**
     * Sends what is not sent yet.
     *
     * @param sync whether the DataNode is to have it on its disk, also where all is sent already
     * @return the frame whose acknowledgement says that all of it arrived
     */
    long flush(boolean sync) {
        int flags = sync ? FLUSH | SYNC : FLUSH;
        DataFrame frame = current;
        if (frame != null && frame.freshBytes() > 0) {
            send(frame, flags);
        } else if (sync && writtenBytes > 0) {
            sendEmpty(flags);
        }
        return queue.lastQueued();
    }

    /** Sends what is not sent yet and ends the block, unless that has no data; returns as {@link #flush}. */
    long endBlock(boolean sync) {
        if (writtenBytes > 0) {
            int flags = sync ? blockEnd | SYNC : blockEnd;
            DataFrame frame = current;
            endBlock(frame != null && frame.freshBytes() > 0 ? frame : null, flags);
        }
        return queue.lastQueued();
    }

    private void endBlock(@Nullable DataFrame frame, int flags) {
        if (frame == null) {
            sendEmpty(flags);
        } else {
            send(frame, flags);
        }
        writtenBytes = 0;
        partialBytes = 0;
    }

    /** Where the chunk begins in the block that the next byte belongs to, or what is not sent. */
    long chunkOffset() {
        DataFrame frame = current;
        return frame == null ? writtenBytes - partialBytes : frame.offset();
    }

    /**
     * What is not sent: the file is left to stock's stream.
     *
     * @param withChunk from the chunk's beginning on, also where that was sent
     */
    byte[] take(boolean withChunk) {
        DataFrame frame = current;
        byte[] taken;
        if (frame == null) {
            taken = Arrays.copyOf(partialChunk, withChunk ? partialBytes : 0);
        } else {
            taken = withChunk ? frame.all() : frame.fresh();
        }
        release();
        return taken;
    }

    /** Gives the memory of the current frame back. */
    void release() {
        DataFrame frame = current;
        current = null;
        if (frame != null) {
            pool.filled(frame.memory());
            pool.give(frame.memory());
        }
    }

    private @Nullable DataFrame frame() {
        DataFrame frame = current;
        if (frame != null && frame.isFull()) {
            sendFull(frame);
            frame = null;
        }
        if (frame == null && queue.isOpen()) {
            ByteBuffer memory = pool.take(nextSize, queue);
            long offset = writtenBytes - partialBytes;
            ByteBuffer repeated = ByteBuffer.wrap(partialChunk, 0, partialBytes);
            frame = new DataFrame(memory, summer, offset, repeated, blockBytes - offset);
            current = frame;
        }
        return frame;
    }

    private void sendEmpty(int flags) {
        release();
        ByteBuffer memory = pool.take(0, queue);
        send(new DataFrame(memory, summer, writtenBytes, NOTHING, 0), flags);
    }

    private void send(DataFrame frame, int flags) {
        frame.seal(flags, ++sequence);
        pool.filled(frame.memory());
        if (!frame.isEmpty()) {
            partialBytes = frame.copyPartialChunk(partialChunk);
        }
        if ((flags & FLUSH) != 0) {
            nextSize = 0;
        }
        current = null;
        queue.add(frame);
    }
}
