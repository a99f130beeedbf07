package io.terrace.placement.hdfs.web;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.metrics.Metric;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import io.terrace.protocol.proto.DataNodeProtos.FigureValueProto;
import java.util.HashMap;
import java.util.Map;

/** Reads that DataNodes counted, by what served them. */
record ReadCounters(
        long memoryReads, long memoryBytes, long nvmReads, long nvmBytes, long replicaReads, long replicaBytes) {

    static final ReadCounters NONE = new ReadCounters(0, 0, 0, 0, 0, 0);

    /** Of one DataNode, since its process began. */
    static ReadCounters of(NodeProto node) {
        Map<String, Long> figures = new HashMap<>();
        for (FigureValueProto figure : node.getFiguresList()) {
            figures.put(figure.getId(), figure.getValue());
        }
        long nvmReads = at(figures, Metric.READS_GRANTED_NVM);
        long nvmBytes = at(figures, Metric.READS_GRANTED_NVM_BYTES);
        return new ReadCounters(
                at(figures, Metric.READS_STOCK_MEMORY) + Math.max(0, at(figures, Metric.READS_GRANTED) - nvmReads),
                at(figures, Metric.READS_STOCK_MEMORY_BYTES)
                        + Math.max(0, at(figures, Metric.READS_GRANTED_BYTES) - nvmBytes),
                nvmReads,
                nvmBytes,
                at(figures, Metric.READS_STOCK_REPLICA),
                at(figures, Metric.READS_STOCK_REPLICA_BYTES));
    }

    private static long at(Map<String, Long> figures, Metric metric) {
        return figures.getOrDefault(metric.id(), 0L);
    }

    ReadCounters plus(ReadCounters other) {
        return new ReadCounters(
                memoryReads + other.memoryReads,
                memoryBytes + other.memoryBytes,
                nvmReads + other.nvmReads,
                nvmBytes + other.nvmBytes,
                replicaReads + other.replicaReads,
                replicaBytes + other.replicaBytes);
    }

    /** Since the same DataNode counted this before; a counter that is smaller than then began again with its process. */
    ReadCounters since(ReadCounters before) {
        return new ReadCounters(
                growth(before.memoryReads, memoryReads),
                growth(before.memoryBytes, memoryBytes),
                growth(before.nvmReads, nvmReads),
                growth(before.nvmBytes, nvmBytes),
                growth(before.replicaReads, replicaReads),
                growth(before.replicaBytes, replicaBytes));
    }

    private static long growth(long before, long now) {
        return now < before ? now : now - before;
    }

    ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.putObject("memory").put("reads", memoryReads).put("bytes", memoryBytes);
        json.putObject("nvm").put("reads", nvmReads).put("bytes", nvmBytes);
        json.putObject("replica").put("reads", replicaReads).put("bytes", replicaBytes);
        return json;
    }
}
