package io.terrace.client.read;

import io.terrace.client.BlockReadRequest;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.util.EnumSet;
import java.util.function.Consumer;
import org.apache.hadoop.fs.ReadOption;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.shortcircuit.ClientMmap;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.util.DataChecksum;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a range of a block from memory for as long as that works, then goes on with stock HDFS from the byte it
 * reached. A failure of ours thus never reaches DFSInputStream, which would put a healthy DataNode on its dead list.
 *
 * <p>Used by one thread at a time, as every BlockReader.
 */
final class FallbackBlockReader implements BlockReader {
    private static final Logger LOG = LoggerFactory.getLogger(FallbackBlockReader.class);

    /** Stock gives few blocks a mapping, and to ask for one opens a reader: not for each piece of a caller with a buffer pool. */
    private static final long MAPPING_REFUSED_BYTES = 16L << 20;

    private final StockReaderFactory stockReader;
    private final Consumer<Exception> steppedDown;
    private final Runnable memoryLeft;
    private final long endOffset;
    private long position;
    private @Nullable ReplicaAccessor memory;
    private @Nullable BlockReader stock;
    private final BlockReadRequest range;

    /** Stock's reader beside memory, which can map the block; see {@link #getClientMmap}. */
    private @Nullable BlockReader mapper;

    private boolean unmappable;

    /** With what stock was asked for a mapping that it did not give last, and where; null before that. */
    private @Nullable EnumSet<ReadOption> refusedOptions;

    private long refusedAt;

    /** @param steppedDown told why when this goes over to stock HDFS */
    FallbackBlockReader(
            ReplicaAccessor memory,
            BlockReadRequest range,
            StockReaderFactory stockReader,
            Consumer<Exception> steppedDown) {
        this(memory, range, stockReader, steppedDown, () -> {});
    }

    /** @param memoryLeft run when memory is not read any more */
    FallbackBlockReader(
            ReplicaAccessor memory,
            BlockReadRequest range,
            StockReaderFactory stockReader,
            Consumer<Exception> steppedDown,
            Runnable memoryLeft) {
        this.memory = memory;
        this.range = range;
        this.stockReader = stockReader;
        this.steppedDown = steppedDown;
        this.memoryLeft = memoryLeft;
        this.position = range.startOffset();
        this.endOffset = range.endOffset();
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (position >= endOffset) {
            return -1;
        }
        int wanted = (int) Math.min(length, endOffset - position);
        ReplicaAccessor source = memory;
        if (source != null) {
            try {
                int count = source.read(position, buffer, offset, wanted);
                if (count > 0) {
                    position += count;
                    return count;
                }
                stepDown(source, new IOException("short read at " + position));
            } catch (IOException | RuntimeException e) {
                rethrowInterrupt(e);
                stepDown(source, e);
            } catch (OutOfMemoryError e) {
                stepDown(source, withoutMemory(e));
            }
        }
        return advance(stock().read(buffer, offset, wanted));
    }

    @Override
    public int read(ByteBuffer buffer) throws IOException {
        if (!buffer.hasRemaining()) {
            return 0;
        }
        if (position >= endOffset) {
            return -1;
        }
        int start = buffer.position();
        int limit = buffer.limit();
        ReplicaAccessor source = memory;
        if (source != null) {
            try {
                buffer.limit((int) Math.min(limit, start + endOffset - position));
                int count = source.read(position, buffer);
                if (count > 0) {
                    position += count;
                    return count;
                }
                stepDown(source, new IOException("short read at " + position));
            } catch (IOException | RuntimeException e) {
                buffer.position(start);
                rethrowInterrupt(e);
                stepDown(source, e);
            } catch (OutOfMemoryError e) {
                buffer.position(start);
                stepDown(source, withoutMemory(e));
            } finally {
                buffer.limit(limit);
            }
        }
        return advance(stock().read(buffer));
    }

    @Override
    public long skip(long count) throws IOException {
        if (count <= 0) {
            return 0;
        }
        long skipped = stock != null ? stock.skip(count) : Math.min(count, endOffset - position);
        position += skipped;
        return skipped;
    }

    @Override
    public int available() {
        return stock != null ? stock.available() : (int) Math.min(Integer.MAX_VALUE, endOffset - position);
    }

    @Override
    public void close() throws IOException {
        try {
            if (memory != null) {
                memoryLeft.run();
                memory.close();
            }
        } finally {
            memory = null;
            closeMapper();
            if (stock != null) {
                stock.close();
            }
        }
    }

