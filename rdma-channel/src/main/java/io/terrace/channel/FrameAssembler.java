package io.terrace.channel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * Puts frames together from what a byte channel has to give, however it is cut. Holds one frame's bytes at most. Used by
 * one thread.
 */
public final class FrameAssembler {
    private static final int FIRST_BYTES = 4096;

    private ByteBuffer buffer = ByteBuffer.allocate(FIRST_BYTES);

    /**
     * Reads once from the channel.
     *
     * @return bytes read; -1 at the end of the stream
     */
    public int fill(ReadableByteChannel from) throws IOException {
        if (!buffer.hasRemaining()) {
            grow();
        }
        return from.read(buffer);
    }

    /**
     * The next whole frame without its length, or null when more bytes are needed.
     *
     * @throws MalformedMessageException for a length beyond {@link MessageCodec#MAX_FRAME_BYTES}
     */
    public @Nullable ByteBuffer next() throws MalformedMessageException {
        if (buffer.position() < Integer.BYTES) {
            return null;
        }
        int length = buffer.getInt(0);
        if (length < 2 || length > MessageCodec.MAX_FRAME_BYTES) {
            throw new MalformedMessageException("a frame of " + length + " bytes");
        }
        int end = Integer.BYTES + length;
        if (buffer.position() < end) {
            return null;
        }
        byte[] frame = new byte[length];
        buffer.get(Integer.BYTES, frame);
        buffer.flip().position(end);
        buffer.compact();
        return ByteBuffer.wrap(frame);
    }

    /** Whether a frame has begun and is not whole. */
    public boolean isPartial() {
        return buffer.position() > 0;
    }

    private void grow() {
        int most = Integer.BYTES + MessageCodec.MAX_FRAME_BYTES;
        if (buffer.capacity() >= most) {
            throw new IllegalStateException("take the frames out before filling again");
        }
        ByteBuffer larger = ByteBuffer.allocate(Math.min(most, buffer.capacity() * 4));
        buffer.flip();
        buffer = larger.put(buffer);
    }
}
