package io.terrace.bench.load;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.ReadStatistics;
import org.apache.hadoop.hdfs.client.HdfsDataInputStream;

/**
 * A plain Hadoop client that stores a data set, reads it by positional reads and compares every byte with what was
 * stored.
 *
 * <p>Streams stay open from read to read, as HBase keeps them. Which tier served a read is told by Hadoop's own read
 * statistics: a granted read counts as short-circuit there, and stock short-circuit reads are off in this client. Not
 * thread-safe.
 */
public final class VerifyingClient implements Closeable {
    private static final int CHUNK_BYTES = 1 << 20;
    private static final int MAX_OPEN = 256;

    /**
     * The result of a read.
     *
     * @param bytes how many were read
     * @param memoryBytes how many of them came from the memory tier through a grant
     * @param wrongBytes how many differ from what was stored
     * @param latencyNs time in Hadoop's read calls, without the comparison
     */
    public record Outcome(long bytes, long memoryBytes, long wrongBytes, long latencyNs) {}

    private final FileSystem fs;
    private final DataSet data;
    private final int[] versions;
    private final byte[] actual = new byte[CHUNK_BYTES];
    private final byte[] expected = new byte[CHUNK_BYTES];
    private final Map<Integer, FSDataInputStream> open = new LinkedHashMap<>(MAX_OPEN, 0.75f, true);

    /** @param fs closed with this client */
    public VerifyingClient(FileSystem fs, DataSet data) {
        this(fs, data, new int[data.files().size()]);
    }

    /**
     * One that knows what another wrote.
     *
     * @param versions how often each file was written anew; those who share it take turns
     */
    public VerifyingClient(FileSystem fs, DataSet data, int[] versions) {
        this.fs = fs;
        this.data = data;
        this.versions = versions;
    }

    /** Stores a file for the first time. */
    public void store(int file) throws IOException {
        write(file, false);
    }

    /** Writes a file anew, with other bytes. */
    public void rewrite(int file) throws IOException {
        FSDataInputStream stale = open.remove(file);
        if (stale != null) {
            stale.close();
        }
        versions[file]++;
        write(file, true);
    }

    private void write(int file, boolean overwrite) throws IOException {
        long length = data.files().get(file).lengthBytes();
        try (OutputStream out = fs.create(path(file), overwrite)) {
            for (long at = 0; at < length; at += CHUNK_BYTES) {
                int chunk = (int) Math.min(CHUNK_BYTES, length - at);
                data.content().fill(file, versions[file], at, expected, chunk);
                out.write(expected, 0, chunk);
            }
        }
    }

    /** Reads a range of a file, a megabyte at a time. */
    public Outcome read(int file, long position, long lengthBytes) throws IOException {
        FSDataInputStream in = stream(file);
        long wrong = 0;
        long latencyNs = 0;
        long memoryBefore = memoryBytes(in);
        for (long done = 0; done < lengthBytes; done += CHUNK_BYTES) {
            int chunk = (int) Math.min(CHUNK_BYTES, lengthBytes - done);
            long startNs = System.nanoTime();
            in.readFully(position + done, actual, 0, chunk);
            latencyNs += System.nanoTime() - startNs;
            data.content().fill(file, versions[file], position + done, expected, chunk);
            wrong += differences(chunk);
        }
        return new Outcome(lengthBytes, memoryBytes(in) - memoryBefore, wrong, latencyNs);
    }

    private long differences(int length) {
        int at = Arrays.mismatch(actual, 0, length, expected, 0, length);
        if (at < 0) {
            return 0;
        }
        long wrong = 0;
        for (int i = at; i < length; i++) {
            if (actual[i] != expected[i]) {
                wrong++;
            }
        }
        return wrong;
    }

    private FSDataInputStream stream(int file) throws IOException {
        FSDataInputStream known = open.get(file);
        if (known != null) {
            return known;
        }
        if (open.size() >= MAX_OPEN) {
            Iterator<FSDataInputStream> oldest = open.values().iterator();
            oldest.next().close();
            oldest.remove();
        }
        FSDataInputStream in = fs.open(path(file));
        open.put(file, in);
        return in;
    }

    private Path path(int file) {
        return new Path(data.files().get(file).path());
    }

    private static long memoryBytes(FSDataInputStream in) {
        ReadStatistics statistics = ((HdfsDataInputStream) in).getReadStatistics();
        return statistics.getTotalShortCircuitBytesRead();
    }

    @Override
    public void close() throws IOException {
        for (FSDataInputStream in : open.values()) {
            in.close();
        }
        open.clear();
        fs.close();
    }
}
