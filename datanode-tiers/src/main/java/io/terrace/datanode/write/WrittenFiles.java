package io.terrace.datanode.write;

import io.terrace.channel.write.WriteData;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The files of a replica that is being written, for one who reads what is written already. Used by one thread. */
public final class WrittenFiles implements Closeable {
    private final FileChannel data;
    private final FileChannel sums;
    private final long firstSumAt;
    private final int chunkBytes;

    /**
     * Opens them.
     *
     * @param firstSumAt where in the file of the checksums the first one begins
     */
    public WrittenFiles(Path dataFile, Path sumFile, long firstSumAt, int chunkBytes) throws IOException {
        this.firstSumAt = firstSumAt;
        this.chunkBytes = chunkBytes;
        this.data = FileChannel.open(dataFile, StandardOpenOption.READ);
        boolean opened = false;
        try {
            this.sums = FileChannel.open(sumFile, StandardOpenOption.READ);
            opened = true;
        } finally {
            if (!opened) {
                data.close();
            }
        }
    }

    int chunkBytes() {
        return chunkBytes;
    }

    /** Fills a buffer with data from there on. */
    void readData(long offset, ByteBuffer into) throws IOException {
        read(data, offset, into);
    }

    /**
     * Fills a buffer with checksums of whole chunks.
     *
     * @param offset of the first chunk
     */
    void readSums(long offset, ByteBuffer into) throws IOException {
        read(sums, firstSumAt + offset / chunkBytes * WriteData.SUM_BYTES, into);
    }

    private static void read(FileChannel file, long offset, ByteBuffer into) throws IOException {
        long at = offset;
        while (into.hasRemaining()) {
            int count = file.read(into, at);
            if (count < 0) {
                throw new EOFException("a file of the replica has become shorter than " + (at + into.remaining()));
            }
            at += count;
        }
    }

    @Override
    public void close() throws IOException {
        try {
            data.close();
        } finally {
            sums.close();
        }
    }
}
