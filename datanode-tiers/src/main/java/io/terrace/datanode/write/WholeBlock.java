package io.terrace.datanode.write;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteFrame;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A new block whose client sends all of it with the request to open it, in one DATA frame of {@link
 * WriteFrame#MAX_WHOLE_BYTES} at most. It is taken in once the client's token is checked, sent on with the request to the next
 * DataNode, and only then written here: the client is told once, when all have finalised it. Used by one thread.
 */
public final class WholeBlock implements Closeable {
    /** For buffers that hold a frame, whatever its chunks are. */
    private static final int ANY_CHUNK_BYTES = 1;

    private static final int MOST_BODY_BYTES = WriteData.BYTES + WriteFrame.MAX_SUM_BYTES + WriteFrame.MAX_WHOLE_BYTES;

    private final FrameChannel frames;
    private final WriteBuffers buffers;
    private final int dataBytes;
    private final Taken taken;
    private WriteBuffers.@Nullable Pair pair;
    private ByteBuffer frame = ByteBuffer.allocate(0);
    private int sumBytes;
    private long number;
    private boolean sentOn;

    /** Told that nothing more is read from the client for now. */
    interface Taken {
        void all() throws IOException;
    }

    /** @param dataBytes of the block, as its client says */
    WholeBlock(FrameChannel frames, WriteBuffers buffers, int dataBytes, Taken taken) {
        this.taken = taken;
        this.frames = frames;
        this.buffers = buffers;
        this.dataBytes = dataBytes;
    }

    /**
     * Takes it in.
     *
     * @throws MalformedMessageException when it is not all of the block, and not more
     */
    public void receive(int chunkBytes) throws IOException {
        WriteFrame header = frames.receive();
        if (header == null) {
            throw new EOFException("the client is gone before it sent a block of " + dataBytes + " bytes");
        }
        boolean isEnd = header.type() == WriteFrame.DATA
                && header.has(WriteFrame.LAST)
                && !header.has(WriteFrame.LANDED)
                && header.number() > 0;
        if (!isEnd || header.bodyBytes() > MOST_BODY_BYTES) {
            throw new MalformedMessageException("a frame of type " + header.type() + ", flags " + header.flags()
                    + " and " + header.bodyBytes() + " bytes as a block of " + dataBytes + " bytes");
        }
        WriteBuffers.Pair own = buffers.take(ANY_CHUNK_BYTES);
        pair = own;
        ByteBuffer room = own.data().clear().limit(WriteFrame.HEADER_BYTES + header.bodyBytes());
        header.encode(room);
        frames.receiveBody(room);
        room.flip();
        WriteData fields = WriteData.decode(header, chunkBytes, room.duplicate().position(WriteFrame.HEADER_BYTES));
        if (fields.offset() != 0 || fields.dataBytes() != dataBytes) {
            throw new MalformedMessageException(
                    fields.dataBytes() + " bytes at " + fields.offset() + " as a block of " + dataBytes + " bytes");
        }
        sumBytes = WriteData.sumBytes(dataBytes, chunkBytes);
        number = header.number();
        frame = room;
        taken.all();
    }

    /** Its frame as it came. */
    ByteBuffer frame() {
        return frame.duplicate();
    }

    /** The number of its frame. */
    long number() {
        return number;
    }

    int dataBytes() {
        return dataBytes;
    }

    /** Its checksums, direct. */
    public ByteBuffer sums() {
        return frame.slice(WriteFrame.HEADER_BYTES + WriteData.BYTES, sumBytes);
    }

    /** Its data, direct. */
    public ByteBuffer data() {
        return frame.slice(frame.limit() - dataBytes, dataBytes);
    }

    /** All DataNodes after this one have finalised it. */
    public void sentOn() {
        sentOn = true;
    }

    boolean isSentOn() {
        return sentOn;
    }

    /** Its memory is used for another one. */
    @Override
    public void close() {
        WriteBuffers.Pair used = pair;
        pair = null;
        if (used != null) {
            buffers.give(used);
        }
    }
}
