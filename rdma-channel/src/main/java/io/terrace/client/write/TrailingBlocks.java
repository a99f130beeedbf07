package io.terrace.client.write;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of a file that their first DataNodes have finalised and the others have not, while a later block is sent. Used by
 * the file's streamer.
 */
final class TrailingBlocks {
    /**
     * The DataNodes at both ends of a pipeline's first link. With stock's placement that is the link between racks, and the one
     * that is waited for most often.
     */
    static final int LINK_NODES = 2;

    private final FrameQueue queue;
    private final StockStreamer stock;
    private final MetricRegistry metricRegistry;
    private final List<Trailing> blocks = new ArrayList<>();

    private record Trailing(BlockSender sender, EndedBlock ended) {}

    TrailingBlocks(FrameQueue queue, StockStreamer stock, MetricRegistry metricRegistry) {
        this.queue = queue;
        this.stock = stock;
        this.metricRegistry = metricRegistry;
    }

    int size() {
        return blocks.size();
    }

    int sizeWithout(@Nullable BlockSender one) {
        return (int) blocks.stream().filter(each -> each.sender() != one).count();
    }

    boolean isEmpty() {
        return blocks.isEmpty();
    }

    /**
     * Their DataNodes, the busiest first: those that take and send on, of the block that is farthest behind first, then those that
     * only take what comes to them.
     */
    List<DatanodeInfo> nodes() {
        Set<DatanodeInfo> nodes = busiest();
        inOrder().forEach(each -> nodes.addAll(each.ended().nodes()));
        return List.copyOf(nodes);
    }

    /** Those that take blocks and send them on. */
    Set<DatanodeInfo> busiest() {
        Set<DatanodeInfo> nodes = new LinkedHashSet<>();
        inOrder().forEach(each -> {
            List<DatanodeInfo> all = each.ended().nodes();
            nodes.addAll(all.subList(0, Math.min(LINK_NODES, all.size())));
        });
        return nodes;
    }

    private Stream<Trailing> inOrder() {
        return blocks.stream()
                .sorted(Comparator.comparingLong(
                                (Trailing each) -> each.sender().missingBytes())
                        .reversed());
    }

    void add(BlockSender sender, EndedBlock ended) {
        blocks.add(new Trailing(sender, ended));
        sender.tell(progress(ended));
    }

    private BlockSender.Progress progress(EndedBlock ended) {
        return new BlockSender.Progress() {
            @Override
            public void sending(long blockBytes) {
                throw new IllegalStateException("data after the block's end");
            }

            @Override
            public void acknowledged(long blockBytes, long freshBytes) {
                metricRegistry.add(Metric.CLIENT_WRITE_BYTES, freshBytes);
                ended.acknowledged();
            }
        };
    }

    /** As {@link BlockSender#advance}. */
    long advance(long nowNs) {
        long leftNs = Long.MAX_VALUE;
        for (Trailing each : blocks) {
            leftNs = Math.min(leftNs, each.sender().advance(nowNs));
        }
        return leftNs;
    }

    /**
     * Drops those that all have finalised, and completes those whose pipelines have failed.
     *
     * @throws IOException when a block is lost, or has fewer replicas than stock would go on with
     */
    void complete(BlockOpening opening) throws IOException {
        Trailing failed = null;
        for (Iterator<Trailing> each = blocks.iterator(); each.hasNext() && failed == null; ) {
            Trailing block = each.next();
            if (block.sender().isFinalised()) {
                each.remove();
                opening.giveBack(block.sender().connection());
                metricRegistry.increment(Metric.CLIENT_WRITE_BLOCKS);
            } else if (block.sender().fault() != null) {
                failed = block;
            }
        }
        if (failed != null) {
            complete(failed, opening);
        }
    }

    private void complete(Trailing failed, BlockOpening opening) throws IOException {
        IOException fault = failed.sender().fault();
        metricRegistry.increment(Metric.CLIENT_WRITE_RECOVERIES);
        LateReplicas replicas =
                new LateReplicas(failed.ended(), failed.sender().sent(), opening, stock, metricRegistry);
        if (fault == null || !replicas.complete(fault)) {
            return;
        }
        blocks.remove(failed);
        metricRegistry.increment(Metric.CLIENT_WRITE_BLOCKS);
        for (DataFrame frame : failed.sender().sent()) {
            metricRegistry.add(Metric.CLIENT_WRITE_BYTES, frame.freshBytes());
            queue.acked(frame);
        }
    }

    /** Nothing is sent any more. */
    void end() {
        for (Trailing each : blocks) {
            BlockOpening.close(each.sender().connection());
            each.sender().sent().forEach(queue::drop);
        }
        blocks.clear();
    }
}
