package io.terrace.placement.hdfs.web;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import io.terrace.protocol.proto.DataNodeProtos.TierStateProto;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The tiers and reads of the cluster over the last hour: {@value #MOST} samples. Thread-safe. */
final class ClusterHistory {

    static final int INTERVAL_MS = 5_000;
    static final int MOST = 720;

    private final Deque<Sample> samples = new ArrayDeque<>();
    private Map<String, ReadCounters> counted = Map.of();
    private long countedMs;

    private record Space(long usedBytes, long capacityBytes) {}

    /** @param reads since the sample before, for so many seconds; of DataNodes that were there then */
    private record Sample(long atMs, Map<TierProto, Space> tiers, ReadCounters reads, double seconds, int moves) {}

    /** @param atMs wall clock; must not be the same for two samples */
    synchronized void add(long atMs, List<NodeProto> nodes) {
        Map<TierProto, Space> tiers = new EnumMap<>(TierProto.class);
        Map<String, ReadCounters> counts = new HashMap<>();
        ReadCounters grown = ReadCounters.NONE;
        int moves = 0;
        for (NodeProto node : nodes) {
            ReadCounters counters = ReadCounters.of(node);
            counts.put(node.getUuid(), counters);
            ReadCounters before = counted.get(node.getUuid());
            grown = before == null ? grown : grown.plus(counters.since(before));
            moves += node.getMovesInFlight();
            for (TierStateProto tier : node.getTiersList()) {
                tiers.merge(
                        tier.getTier(),
                        new Space(tier.getUsedBytes(), tier.getCapacityBytes()),
                        (one, two) -> new Space(one.usedBytes + two.usedBytes, one.capacityBytes + two.capacityBytes));
            }
        }
        if (samples.size() == MOST) {
            samples.removeFirst();
        }
        samples.addLast(new Sample(atMs, tiers, grown, Math.max(0, atMs - countedMs) / 1000.0, moves));
        counted = counts;
        countedMs = atMs;
    }

    /**
     * The samples after a time, as columns: one list for the times, and for each figure one of the same length. Who asks again
     * right after the next sample sees it at once.
     *
     * @param nowMs wall clock
     */
    synchronized ObjectNode json(long afterMs, long nowMs) {
        List<Sample> shown =
                samples.stream().filter(sample -> sample.atMs > afterMs).toList();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("intervalMs", INTERVAL_MS).put("mostSamples", MOST);
        long nextMs = samples.isEmpty() ? nowMs + INTERVAL_MS : samples.getLast().atMs + INTERVAL_MS;
        json.put("nextSampleInMs", Math.max(0, Math.min(INTERVAL_MS, nextMs - nowMs)));
        ArrayNode times = json.putArray("atMs");
        shown.forEach(sample -> times.add(sample.atMs));
        ObjectNode used = json.putObject("usedBytes");
        ObjectNode capacity = json.putObject("capacityBytes");
        for (TierProto tier : TierProto.values()) {
            if (samples.stream().anyMatch(sample -> sample.tiers.containsKey(tier))) {
                String name = tier.name().toLowerCase(Locale.ROOT);
                column(used, name, shown, sample -> space(sample, tier).usedBytes);
                column(capacity, name, shown, sample -> space(sample, tier).capacityBytes);
            }
        }
        ObjectNode read = json.putObject("readBytesPerSecond");
        column(read, "memory", shown, sample -> rate(sample, sample.reads.memoryBytes()));
        column(read, "nvm", shown, sample -> rate(sample, sample.reads.nvmBytes()));
        column(read, "replica", shown, sample -> rate(sample, sample.reads.replicaBytes()));
        column(json, "movesInFlight", shown, Sample::moves);
        return json;
    }

    private static Space space(Sample sample, TierProto tier) {
        return sample.tiers.getOrDefault(tier, new Space(0, 0));
    }

    private static double rate(Sample sample, long bytes) {
        return sample.seconds == 0 ? 0 : bytes / sample.seconds;
    }

    private static void column(ObjectNode json, String name, List<Sample> samples, ToDoubleFunction<Sample> value) {
        ArrayNode column = json.putArray(name);
        samples.forEach(sample -> column.add(Math.round(value.applyAsDouble(sample))));
    }
}
