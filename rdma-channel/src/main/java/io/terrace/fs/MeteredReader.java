package io.terrace.fs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import org.apache.hadoop.fs.ReadOption;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.shortcircuit.ClientMmap;
import org.apache.hadoop.util.DataChecksum;
import org.jspecify.annotations.Nullable;

/** Any reader, whose time in reads is told when it is closed. Used by one thread at a time, as every BlockReader. */
final class MeteredReader implements BlockReader {
    private final BlockReader reader;
    private final ReadCosts.Costs costs;
    private final long rangeBytes;
    private long tookNs;
    private long readBytes;

    /**
     * @param rangeBytes what the reader was opened for
     * @param openedNs what opening took
     */
    MeteredReader(BlockReader reader, ReadCosts.Costs costs, long rangeBytes, long openedNs) {
        this.reader = reader;
        this.costs = costs;
        this.rangeBytes = rangeBytes;
        this.tookNs = openedNs;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        long startNs = System.nanoTime();
        try {
            return counted(reader.read(buffer, offset, length));
        } finally {
            tookNs += System.nanoTime() - startNs;
        }
    }

    @Override
    public int read(ByteBuffer buffer) throws IOException {
        long startNs = System.nanoTime();
        try {
            return counted(reader.read(buffer));
        } finally {
            tookNs += System.nanoTime() - startNs;
        }
    }

    @Override
    public int readAll(byte[] buffer, int offset, int length) throws IOException {
        long startNs = System.nanoTime();
        try {
            return counted(reader.readAll(buffer, offset, length));
        } finally {
            tookNs += System.nanoTime() - startNs;
        }
    }

    @Override
    public void readFully(byte[] buffer, int offset, int length) throws IOException {
        long startNs = System.nanoTime();
        try {
            reader.readFully(buffer, offset, length);
            readBytes += length;
        } finally {
            tookNs += System.nanoTime() - startNs;
        }
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
        if (readBytes > 0) {
            costs.took(rangeBytes, readBytes, tookNs);
            readBytes = 0;
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

    private int counted(int count) {
        readBytes += Math.max(0, count);
        return count;
    }
}
