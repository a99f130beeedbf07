package io.terrace.client.read;

import io.terrace.client.BlockReadRequest;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The reads from other hosts' memory of one stream whose client hedges: where a positional read takes too long, stock HDFS
 * reads the same range from another DataNode beside it. Both readers would be opened on the same memory, and wait for the
 * same DataNode. So the second one is stock's, and of a DataNode that the first does not wait for.
 *
 * <p>A hedge is known by its range, which is being read by way of another DataNode. Two callers that read the same range at
 * once are told apart from it: stock chooses the same DataNode for both. Bounded by the readers that are open. Thread-safe.
 */
public final class HedgedReads {

    private record Range(long blockId, long startOffset, long endOffset) {
        static Range of(BlockReadRequest request) {
            return new Range(request.block().getBlock().getBlockId(), request.startOffset(), request.endOffset());
        }
    }

    /** By UUID: of whom stock would have read, and whose memory is read. */
    private record FirstRead(String stockHolder, String memoryHolder, StockReaderFactory stock) {}

    private final Map<Range, FirstRead> firstReads = new ConcurrentHashMap<>();

    /**
     * A read from memory begins.
     *
     * @param stockHolder UUID of the DataNode that stock would read from
     * @param memoryHolder UUID of the one whose memory is read
     * @return ends it
     */
    Runnable began(BlockReadRequest request, String stockHolder, String memoryHolder, StockReaderFactory stock) {
        Range range = Range.of(request);
        FirstRead read = new FirstRead(stockHolder, memoryHolder, stock);
        firstReads.putIfAbsent(range, read);
        return () -> firstReads.remove(range, read);
    }

    /** What opens stock's reader where this is the hedge of a read from memory; null where it is not. */
    @Nullable
    StockReaderFactory ofHedge(BlockReadRequest request, String stockHolder, StockReaderFactory stock) {
        FirstRead first = firstReads.get(Range.of(request));
        if (first == null || first.stockHolder.equals(stockHolder)) {
            return null;
        }
        return stockHolder.equals(first.memoryHolder) ? first.stock : stock;
    }
}
