package io.terrace.placement.accesslog;

import io.terrace.common.StorageTier;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.Heartbeat.TierState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The DataNodes that the log of accesses writes of: their hosts and memory, by their {@link HostNumbers}. The loop's thread
 * tells of heartbeats, the writer's thread asks for what changed. One that was silent for {@value #SILENCE_MS} ms is forgotten.
 */
final class LoggedNodes {

    static final int MOST = 10_000;
    static final long SILENCE_MS = 600_000;
    static final long CHECK_MS = 60_000;

    private final HostNumbers hostNumbers;
    private final Function<String, @Nullable String> addresses;
    private final ConcurrentHashMap<Long, Node> nodes = new ConcurrentHashMap<>();
    /** Of the file that is being written. */
    private final Map<Long, Node> written = new HashMap<>();

    private long checkedMs;

    private static final class Node {
        final String uuid;
        final long memoryBytes;
        volatile long heardMs;
        volatile long host = HostNumbers.UNKNOWN;

        Node(String uuid, long memoryBytes) {
            this.uuid = uuid;
            this.memoryBytes = memoryBytes;
        }
    }

    /**
     * A DataNode for the log.
     *
     * @param host number of its host
     */
    record Line(long node, long host, long memoryBytes) {}

    /** @param addresses of DataNodes by UUID, null for one that is not registered; asked by the writer's thread */
    LoggedNodes(HostNumbers hostNumbers, Function<String, @Nullable String> addresses) {
        this.hostNumbers = hostNumbers;
        this.addresses = addresses;
    }

    /** The number of the DataNode whose heartbeat it is; unknown beyond {@value #MOST} of them. */
    long heard(long nowMs, Heartbeat heartbeat) {
        long memoryBytes = 0;
        for (TierState tier : heartbeat.tiers()) {
            memoryBytes = tier.tier() == StorageTier.MEMORY ? tier.capacityBytes() : memoryBytes;
        }
        long number = hostNumbers.of(heartbeat.node());
        Node node = nodes.get(number);
        if (node == null || node.memoryBytes != memoryBytes) {
            if (node == null && nodes.size() >= MOST) {
                return HostNumbers.UNKNOWN;
            }
            node = new Node(heartbeat.node(), memoryBytes);
            nodes.put(number, node);
        }
        node.heardMs = nowMs;
        return number;
    }

    /** The number of a DataNode's host. */
    long hostOf(long number) {
        Node node = nodes.get(number);
        return node == null ? HostNumbers.UNKNOWN : node.host;
    }

    /** Another file begins, which has none of them. */
    void begin() {
        written.clear();
        checkedMs = 0;
    }

    /** Those that the file does not have as they are; looks once a minute, and while one is missing. */
    List<Line> changes(long nowMs) {
        List<Line> lines = new ArrayList<>();
        if (checkedMs != 0 && Math.abs(nowMs - checkedMs) < CHECK_MS && written.size() == nodes.size()) {
            return lines;
        }
        checkedMs = nowMs;
        nodes.values().removeIf(node -> nowMs - node.heardMs > SILENCE_MS);
        written.keySet().retainAll(nodes.keySet());
        nodes.forEach((number, node) -> {
            String address = written.get(number) == node ? null : addresses.apply(node.uuid);
            if (address != null) {
                node.host = hostNumbers.of(address);
                written.put(number, node);
                lines.add(new Line(number, node.host, node.memoryBytes));
            }
        });
        return lines;
    }
}
