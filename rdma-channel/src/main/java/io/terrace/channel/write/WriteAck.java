package io.terrace.channel.write;

import io.terrace.channel.MalformedMessageException;
import java.nio.ByteBuffer;

/**
 * The body of an ACK frame, 16 bytes big-endian: bytes from the block's beginning that this DataNode has written (8), and
 * those that all DataNodes of the pipeline have (8). With one replica the two are equal.
 */
public record WriteAck(long writtenBytes, long replicatedBytes) {
    public static final int BYTES = 16;

    /** The header of a frame with this body. */
    public WriteFrame frame(int flags, long number) {
        return new WriteFrame(BYTES, WriteFrame.ACK, (byte) flags, number);
    }

    /** Writes the body at the buffer's position. */
    public void encode(ByteBuffer out) {
        out.putLong(writtenBytes).putLong(replicatedBytes);
    }

    /** Reads the body at the buffer's position. */
    public static WriteAck decode(ByteBuffer in) throws MalformedMessageException {
        WriteAck ack = new WriteAck(in.getLong(), in.getLong());
        if (ack.replicatedBytes < 0 || ack.writtenBytes < ack.replicatedBytes) {
            throw new MalformedMessageException(
                    "acknowledged " + ack.writtenBytes + " bytes, of the pipeline " + ack.replicatedBytes);
        }
        return ack;
    }
}