    @Override
    public void readFully(byte[] buffer, int offset, int length) throws IOException {
        if (readAll(buffer, offset, length) < length) {
            throw new EOFException("block ended before " + length + " bytes were read");
        }
    }

    @Override
    public int readAll(byte[] buffer, int offset, int length) throws IOException {
        int done = 0;
        while (done < length) {
            int count = read(buffer, offset + done, length - done);
            if (count <= 0) {
                return done == 0 ? count : done;
            }
            done += count;
        }
        return done;
    }

    @Override
    public boolean isShortCircuit() {
        return memory != null ? memory.isShortCircuit() : stock != null && stock.isShortCircuit();
    }

    /**
     * A mapping for a zero-copy read, made by stock's short-circuit reader of the same block: HDFS promises one to callers
     * that bring no buffer pool, and a mapping must be stock's so that stock's slot can take it back. Other reads stay
     * with memory, also with that of another host, while the replica that stock maps is on this one. Null where stock would
     * not read this block short-circuit either.
     */
    @Override
    public @Nullable ClientMmap getClientMmap(EnumSet<ReadOption> options) {
        if (stock != null) {
            return stock.getClientMmap(options);
        }
        ReplicaAccessor source = memory;
        if (unmappable || source == null || isRefused(options)) {
            return null;
        }
        if (mapper == null) {
            mapper = shortCircuitReader();
            unmappable = mapper == null;
        }
        ClientMmap mapping = mapper == null ? null : mapper.getClientMmap(options);
        if (mapping == null) {
            // A later one may be given: once the block is cached by a directive, a new descriptor says so (HDFS-6086).
            closeMapper();
            refusedAt = position;
            refusedOptions = EnumSet.copyOf(options);
        }
        return mapping;
    }

    /** Whether the caller got bytes in place of a mapping a little before. One without a buffer pool gets nothing, and asks again. */
    private boolean isRefused(EnumSet<ReadOption> options) {
        return options.equals(refusedOptions) && position > refusedAt && position - refusedAt < MAPPING_REFUSED_BYTES;
    }

    private void closeMapper() {
        BlockReader reader = mapper;
        mapper = null;
        if (reader != null) {
            try {
                reader.close();
            } catch (IOException e) {
                LOG.debug("Closing the mapped reader of {}", range.block(), e);
            }
        }
    }

    private @Nullable BlockReader shortCircuitReader() {
        // Null if the name is not known: stock fails then, which must not fail a read from memory.
        InetAddress address = range.stockAddress().getAddress();
        if (range.underConstruction()
                || !range.conf().getBoolean(HdfsClientConfigKeys.Read.ShortCircuit.KEY, false)
                || address == null
                || !NetUtils.isLocalAddress(address)) {
            return null;
        }
        try {
            BlockReader reader = stockReader.open(position, endOffset - position);
            if (reader.isShortCircuit()) {
                return reader;
            }
            reader.close();
        } catch (IOException e) {
            // Without a mapping the caller copies the bytes from memory.
            LOG.debug("No zero-copy reads of {}", range.block(), e);
        }
        return null;
    }

    @Override
    public @Nullable DataChecksum getDataChecksum() {
        return stock != null ? stock.getDataChecksum() : null;
    }

    @Override
    public int getNetworkDistance() {
        if (memory != null) {
            return memory.getNetworkDistance();
        }
        return stock != null ? stock.getNetworkDistance() : 0;
    }

    private BlockReader stock() throws IOException {
        BlockReader reader = stock;
        if (reader == null) {
            reader = stockReader.open(position, endOffset - position);
            stock = reader;
        }
        return reader;
    }

    private int advance(int count) {
        if (count > 0) {
            position += count;
        }
        return count;
    }

    private void stepDown(ReplicaAccessor source, Exception why) {
        memory = null;
        memoryLeft.run();
        steppedDown.accept(why);
        try {
            source.close();
        } catch (IOException | RuntimeException e) {
            why.addSuppressed(e);
        }
    }

    /** Direct memory has a bound of its own: stock HDFS may read without, and the application does not expect an Error. */
    private static IOException withoutMemory(OutOfMemoryError e) {
        return new IOException("no memory for a read: " + e.getMessage(), e);
    }

    /** An interrupted reader wants to stop, not to read from somewhere else; stock looks at the same two classes. */
    private static void rethrowInterrupt(Exception e) throws IOException {
        boolean interrupt = e instanceof ClosedByInterruptException || e instanceof InterruptedIOException;
        if (interrupt && Thread.currentThread().isInterrupted()) {
            throw (IOException) e;
        }
    }
}
