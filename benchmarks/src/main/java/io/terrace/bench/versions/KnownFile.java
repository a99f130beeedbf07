package io.terrace.bench.versions;

import io.terrace.bench.load.SeededContent;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;

/**
 * A file whose bytes follow from its number. Uses only what all releases of Hadoop's client have.
 *
 * @param path in HDFS
 * @param number of the file
 * @param lengthBytes its length
 */
record KnownFile(String path, int number, long lengthBytes) {
    private static final int CHUNK_BYTES = 1 << 20;
    private static final SeededContent CONTENT = new SeededContent(42);

    /**
     * What a client read.
     *
     * @param bytes how many
     * @param memoryBytes how many of them Hadoop counts as read on this host past the DataNode: from memory, with Terrace
     * @param wrongBytes how many differ from what was written
     */
    record Read(long bytes, long memoryBytes, long wrongBytes) {
        Read plus(Read other) {
            return new Read(bytes + other.bytes, memoryBytes + other.memoryBytes, wrongBytes + other.wrongBytes);
        }
    }

    void write(FileSystem fs) throws IOException {
        byte[] chunk = new byte[CHUNK_BYTES];
        try (OutputStream out = fs.create(new Path(path), true)) {
            for (long at = 0; at < lengthBytes; at += CHUNK_BYTES) {
                int length = (int) Math.min(CHUNK_BYTES, lengthBytes - at);
                CONTENT.fill(number, 0, at, chunk, length);
                out.write(chunk, 0, length);
            }
        }
    }

    /** Reads it twice, from its beginning and then by position from its end. */
    Read read(FileSystem fs) throws IOException {
        byte[] actual = new byte[CHUNK_BYTES];
        long wrong = 0;
        long last = (lengthBytes - 1) / CHUNK_BYTES * CHUNK_BYTES;
        try (FSDataInputStream in = fs.open(new Path(path))) {
            for (long at = 0; at < lengthBytes; at += CHUNK_BYTES) {
                int length = (int) Math.min(CHUNK_BYTES, lengthBytes - at);
                in.readFully(actual, 0, length);
                wrong += differences(at, actual, length);
            }
            for (long at = last; at >= 0; at -= CHUNK_BYTES) {
                int length = (int) Math.min(CHUNK_BYTES, lengthBytes - at);
                in.readFully(at, actual, 0, length);
                wrong += differences(at, actual, length);
            }
            long memory = ((HdfsDataInputStream) in).getReadStatistics().getTotalShortCircuitBytesRead();
            return new Read(2 * lengthBytes, memory, wrong);
        }
    }

    private long differences(long at, byte[] actual, int length) {
        byte[] expected = new byte[length];
        CONTENT.fill(number, 0, at, expected, length);
        if (Arrays.equals(actual, 0, length, expected, 0, length)) {
            return 0;
        }
        long wrong = 0;
        for (int i = 0; i < length; i++) {
            wrong += actual[i] == expected[i] ? 0 : 1;
        }
        return wrong;
    }
}
