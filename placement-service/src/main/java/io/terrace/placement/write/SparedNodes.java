package io.terrace.placement.write;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * DataNodes that take blocks slowly from whomever, compared with the second fastest of their rack, or the faster of two. They get
 * fewer blocks: as many as they can take while that one takes its own. What a DataNode sends on may come slowly to it, so what one of them says of the next
 * counts only where another one says the same. Bounded. Thread-safe; {@link #slow} takes no lock.
 */
public final class SparedNodes {
    static final int MOST_NODES = 4_096;

    /** Of what sends to a DataNode, the latest: it may have become slower since others did. */
    static final int MOST_SENDERS = 3;

    /** Faster ones are not spared. */
    private static final int SLOW_PERCENT = 60;

    /** Speeds are what DataNodes tell, so none is left out altogether for them. */
    private static final int LEAST_PERCENT = 10;

    private static final int WITNESSES = 2;
    static final long COMPARED_EVERY_NS = TimeUnit.SECONDS.toNanos(1);

    /**
     * A DataNode that is spared.
     *
     * @param node its UUID
     * @param percent of the speed that it is compared with, {@value #LEAST_PERCENT} at least
     */
    public record Slow(String node, int percent) {}

    private record Told(long bytesPerSecond, boolean forwarded, long atNs) {}

    /** The fastest two of a rack's DataNodes. */
    private record Fast(int nodes, long fastest, long second) {

        Fast and(Fast one) {
            return new Fast(
                    nodes + one.nodes,
                    Math.max(fastest, one.fastest),
                    Math.max(second, Math.min(fastest, one.fastest)));
        }

        /** Of three and more not the fastest: one alone is no measure of the others. */
        long usual() {
            return nodes < 3 ? fastest : second;
        }
    }

    private static final class Taker {
        private String rack = "";

        private final Map<String, Told> senders = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Told> eldest) {
                return size() > MOST_SENDERS;
            }
        };

        /** The fastest that anybody sends to it. */
        private long bytesPerSecond() {
            return senders.values().stream()
                    .mapToLong(Told::bytesPerSecond)
                    .max()
                    .orElse(0);
        }

        private boolean isKnown() {
            return senders.size() >= WITNESSES || senders.values().stream().anyMatch(told -> !told.forwarded());
        }
    }

    private final LongSupplier clockNs;
    private final Map<String, Taker> takers = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Taker> eldest) {
            return size() > MOST_NODES;
        }
    };

    private boolean compared;
    private long comparedNs;
    private volatile List<Slow> slow = List.of();

    /** None is known. */
    public SparedNodes(LongSupplier clockNs) {
        this.clockNs = clockNs;
    }

    /**
     * A DataNode says how fast it takes what a host sends.
     *
     * @param forwarded whether that is a DataNode that sends blocks on
     */
    public synchronized void told(String node, String rack, String host, boolean forwarded, long bytesPerSecond) {
        Taker taker = takers.computeIfAbsent(node, unused -> new Taker());
        taker.rack = rack;
        taker.senders.put(host, new Told(bytesPerSecond, forwarded, clockNs.getAsLong()));
    }

    /** Compares what was told since, once a second at most. To be called after the last {@link #told} of a heartbeat. */
    public synchronized void compare() {
        long nowNs = clockNs.getAsLong();
        if (compared && nowNs - comparedNs < COMPARED_EVERY_NS) {
            return;
        }
        compared = true;
        comparedNs = nowNs;
        takers.values().removeIf(taker -> {
            taker.senders.values().removeIf(told -> nowNs - told.atNs() >= WriteSpeeds.KEPT_NS);
            return taker.senders.isEmpty();
        });
        Map<String, Fast> racks = new HashMap<>();
        takers.values().forEach(taker -> racks.merge(taker.rack, new Fast(1, taker.bytesPerSecond(), 0), Fast::and));
        List<Slow> found = new ArrayList<>();
        takers.forEach((node, taker) -> {
            Fast rack = racks.get(taker.rack);
            long percent = rack == null ? 100 : 100 * taker.bytesPerSecond() / Math.max(1, rack.usual());
            if (percent < SLOW_PERCENT && taker.isKnown()) {
                found.add(new Slow(node, (int) Math.max(LEAST_PERCENT, percent)));
            }
        });
        slow = List.copyOf(found);
    }

    /** Those that are slow, as of the last {@link #compare}. */
    public List<Slow> slow() {
        return slow;
    }
}
