package io.terrace.channel.verbs;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.transport.RegionKey;
import java.nio.ByteBuffer;

/**
 * The body of a LANDED frame, 24 bytes big-endian: the window's secret (16), where the data begins in it (4), bytes of data
 * (4). It is posted together with the writes of the data, so it arrives after them.
 */
public record LandedMessage(long high, long low, int at, int bytes) {
    public static final int BYTES = 24;

    static LandedMessage of(RegionKey window, int at, int bytes) {
        return new LandedMessage(window.high(), window.low(), at, bytes);
    }

    public ByteBuffer encode() {
        return ByteBuffer.allocate(BYTES)
                .putLong(high)
                .putLong(low)
                .putInt(at)
                .putInt(bytes)
                .flip();
    }

    public static LandedMessage decode(ByteBuffer body) throws MalformedMessageException {
        if (body.remaining() != BYTES) {
            throw new MalformedMessageException("a landing told in " + body.remaining() + " bytes");
        }
        return new LandedMessage(body.getLong(), body.getLong(), body.getInt(), body.getInt());
    }

    /** Leaves the secret out. */
    @Override
    public String toString() {
        return "LandedMessage[" + at + "+" + bytes + "]";
    }
}
