package io.terrace.bench.simulation.kernel;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** The bytes of a file, and its references: names in directories and open descriptors. */
public final class MemoryFile {

    private static final int NOWHERE = -1;
    private static final int ALL = Integer.MAX_VALUE;

    private byte[] bytes = new byte[0];
    private int lengthBytes;
    private int flippedAt = NOWHERE;
    private int flippedBit;
    /** Bytes that a power cut leaves. */
    private int syncedBytes = ALL;

    public MemoryFile() {}

    public MemoryFile(byte[] content) {
        bytes = content.clone();
        lengthBytes = content.length;
    }

    /** A file of which a power cut takes what was not synced; of the others it takes nothing. */
    public static MemoryFile unsynced() {
        MemoryFile file = new MemoryFile();
        file.forgetSync();
        return file;
    }

    /** Nothing of it is on the medium. */
    public void forgetSync() {
        syncedBytes = 0;
    }

    void sync() {
        if (syncedBytes != ALL) {
            syncedBytes = lengthBytes;
        }
    }

    /** Whoever writes it from now on syncs it. */
    public void writtenThrough() {
        syncedBytes = ALL;
    }

    public void powerCut() {
        truncate(syncedBytes);
    }

    public int lengthBytes() {
        return lengthBytes;
    }

    public void flip(int position, int bit) {
        bytes[position] ^= (byte) (1 << bit);
    }

    /** Flips a bit of the file. Only once, so that its effect can be told from other faults. */
    public void rot(int position, int bit) {
        if (flippedAt == NOWHERE) {
            flip(position, bit);
            flippedAt = position;
            flippedBit = bit;
        }
    }

    public boolean isRotten() {
        return flippedAt != NOWHERE;
    }

    /** Whether these bytes, read from that position, are the wanted ones except for the flipped bit. */
    public boolean isRotOf(byte[] wanted, int position, byte[] got) {
        int at = flippedAt - position;
        if (flippedAt == NOWHERE || at < 0 || at >= got.length) {
            return false;
        }
        byte[] mended = got.clone();
        mended[at] ^= (byte) (1 << flippedBit);
        return Arrays.equals(wanted, position, position + got.length, mended, 0, got.length);
    }

    public void append(byte[] more, int offset, int length) {
        if (lengthBytes + length > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(lengthBytes + length, 2 * bytes.length));
        }
        System.arraycopy(more, offset, bytes, lengthBytes, length);
        lengthBytes += length;
    }

    /** As {@code pwrite}; not past the end. */
    void write(int position, byte[] more) {
        int over = Math.min(more.length, lengthBytes - position);
        System.arraycopy(more, 0, bytes, position, over);
        append(more, over, more.length - over);
    }

    public void truncate(int newLengthBytes) {
        lengthBytes = Math.min(lengthBytes, newLengthBytes);
    }

    /** As {@code pread}: returns the number of bytes read, perhaps none. */
    public int read(int position, byte[] into, int offset, int length) {
        int count = readable(position, length);
        System.arraycopy(bytes, position, into, offset, count);
        return count;
    }

    private int readable(int position, int length) {
        return Math.max(0, Math.min(length, lengthBytes - position));
    }

    /** The same into a buffer. */
    public int read(int position, ByteBuffer into, int length) {
        int count = readable(position, length);
        if (count > 0) {
            into.put(bytes, position, count);
        }
        return count;
    }

    public boolean holds(byte[] content) {
        return Arrays.equals(bytes, 0, lengthBytes, content, 0, content.length);
    }

    public byte[] content() {
        return Arrays.copyOf(bytes, lengthBytes);
    }
}
