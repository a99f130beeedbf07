package io.terrace.channel.write;

import io.terrace.channel.MalformedMessageException;
import java.nio.ByteBuffer;

/**
 * The body of an ACK frame, 24 bytes big-endian: bytes from the block's beginning that this DataNode has written (8), the
 * number of the last frame that this DataNode and all after it have (8), 0 for none, and the bytes from the block's beginning
 * that they all have (8). The header has the number of the last frame that this DataNode has.
 *
 * <p>A frame that asked for it is on the disk where it is said to be. The last number covers the frame that ends the block
 * only when all have finalised the block.
 */
public record WriteAck(long writtenBytes, long replicatedNumber, long replicatedBytes) {
    public static final int BYTES = 24;

    /** The header of a frame with this body. */
    public WriteFrame frame(int flags, long number) {
        return new WriteFrame(BYTES, WriteFrame.ACK, (byte) flags, number);
    }

    /** Writes the body at the buffer's position. */
    public void encode(ByteBuffer out) {
        out.putLong(writtenBytes).putLong(replicatedNumber).putLong(replicatedBytes);
    }

    /**
     * Reads the body at the buffer's position.
     *
     * @param frame its header
     * @throws MalformedMessageException when all have more than one of them, or do not agree that the block is finalised
     */
    public static WriteAck decode(WriteFrame frame, ByteBuffer in) throws MalformedMessageException {
        WriteAck ack = new WriteAck(in.getLong(), in.getLong(), in.getLong());
        boolean less = ack.replicatedBytes >= 0
                && ack.replicatedBytes <= ack.writtenBytes
                && ack.replicatedNumber >= 0
                && ack.replicatedNumber <= frame.number();
        boolean equal = ack.replicatedBytes == ack.writtenBytes
                && ack.replicatedNumber == frame.number()
                && frame.has(WriteFrame.FINALIZED);
        if (!less || (frame.has(WriteFrame.ALL_FINALIZED) && !equal)) {
            throw new MalformedMessageException("acknowledged " + ack.writtenBytes + " bytes to frame " + frame.number()
                    + ", of the pipeline " + ack.replicatedBytes + " to frame " + ack.replicatedNumber + ", flags "
                    + frame.flags());
        }
        return ack;
    }
}
