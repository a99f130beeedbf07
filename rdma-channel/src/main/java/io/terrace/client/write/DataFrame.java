package io.terrace.client.write;

import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteFrame;
import java.nio.ByteBuffer;
import java.util.Collection;

/**
 * A DATA frame: data of one block with its checksums, in memory that {@link FramePool} lends. It is filled and sealed by
 * the thread that writes the file, then sent by the file's streamer, and kept until it is acknowledged.
 *
 * <p>The data lies at the end of the memory, the checksums before it, so that header, checksums and data are sent from
 * one piece of memory.
 */
final class DataFrame {
    private static final int PREFIX_BYTES = WriteFrame.HEADER_BYTES + WriteData.BYTES;

    /** Data is summed in pieces that a processor's cache holds. */
    private static final int SUM_PIECE_BYTES = 32 << 10;

    private final ByteBuffer memory;
    private final ByteBuffer data;
    private final ByteBuffer sums;
    private final ChunkSummer summer;
    private final long offset;
    private final int repeatedBytes;
    private final int roomBytes;
    private final int dataAt;
    private int filledBytes;
    private int summedBytes;
    private int beginsAt;
    private int flags;
    private long sequence;
    private boolean acked;

    /**
     * An empty frame.
     *
     * @param memory lent
     * @param offset of its first byte in the block
     * @param repeated data of the chunk's beginning, which was sent before
     * @param roomBytes data that it may take, in whole chunks; less where the memory is smaller
     */
    DataFrame(ByteBuffer memory, ChunkSummer summer, long offset, ByteBuffer repeated, long roomBytes) {
        this.memory = memory;
        this.summer = summer;
        this.offset = offset;
        this.repeatedBytes = repeated.remaining();
        this.roomBytes = (int) Math.min(roomBytes, roomBytes(memory.capacity(), summer.chunkBytes()));
        this.dataAt = memory.capacity() - this.roomBytes;
        this.data = memory.duplicate();
        this.sums = memory.duplicate();
        memory.clear().position(dataAt);
        memory.put(repeated);
        this.filledBytes = repeatedBytes;
    }

    /** Data that memory of so many bytes has room for beside its checksums, in whole chunks. */
    static int roomBytes(int memoryBytes, int chunkBytes) {
        int chunks = (memoryBytes - PREFIX_BYTES) / (chunkBytes + WriteData.SUM_BYTES);
        return WriteData.mostBytes(chunkBytes, chunks * chunkBytes);
    }

    /** Takes in as many of these bytes as there is room for, and says how many. */
    int put(byte[] from, int at, int count) {
        int taken = Math.min(Math.min(count, roomBytes - filledBytes), SUM_PIECE_BYTES);
        memory.put(dataAt + filledBytes, from, at, taken);
        filled(taken);
        return taken;
    }

    /** Takes in one byte; there must be room. */
    void put(byte value) {
        memory.put(dataAt + filledBytes, value);
        filled(1);
    }

    private void filled(int count) {
        filledBytes += count;
        if (filledBytes - summedBytes >= SUM_PIECE_BYTES) {
            sum(filledBytes - filledBytes % summer.chunkBytes());
        }
    }

    boolean isFull() {
        return filledBytes == roomBytes;
    }

    boolean isEmpty() {
        return filledBytes == 0;
    }

    /** Bytes that were not sent before. */
    int freshBytes() {
        return filledBytes - repeatedBytes;
    }

    /** Of its first byte in the block. */
    long offset() {
        return offset;
    }

    /** Where the block ends with this frame. */
    long endOffset() {
        return offset + filledBytes;
    }

    /** Copies the chunk that it ends within, if it does; returns how many bytes those are. */
    int copyPartialChunk(byte[] into) {
        int partial = filledBytes % summer.chunkBytes();
        memory.get(dataAt + filledBytes - partial, into, 0, partial);
        return partial;
    }

    /** Nothing more is put into it. */
    void seal(int allFlags, long itsSequence) {
        sum(filledBytes);
        flags = allFlags;
        sequence = itsSequence;
        int sumBytes = WriteData.sumBytes(filledBytes, summer.chunkBytes());
        int sumsAt = sumsAt();
        if (sumsAt + sumBytes < dataAt) {
            // They end where the data begins.
            memory.put(dataAt - sumBytes, memory, sumsAt, sumBytes);
        }
        beginsAt = dataAt - sumBytes - PREFIX_BYTES;
    }

    private int sumsAt() {
        return dataAt - WriteData.sumBytes(roomBytes, summer.chunkBytes());
    }

    private void sum(int toBytes) {
        if (toBytes > summedBytes) {
            data.limit(dataAt + toBytes).position(dataAt + summedBytes);
            sums.limit(dataAt).position(sumsAt() + WriteData.sumBytes(summedBytes, summer.chunkBytes()));
            summer.sum(data, sums);
            summedBytes = toBytes;
        }
    }

    /** Its bytes as they are sent, with this number. */
    ByteBuffer wire(long number) {
        WriteData fields = new WriteData(offset, filledBytes);
        memory.limit(dataAt + filledBytes).position(beginsAt);
        fields.frame(summer.chunkBytes(), flags, number).encode(memory);
        fields.encode(memory);
        return memory.position(beginsAt);
    }

    /** Its data, where that is written into a landing window. */
    ByteBuffer landing() {
        return memory.slice(dataAt, filledBytes);
    }

    int dataBytes() {
        return filledBytes;
    }

    /** As {@link #wire}, without the data, which has landed. */
    ByteBuffer wireLanded(long number) {
        WriteData fields = new WriteData(offset, filledBytes);
        ByteBuffer wire = memory.duplicate().limit(dataAt).position(beginsAt);
        fields.frame(summer.chunkBytes(), flags | WriteFrame.LANDED, number).encode(wire);
        fields.encode(wire);
        return wire.position(beginsAt);
    }

    /** Turns the last byte of its data over, or back: a fault that a test asked for. */
    void corrupt() {
        int at = dataAt + filledBytes - 1;
        memory.put(at, (byte) ~memory.get(at));
    }

    /** The data that was not sent before, for a stream that sends it otherwise. */
    byte[] fresh() {
        return data(repeatedBytes);
    }

    /** All its data, for a stream that sends it otherwise. */
    byte[] all() {
        return data(0);
    }

    private byte[] data(int from) {
        byte[] bytes = new byte[filledBytes - from];
        memory.get(dataAt + from, bytes);
        return bytes;
    }

    boolean has(byte flag) {
        return (flags & flag) != 0;
    }

    /** Whether a DataNode is to have any of these on its disk. */
    static boolean anySynced(Collection<DataFrame> frames) {
        return frames.stream().anyMatch(frame -> frame.has(WriteFrame.SYNC));
    }

    /** Whether it is nothing but the block's end. */
    boolean isEnd() {
        return isEmpty() && has(WriteFrame.LAST);
    }

    /** Whether it is all of a block, and short enough to be sent with the request to open that. */
    boolean isWhole() {
        return has(WriteFrame.LAST)
                && offset == 0
                && repeatedBytes == 0
                && !isEmpty()
                && filledBytes <= WriteFrame.MAX_WHOLE_BYTES;
    }

    /** Counts the frames of a file. */
    long sequence() {
        return sequence;
    }

    /** All replicas have its data. */
    void acked() {
        acked = true;
    }

    boolean isAcked() {
        return acked;
    }

    /** To be given back to the pool; the frame is of no more use. */
    ByteBuffer memory() {
        return memory;
    }

    int memoryBytes() {
        return memory.capacity();
    }
}
