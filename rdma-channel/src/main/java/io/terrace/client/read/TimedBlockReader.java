package io.terrace.client.read;

import io.terrace.client.remote.ReadCostModel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import org.apache.hadoop.fs.ReadOption;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.shortcircuit.ClientMmap;
import org.apache.hadoop.util.DataChecksum;
import org.jspecify.annotations.Nullable;

/**
 * Measures the time that another reader takes in reads, and adds it to a cost when it is closed. Reads that fail are
 * left out. Used by one thread at a time, as every BlockReader.
 */
final class TimedBlockReader implements BlockReader {
    /** Of a long read the first megabyte of each eight is timed: looking at the clock costs as much as reading a few bytes. */
    private static final long TIMED_BYTES = 1 << 20;

    private static final long TIMED_OF_BYTES = 8 << 20;

    private final BlockReader reader;
    private final ReadCostModel.Costs costs;
    private final long rangeBytes;
    private long tookNs;
    private long readBytes;
    private long timedBytes;

    /**
     * @param rangeBytes what the reader was opened for
     * @param openedNs what opening took
     */
    TimedBlockReader(BlockReader reader, ReadCostModel.Costs costs, long rangeBytes, long openedNs) {
        this.reader = reader;
        this.costs = costs;
        this.rangeBytes = rangeBytes;
        this.tookNs = openedNs;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        if (!isTimed()) {
            return passed(reader.read(buffer, offset, length));
        }
        long startNs = System.nanoTime();
        return timed(reader.read(buffer, offset, length), startNs);
    }

    @Override
    public int read(ByteBuffer buffer) throws IOException {
        if (!isTimed()) {
            return passed(reader.read(buffer));
        }
        long startNs = System.nanoTime();
        return timed(reader.read(buffer), startNs);
    }

    @Override
    public int readAll(byte[] buffer, int offset, int length) throws IOException {
        if (!isTimed()) {
            return passed(reader.readAll(buffer, offset, length));
        }
        long startNs = System.nanoTime();
        return timed(reader.readAll(buffer, offset, length), startNs);
    }

    @Override
    public void readFully(byte[] buffer, int offset, int length) throws IOException {
        long startNs = System.nanoTime();
        reader.readFully(buffer, offset, length);
        int unused = timed(length, startNs);
    }

    private boolean isTimed() {
        return (readBytes & TIMED_OF_BYTES - 1) < TIMED_BYTES;
    }

    private int timed(int count, long startNs) {
        tookNs += System.nanoTime() - startNs;
        timedBytes += Math.max(0, count);
        return passed(count);
    }

    private int passed(int count) {
        readBytes += Math.max(0, count);
        return count;
    }

    @Override
    public long skip(long count) throws IOException {
        return reader.skip(count);
    }

    @Override
    public int available() {
        return reader.available();
    }

    @Override
    public void close() throws IOException {
        if (timedBytes > 0) {
            costs.took(rangeBytes, timedBytes, tookNs);
            timedBytes = 0;
        }
        reader.close();
    }

    @Override
    public boolean isShortCircuit() {
        return reader.isShortCircuit();
    }

    @Override
    public @Nullable ClientMmap getClientMmap(EnumSet<ReadOption> options) {
        return reader.getClientMmap(options);
    }

    @Override
    public @Nullable DataChecksum getDataChecksum() {
        return reader.getDataChecksum();
    }

    @Override
    public int getNetworkDistance() {
        return reader.getNetworkDistance();
    }
}
