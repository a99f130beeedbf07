package io.terrace.metrics;

import java.util.Arrays;
import java.util.List;

/**
 * The figures of a DataNode in the order of {@link Metric}. Where a DataNode and the placement service have the same table, a
 * heartbeat carries the values alone: with their ids they were most of what decoding it allocated.
 */
public final class FigureTable {

    /** In the order in which {@link MetricRegistry#forEach} tells them. */
    public static final List<Metric> METRICS = Arrays.stream(Metric.values())
            .filter(metric -> metric.where() == Metric.Where.DATANODE)
            .toList();

    /** Equal tables have equal ids. */
    public static final long ID = hash(METRICS.stream().map(Metric::id).toList());

    private FigureTable() {}

    /** FNV-1a, 64 bits. */
    static long hash(List<String> ids) {
        long hash = 0xcbf29ce484222325L;
        for (char character : String.join("\n", ids).toCharArray()) {
            hash = (hash ^ character) * 0x100000001b3L;
        }
        return hash;
    }
}
