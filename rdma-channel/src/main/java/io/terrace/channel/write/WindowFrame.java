package io.terrace.channel.write;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.RegionKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The bodies of OFFER and WINDOW frames, see {@link WriteFrame}. */
public final class WindowFrame {
    /** The key's two halves (8 each) and the window's bytes (4), big-endian. */
    static final int KEY_BYTES = 20;

    /** Of an address, host and port. */
    static final int MAX_ADDRESS_BYTES = 300;

    private WindowFrame() {}

    /** The frame that offers windows at an address, host and port. */
    public static ByteBuffer offer(String where) {
        byte[] address = where.getBytes(StandardCharsets.UTF_8);
        return frame(WriteFrame.OFFER, ByteBuffer.wrap(address));
    }

    /** The address of an offer. */
    public static String offered(ByteBuffer body) {
        return StandardCharsets.UTF_8.decode(body).toString();
    }

    /** The frame by which a client asks for a window. */
    public static ByteBuffer request() {
        return frame(WriteFrame.WINDOW, ByteBuffer.allocate(0));
    }

    /** The answer to a request: the window's key, or that there is none. */
    public static ByteBuffer answer(@Nullable RegionKey key) {
        ByteBuffer body = ByteBuffer.allocate(key == null ? 0 : KEY_BYTES);
        if (key != null) {
            body.putLong(key.high()).putLong(key.low()).putInt(Math.toIntExact(key.lengthBytes()));
        }
        return frame(WriteFrame.WINDOW, body.flip());
    }

    /**
     * The key of an answer; null when there is no window.
     *
     * @throws MalformedMessageException for a body of another length, or a window without bytes
     */
    public static @Nullable RegionKey answered(ByteBuffer body) throws MalformedMessageException {
        if (!body.hasRemaining()) {
            return null;
        }
        if (body.remaining() != KEY_BYTES || body.getInt(body.position() + 2 * Long.BYTES) < 1) {
            throw new MalformedMessageException("a window's key of " + body.remaining() + " bytes");
        }
        return new RegionKey(body.getLong(), body.getLong(), 0, body.getInt(), Access.READ_WRITE);
    }

    private static ByteBuffer frame(byte type, ByteBuffer body) {
        ByteBuffer frame = ByteBuffer.allocate(WriteFrame.HEADER_BYTES + body.remaining());
        new WriteFrame(body.remaining(), type, (byte) 0, 0).encode(frame);
        return frame.put(body).flip();
    }
}
