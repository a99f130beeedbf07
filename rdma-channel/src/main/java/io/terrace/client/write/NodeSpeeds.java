package io.terrace.client.write;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How fast this process writes blocks to the DataNodes that come first in their pipelines: from a block's first byte until that
 * DataNode has it, without the time in which there was nothing to send. Decayed means; what is not measured again is forgotten,
 * so that a DataNode that was slow is tried again. Bounded. Thread-safe.
 */
final class NodeSpeeds {
    static final int MOST_NODES = 1_024;
    static final long KEPT_NS = TimeUnit.MINUTES.toNanos(5);

    /** Smaller blocks say little. */
    static final long LEAST_BYTES = 4L << 20;

    /** Of what was measured before, with each block. */
    private static final double KEPT = 0.5;

    private record Mean(double bytes, double ns, long atNs) {
        private double bytesPerNs() {
            return bytes / ns;
        }
    }

    private final LinkedHashMap<String, Mean> nodes = new LinkedHashMap<>(16, 0.75f, false) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Mean> eldest) {
            return size() > MOST_NODES;
        }
    };

    /** A DataNode got so much of a block in that time. */
    synchronized void measured(String node, long bytes, long tookNs, long nowNs) {
        if (bytes < LEAST_BYTES || tookNs <= 0) {
            return;
        }
        Mean before = nodes.remove(node);
        boolean holds = before != null && nowNs - before.atNs() < KEPT_NS;
        double kept = holds ? KEPT : 0;
        Mean known = before == null ? new Mean(0, 0, nowNs) : before;
        nodes.put(node, new Mean(known.bytes() * kept + bytes, known.ns() * kept + tookNs, nowNs));
    }

    /** Bytes a nanosecond; 0 when it is not known. */
    synchronized double of(String node, long nowNs) {
        Mean known = nodes.get(node);
        return known == null || nowNs - known.atNs() >= KEPT_NS ? 0 : known.bytesPerNs();
    }
}
