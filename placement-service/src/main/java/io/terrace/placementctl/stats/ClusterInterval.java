package io.terrace.placementctl.stats;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.common.Quantity;
import io.terrace.placementctl.terminal.ProtoJson;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What happened between two samples. A DataNode that is new counts from its second sample on. A counter that is smaller
 * than before began again with its process, so all of it is new.
 *
 * @param lockNs how long the NameNode's read lock was held
 */
public record ClusterInterval(
        double seconds,
        long memoryBytes,
        long nvmBytes,
        long replicaBytes,
        long memoryReads,
        long otherReads,
        long movesIn,
        long movesOut,
        long movesFailed,
        long movesQueued,
        long memoryUsedBytes,
        long memoryPinnedBytes,
        long lockNs) {

    private static final double MB = 1 << 20;

    private static final String TITLES = "%8s %8s %8s  %5s  %5s %6s %6s %7s %6s %9s %9s %7s";
    private static final String ROW = "%8.1f %8.1f %8.1f  %5s  %5s %6d %6d %7d %6d %9s %9s %7.3f";

    /** The two lines above those of {@link #line}. */
    public static List<String> header() {
        return List.of(
                String.join(
                        " ",
                        group("read, MB/s", 26),
                        "",
                        group("hits, %", 12),
                        group("moves", 28),
                        group("memory", 19),
                        "lock, %"),
                String.format(
                        Locale.ROOT,
                        TITLES,
                        "memory",
                        "nvm",
                        "replica",
                        "reads",
                        "bytes",
                        "in",
                        "out",
                        "failed",
                        "queued",
                        "used",
                        "pinned",
                        "held"));
    }

    private static String group(String title, int width) {
        int left = (width - title.length() - 2) / 2;
        return "-".repeat(left) + " " + title + " " + "-".repeat(width - title.length() - 2 - left);
    }

    /** From one sample to a later one of the same service. */
    public static ClusterInterval between(ClusterSample before, ClusterSample after) {
        long granted = dataNodes(before, after, "reads.granted.bytes");
        long grantedNvm = dataNodes(before, after, "reads.granted.nvm.bytes");
        long grantedReads = dataNodes(before, after, "reads.granted");
        long grantedNvmReads = dataNodes(before, after, "reads.granted.nvm");
        return new ClusterInterval(
                (after.atNs() - before.atNs()) / 1e9,
                dataNodes(before, after, "reads.stock.memory.bytes") + Math.max(0, granted - grantedNvm),
                grantedNvm,
                dataNodes(before, after, "reads.stock.replica.bytes"),
                dataNodes(before, after, "reads.stock.memory") + Math.max(0, grantedReads - grantedNvmReads),
                dataNodes(before, after, "reads.stock.replica") + grantedNvmReads,
                service(before, after, "placement.promotions.done"),
                service(before, after, "placement.drops.done"),
                service(before, after, "placement.moves.failed"),
                after.service().getOrDefault("placement.moves.waiting", 0L)
                        + after.service().getOrDefault("placement.moves.in_flight", 0L),
                after.memoryUsedBytes(),
                after.memoryPinnedBytes(),
                service(before, after, "placement.lock.nanoseconds"));
    }

    private static long dataNodes(ClusterSample before, ClusterSample after, String id) {
        long sum = 0;
        for (Map.Entry<String, Map<String, Long>> node : after.dataNodes().entrySet()) {
            Map<String, Long> earlier = before.dataNodes().get(node.getKey());
            if (earlier != null) {
                sum += growth(earlier, node.getValue(), id);
            }
        }
        return sum;
    }

    private static long service(ClusterSample before, ClusterSample after, String id) {
        return growth(before.service(), after.service(), id);
    }

    private static long growth(Map<String, Long> before, Map<String, Long> after, String id) {
        long then = before.getOrDefault(id, 0L);
        long now = after.getOrDefault(id, 0L);
        return now < then ? now : now - then;
    }

    private static String share(long part, long whole) {
        return whole == 0 ? "-" : Long.toString(Math.round(100.0 * part / whole));
    }

    private double rate(long bytes) {
        return seconds <= 0 ? 0 : bytes / seconds / MB;
    }

    private double lockShare() {
        return seconds <= 0 ? 0 : lockNs / (seconds * 1e9);
    }

    /** One line below {@link #header}. */
    public String line() {
        return String.format(
                Locale.ROOT,
                ROW,
                rate(memoryBytes),
                rate(nvmBytes),
                rate(replicaBytes),
                share(memoryReads, memoryReads + otherReads),
                share(memoryBytes, memoryBytes + nvmBytes + replicaBytes),
                movesIn,
                movesOut,
                movesFailed,
                movesQueued,
                Quantity.bytes(memoryUsedBytes),
                Quantity.bytes(memoryPinnedBytes),
                100 * lockShare());
    }

    /** The same in bytes, counts and parts of 1; hits are left out where nothing was read. */
    public ObjectNode json() {
        ObjectNode json = ProtoJson.MAPPER.createObjectNode();
        json.put("seconds", seconds)
                .put("memoryBytesRead", memoryBytes)
                .put("nvmBytesRead", nvmBytes)
                .put("replicaBytesRead", replicaBytes);
        if (memoryReads + otherReads > 0) {
            json.put("hitsByReads", (double) memoryReads / (memoryReads + otherReads));
        }
        long bytes = memoryBytes + nvmBytes + replicaBytes;
        if (bytes > 0) {
            json.put("hitsByBytes", (double) memoryBytes / bytes);
        }
        return json.put("movesIn", movesIn)
                .put("movesOut", movesOut)
                .put("movesFailed", movesFailed)
                .put("movesQueued", movesQueued)
                .put("memoryUsedBytes", memoryUsedBytes)
                .put("memoryPinnedBytes", memoryPinnedBytes)
                .put("lockShare", lockShare());
    }
}
