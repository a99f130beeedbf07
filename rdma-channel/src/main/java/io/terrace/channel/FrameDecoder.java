package io.terrace.channel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * Assembles frames from the bytes of a channel, however these are divided. Holds the bytes of one frame at most. Used
 * by one thread.
 *
 * <p>Bytes are moved only when the buffer has no room behind them, at most once for each frame. So thousands of small
 * frames cost no more than their bytes.
 */
public final class FrameDecoder {
    private static final int FIRST_BYTES = 4096;

    private ByteBuffer buffer = ByteBuffer.allocate(FIRST_BYTES);

    /** Where the first byte lies that was not taken out. */
    private int taken;

    /**
     * Reads once from the channel, after {@link #next} had no more.
     *
     * @return bytes read; -1 at the end of the stream
     */
    public int fill(ReadableByteChannel from) throws IOException {
        if (!buffer.hasRemaining()) {
            makeRoom();
        }
        return from.read(buffer);
    }

    /**
     * The next whole frame without its length, or null when more bytes are needed.
     *
     * @throws MalformedMessageException for a length beyond {@link MessageCodec#MAX_FRAME_BYTES}
     */
    public @Nullable ByteBuffer next() throws MalformedMessageException {
        if (buffer.position() - taken < Integer.BYTES) {
            return null;
        }
        int length = buffer.getInt(taken);
        if (length < 2 || length > MessageCodec.MAX_FRAME_BYTES) {
            throw new MalformedMessageException("a frame of " + length + " bytes");
        }
        int start = taken + Integer.BYTES;
        if (buffer.position() - start < length) {
            return null;
        }
        byte[] frame = new byte[length];
        buffer.get(start, frame);
        taken = start + length;
        if (taken == buffer.position()) {
            buffer.clear();
            taken = 0;
        }
        return ByteBuffer.wrap(frame);
    }

    /** Whether a frame has begun that was not taken; it is not whole if {@link #next} has no more. */
    public boolean isPartial() {
        return buffer.position() > taken;
    }

    /** All bytes that were not taken: what follows is no frame. */
    public ByteBuffer takeRest() {
        ByteBuffer rest = buffer.flip().position(taken);
        buffer = ByteBuffer.allocate(FIRST_BYTES);
        taken = 0;
        return rest;
    }

    private void makeRoom() {
        if (taken > 0) {
            buffer.flip().position(taken);
            buffer.compact();
            taken = 0;
            return;
        }
        int most = Integer.BYTES + MessageCodec.MAX_FRAME_BYTES;
        if (buffer.capacity() >= most) {
            throw new IllegalStateException("take the frames out before filling again");
        }
        ByteBuffer larger = ByteBuffer.allocate(Math.min(most, buffer.capacity() * 4));
        buffer.flip();
        buffer = larger.put(buffer);
    }
}
