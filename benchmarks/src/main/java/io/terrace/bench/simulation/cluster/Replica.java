package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.MemoryFile;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** One durable replica on a simulated volume: its data file and its meta file, in HDFS's format. */
public final class Replica {

    static final int BYTES_PER_CHECKSUM = 512;
    private static final int HEADER_BYTES = 7;
    private static final int SUM_BYTES = 4;

    public final long blockId;
    final int volume;
    public final MemoryFile data;
    public final MemoryFile meta;
    public long stamp;
    public boolean finalised;
    /** False between the renames, or removals, of the meta file and the data file. */
    boolean dataNamed = true;
    /** Whether a power cut leaves its files in their directory. */
    boolean nameSynced = true;
    /** Whether a bit of it flipped. */
    boolean rotten;

    public Replica(long blockId, long stamp, int volume, byte[] content) {
        this.blockId = blockId;
        this.stamp = stamp;
        this.volume = volume;
        this.data = new MemoryFile(content);
        this.meta = new MemoryFile(header());
        sumUp();
    }

    private Replica(Replica original, int volume) {
        this.blockId = original.blockId;
        this.stamp = original.stamp;
        this.volume = volume;
        this.data = MemoryFile.unsynced();
        this.meta = MemoryFile.unsynced();
    }

    /** Its copy on another volume, of which no byte is written yet. */
    Replica emptyCopy(int otherVolume) {
        return new Replica(this, otherVolume);
    }

    void powerCut() {
        data.powerCut();
        meta.powerCut();
        // What is there after the first cut is on the disk, and outlives a second one.
        nameSynced = true;
    }

    public int lengthBytes() {
        return data.lengthBytes();
    }

    /** Cuts or lengthens the data to this content; the checksums follow with {@link #sumUp}. */
    void become(byte[] content) {
        data.writtenThrough();
        meta.writtenThrough();
        if (content.length <= data.lengthBytes()) {
            data.truncate(content.length);
        } else {
            data.append(content, data.lengthBytes(), content.length - data.lengthBytes());
        }
    }

    /** Writes the checksums of what is not summed up yet, the last partial chunk anew. */
    void sumUp() {
        byte[] content = data.content();
        int wholeChunks =
                Math.min(content.length / BYTES_PER_CHECKSUM, (meta.lengthBytes() - HEADER_BYTES) / SUM_BYTES);
        int keptChunks = Math.max(0, Math.min(wholeChunks, wholeChunks == 0 ? 0 : wholeChunks - 1));
        meta.truncate(HEADER_BYTES + keptChunks * SUM_BYTES);
        for (int at = keptChunks * BYTES_PER_CHECKSUM; at < content.length; at += BYTES_PER_CHECKSUM) {
            CRC32C sum = new CRC32C();
            sum.update(content, at, Math.min(BYTES_PER_CHECKSUM, content.length - at));
            byte[] four =
                    ByteBuffer.allocate(SUM_BYTES).putInt((int) sum.getValue()).array();
            meta.append(four, 0, SUM_BYTES);
        }
    }

    /** Whether its meta file has exactly the checksums of this content. */
    boolean hasSumsOf(byte[] content) {
        return meta.holds(new Replica(blockId, stamp, volume, content).meta.content());
    }

    /** Writes all checksums anew, of whatever bytes are there. */
    public void sumUpAnew() {
        meta.truncate(HEADER_BYTES);
        sumUp();
    }

    private static byte[] header() {
        short version = 1;
        byte crc32c = 2;
        return ByteBuffer.allocate(HEADER_BYTES)
                .putShort(version)
                .put(crc32c)
                .putInt(BYTES_PER_CHECKSUM)
                .array();
    }

    @Override
    public String toString() {
        return "blk_" + blockId + "_" + stamp + (finalised ? "" : " (being written)") + ", " + lengthBytes() + " bytes";
    }
}
