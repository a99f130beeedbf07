package io.terrace.fs;

import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import java.io.IOException;
import java.util.function.Supplier;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens every block in the memory of this host where it is there, else in the memory of another host unless stock HDFS has
 * lately been cheaper ({@link ReadCosts}), else with stock HDFS.
 *
 * <p>Local memory needs no comparing: nothing of stock's is nearer. Memory across a network does: the replica that stock
 * reads may be on this very host, in its page cache.
 *
 * <p>Thread-safe. What a source throws never reaches the application: it is counted, and stock HDFS reads the block.
 */
public final class MemoryFirst {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryFirst.class);

    private final @Nullable LocalGrants local;
    private final @Nullable RemoteMemory remote;
    private final Figures figures;

    /**
     * @param local null when the memory of this host is not read
     * @param remote null when that of other hosts is not
     */
    MemoryFirst(@Nullable LocalGrants local, @Nullable RemoteMemory remote, Figures figures) {
        this.local = local;
        this.remote = remote;
        this.figures = figures;
    }

    /**
     * A reader of the range.
     *
     * @param stockHolder UUID of the DataNode that stock would read from
     * @throws IOException only what stock HDFS throws
     */
    public BlockReader open(BlockRange range, String stockHolder, StockReader stock) throws IOException {
        LocalGrants here = local;
        ReplicaAccessor granted = here == null ? null : orNull(range, () -> here.open(range));
        if (granted != null) {
            return onMemory(granted, range, stock);
        }
        RemoteMemory elsewhere = remote;
        RemoteCopy copy = elsewhere == null ? null : orNull(range, () -> elsewhere.find(range));
        if (elsewhere == null || copy == null) {
            return onStock(range, stock);
        }
        if (elsewhere.settings().byCost()) {
            return cheaper(elsewhere, copy, range, stockHolder, stock);
        }
        ReplicaAccessor remotely = orNull(range, () -> elsewhere.open(copy, range));
        return remotely == null ? onStock(range, stock) : onMemory(remotely, range, stock);
    }

    private BlockReader cheaper(
            RemoteMemory elsewhere, RemoteCopy copy, BlockRange range, String stockHolder, StockReader stock)
            throws IOException {
        ReadCosts.Costs memoryCosts = elsewhere.costs().memory(copy.datanode());
        ReadCosts.Costs stockCosts = elsewhere.costs().stock(stockHolder);
        long bytes = range.endOffset() - range.startOffset();
        long startNs = System.nanoTime();
        if (ReadCosts.prefersMemory(memoryCosts, stockCosts, bytes)) {
            ReplicaAccessor granted = orNull(range, () -> elsewhere.open(copy, range));
            return granted == null
                    ? onStock(range, stock)
                    : new MeteredReader(
                            onMemory(granted, range, stock), memoryCosts, bytes, System.nanoTime() - startNs);
        }
        figures.increment(Figure.CLIENT_FS_STOCK_PREFERRED);
        BlockReader reader = onStock(range, stock);
        return new MeteredReader(reader, stockCosts, bytes, System.nanoTime() - startNs);
    }

    private BlockReader onMemory(ReplicaAccessor granted, BlockRange range, StockReader stock) {
        figures.increment(Figure.CLIENT_FS_MEMORY_READERS);
        return new SteppingBlockReader(granted, range, stock, why -> steppedDown(range, why));
    }

    private BlockReader onStock(BlockRange range, StockReader stock) throws IOException {
        figures.increment(Figure.CLIENT_FS_STOCK_READERS);
        return stock.open(range.startOffset(), range.endOffset() - range.startOffset());
    }

    private <T> @Nullable T orNull(BlockRange range, Supplier<@Nullable T> source) {
        try {
            return source.get();
        } catch (RuntimeException | LinkageError e) {
            steppedDown(range, e);
            return null;
        }
    }

    private void steppedDown(BlockRange range, Throwable why) {
        figures.increment(Figure.CLIENT_FS_STEPPED_DOWN);
        LOG.debug("Reading {} of {} from stock HDFS", range.block(), range.fileName(), why);
    }
}
