package io.terrace.fs;

import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hdfs.BlockReader;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens every block with the first source that has it, and with stock HDFS when none has.
 *
 * <p>Thread-safe. What a source throws never reaches the application: it is counted, and stock HDFS reads the block.
 */
public final class MemoryFirst {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryFirst.class);

    private final List<BlockSource> sources;
    private final Figures figures;

    /** @param sources in the order in which they are asked: nearest first */
    MemoryFirst(List<BlockSource> sources, Figures figures) {
        this.sources = List.copyOf(sources);
        this.figures = figures;
    }

    /**
     * A reader of the range.
     *
     * @throws IOException only what stock HDFS throws
     */
    public BlockReader open(BlockRange range, StockReader stock) throws IOException {
        for (int i = 0; i < sources.size(); i++) {
            ReplicaAccessor memory = ask(sources.get(i), range);
            if (memory != null) {
                figures.increment(Figure.CLIENT_FS_MEMORY_READERS);
                return new SteppingBlockReader(memory, range, stock, why -> steppedDown(range, why));
            }
        }
        figures.increment(Figure.CLIENT_FS_STOCK_READERS);
        return stock.open(range.startOffset(), range.endOffset() - range.startOffset());
    }

    private @Nullable ReplicaAccessor ask(BlockSource source, BlockRange range) {
        try {
            return source.open(range);
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
