package io.terrace.client.read;

import io.terrace.client.BlockReadRequest;
import io.terrace.client.LocalAccess;
import io.terrace.client.StreamGrants;
import io.terrace.client.remote.ReadCostModel;
import io.terrace.client.remote.RemoteDataNodes;
import io.terrace.client.remote.RemoteReplica;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens every block in the memory of this host where it is there, else in the memory of another host unless stock HDFS has
 * lately been cheaper ({@link ReadCostModel}), else with stock HDFS.
 *
 * <p>Local memory needs no comparing: nothing of stock's is nearer. Memory across a network does: the replica that stock
 * reads may be on this very host, in its page cache.
 *
 * <p>Thread-safe. What a source throws never reaches the application: it is counted, and stock HDFS reads the block.
 */
public final class ReadRouter {
    private static final Logger LOG = LoggerFactory.getLogger(ReadRouter.class);

    private final @Nullable LocalAccess local;
    private final @Nullable RemoteDataNodes remote;
    private final ReplicaOrder order;
    private final MetricRegistry metricRegistry;

    /**
     * @param local null when the memory of this host is not read
     * @param remote null when that of other hosts is not
     * @param order in which stock HDFS tries replicas
     */
    public ReadRouter(
            @Nullable LocalAccess local,
            @Nullable RemoteDataNodes remote,
            ReplicaOrder order,
            MetricRegistry metricRegistry) {
        this.local = local;
        this.remote = remote;
        this.order = order;
        this.metricRegistry = metricRegistry;
    }

    /** Orders the replicas of blocks that the NameNode just answered with. Costs no call. */
    public void order(LocatedBlocks blocks, ToIntFunction<DatanodeInfo> distances) {
        try {
            order.apply(blocks, distances);
        } catch (RuntimeException e) {
            LOG.debug("Reading with the order of the NameNode", e);
        }
    }

    /**
     * Whether memory may have the block. If it has not, which is counted, stock HDFS is to read it, and nothing was allocated,
     * locked or called to know that.
     *
     * @param held the grants that the stream used last
     */
    public boolean mayServe(LocatedBlock block, StreamGrants held) {
        LocalAccess here = local;
        RemoteDataNodes elsewhere = remote;
        try {
            if (here != null && here.holds(block, held) || elsewhere != null && elsewhere.holds(block)) {
                return true;
            }
            if (here != null) {
                here.countAbsent();
            }
        } catch (RuntimeException | LinkageError e) {
            steppedDown(block, e);
        }
        metricRegistry.increment(Metric.CLIENT_FS_STOCK_READERS);
        return false;
    }

    /**
     * The caller asks for another copy of the block, which stock HDFS reads for this stream from now on; counted where it was not
     * stock's already.
     *
     * @return whether memory may have served it until now
     */
    public boolean leave(LocatedBlock block, StreamGrants held) {
        boolean memory = mayServe(block, held);
        if (memory) {
            steppedDown(block, new IOException("the caller asked for another copy"));
        }
        return memory;
    }

    /** Counts a reader of a block that was left to stock HDFS. */
    public void countLeft() {
        metricRegistry.increment(Metric.CLIENT_FS_STOCK_READERS);
    }

    /**
     * A reader of the range.
     *
     * @param stockHolder UUID of the DataNode that stock would read from
     * @param hedged the stream's reads that stock may hedge; null where it does not
     * @throws IOException only what stock HDFS throws
     */
    public BlockReader open(
            BlockReadRequest range, String stockHolder, StockReaderFactory stock, @Nullable HedgedReads hedged)
            throws IOException {
        LocalAccess here = local;
        ReplicaAccessor granted = here == null ? null : here.open(range);
        if (granted != null) {
            return onMemory(granted, range, stock);
        }
        RemoteDataNodes elsewhere = remote;
        RemoteReplica copy = elsewhere == null ? null : orNull(range, () -> elsewhere.find(range));
        if (elsewhere == null || copy == null) {
            return onStock(range, stock);
        }
        StockReaderFactory beside = hedged == null ? null : hedged.ofHedge(range, stockHolder, stock);
        if (beside != null) {
            metricRegistry.increment(Metric.CLIENT_FS_HEDGED);
            return onStock(range, beside);
        }
        Supplier<@Nullable BlockReader> onCopy = () -> onCopy(elsewhere, copy, range, stockHolder, stock, hedged);
        if (elsewhere.settings().byCost()) {
            return cheaper(elsewhere, copy, onCopy, range, stockHolder, stock);
        }
        BlockReader remotely = onCopy.get();
        return remotely == null ? onStock(range, stock) : remotely;
    }

    /** A reader of another host's memory; null when there is none. */
    private @Nullable BlockReader onCopy(
            RemoteDataNodes elsewhere,
            RemoteReplica copy,
            BlockReadRequest range,
            String stockHolder,
            StockReaderFactory stock,
            @Nullable HedgedReads hedged) {
        // Before the grant is asked for, since that may be what takes too long.
        Runnable ended = hedged == null ? () -> {} : hedged.began(range, stockHolder, copy.datanode(), stock);
        ReplicaAccessor granted = orNull(range, () -> elsewhere.open(copy, range));
        if (granted == null) {
            ended.run();
            return null;
        }
        metricRegistry.increment(Metric.CLIENT_FS_MEMORY_READERS);
        return new FallbackBlockReader(granted, range, stock, why -> steppedDown(range, why), ended);
    }

    private BlockReader cheaper(
            RemoteDataNodes elsewhere,
            RemoteReplica copy,
            Supplier<@Nullable BlockReader> onCopy,
            BlockReadRequest range,
            String stockHolder,
            StockReaderFactory stock)
            throws IOException {
        ReadCostModel.Costs memoryCosts = elsewhere.costs().memory(copy.datanode());
        ReadCostModel.Costs stockCosts = elsewhere.costs().stock(stockHolder);
        long bytes = range.endOffset() - range.startOffset();
        long startNs = System.nanoTime();
        if (ReadCostModel.prefersMemory(memoryCosts, stockCosts, bytes)) {
            BlockReader reader = onCopy.get();
            return reader == null
                    ? onStock(range, stock)
                    : new TimedBlockReader(reader, memoryCosts, bytes, System.nanoTime() - startNs);
        }
        metricRegistry.increment(Metric.CLIENT_FS_STOCK_PREFERRED);
        BlockReader reader = onStock(range, stock);
        return new TimedBlockReader(reader, stockCosts, bytes, System.nanoTime() - startNs);
    }

    private BlockReader onMemory(ReplicaAccessor granted, BlockReadRequest range, StockReaderFactory stock) {
        metricRegistry.increment(Metric.CLIENT_FS_MEMORY_READERS);
        return new FallbackBlockReader(granted, range, stock, why -> steppedDown(range, why));
    }

    private BlockReader onStock(BlockReadRequest range, StockReaderFactory stock) throws IOException {
        metricRegistry.increment(Metric.CLIENT_FS_STOCK_READERS);
        return stock.open(range.startOffset(), range.endOffset() - range.startOffset());
    }

    private <T> @Nullable T orNull(BlockReadRequest range, Supplier<@Nullable T> source) {
        try {
            return source.get();
        } catch (RuntimeException | LinkageError e) {
            steppedDown(range, e);
            return null;
        }
    }

    private void steppedDown(BlockReadRequest range, Throwable why) {
        steppedDown(range.block(), why);
    }

    private void steppedDown(LocatedBlock block, Throwable why) {
        metricRegistry.increment(Metric.CLIENT_FS_STEPPED_DOWN);
        LOG.debug("Reading {} from stock HDFS", block, why);
    }
}
