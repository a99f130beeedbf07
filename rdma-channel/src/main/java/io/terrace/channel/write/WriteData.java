package io.terrace.channel.write;

import io.terrace.channel.MalformedMessageException;
import java.nio.ByteBuffer;

/**
 * The first fields of a DATA frame's body, 12 bytes big-endian: offset in the block (8), bytes of data (4). The checksums
 * of the data's chunks follow, then the data.
 *
 * <p>The data of a frame with {@link WriteFrame#LANDED} is not in the body.
 *
 * <p>Data begins at a chunk's first byte. Where the frame before ended within a chunk, this one begins with that chunk
 * again, from its first byte. A frame without data has the length of the block so far as its offset.
 */
public record WriteData(long offset, int dataBytes) {
    public static final int BYTES = 12;

    public static final int SUM_BYTES = 4;

    /** Bytes of the checksums of so much data that begins at a chunk's first byte. */
    public static int sumBytes(int dataBytes, int chunkBytes) {
        return Math.toIntExact(((long) dataBytes + chunkBytes - 1) / chunkBytes * SUM_BYTES);
    }

    /** Data that fits one frame, in whole chunks; 0 when not even one chunk fits: such a block cannot be written so. */
    public static int mostBytes(int chunkBytes, int wantedBytes) {
        int bytes = Math.min(wantedBytes, WriteFrame.MAX_DATA_BYTES);
        long covered = (long) WriteFrame.MAX_SUM_BYTES / SUM_BYTES * chunkBytes;
        return (int) (Math.min(bytes, covered) / chunkBytes * chunkBytes);
    }

    /** The header of a frame with this data, chunks of so many bytes. */
    public WriteFrame frame(int chunkBytes, int flags, long number) {
        return new WriteFrame(bodyBytes(chunkBytes, flags), WriteFrame.DATA, (byte) flags, number);
    }

    private int bodyBytes(int chunkBytes, int flags) {
        boolean landed = (flags & WriteFrame.LANDED) != 0;
        return BYTES + sumBytes(dataBytes, chunkBytes) + (landed ? 0 : dataBytes);
    }

    /** Writes the fields at the buffer's position. */
    public void encode(ByteBuffer out) {
        out.putLong(offset).putInt(dataBytes);
    }

    /**
     * Reads the fields at the buffer's position.
     *
     * @param frame the header of the frame that they are of
     * @throws MalformedMessageException when they do not fit the frame, or the chunks of the block
     */
    public static WriteData decode(WriteFrame frame, int chunkBytes, ByteBuffer in) throws MalformedMessageException {
        WriteData data = new WriteData(in.getLong(), in.getInt());
        boolean bounded = data.dataBytes >= 0 && data.dataBytes <= WriteFrame.MAX_DATA_BYTES && data.offset >= 0;
        if (!bounded || (data.dataBytes > 0 && data.offset % chunkBytes != 0)) {
            throw new MalformedMessageException(
                    data.dataBytes + " bytes of data at " + data.offset + " in chunks of " + chunkBytes);
        }
        if (frame.bodyBytes() != data.bodyBytes(chunkBytes, frame.flags())) {
            throw new MalformedMessageException(data.dataBytes + " bytes of data in chunks of " + chunkBytes
                    + " in a body of " + frame.bodyBytes() + " bytes");
        }
        return data;
    }
}
