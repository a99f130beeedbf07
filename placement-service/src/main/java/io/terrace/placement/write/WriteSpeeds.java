package io.terrace.placement.write;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How fast the clients of each host write to DataNodes, as these tell it. A speed that is not told again is forgotten, so that
 * a DataNode that was slow is tried again. Bounded. Thread-safe; reading takes no lock.
 */
public final class WriteSpeeds {
    /** How long a speed holds. */
    public static final long KEPT_NS = TimeUnit.MINUTES.toNanos(5);

    static final int MOST_HOSTS = 2_048;
    static final int MOST_NODES = 128;

    /** No link and no memory is faster. */
    private static final long MOST_BYTES_PER_SECOND = 1L << 42;

    private static final int LONGEST_HOST = 64;

    /**
     * How fast one host writes to a DataNode.
     *
     * @param node UUID of the DataNode
     * @param toldNs when it was told
     */
    public record Speed(String node, long bytesPerSecond, long toldNs) {}

    private final Cache<String, List<Speed>> hosts;
    private final LongSupplier clockNs;

    /** An empty one. */
    public WriteSpeeds(LongSupplier clockNs) {
        this.clockNs = clockNs;
        Ticker ticker = clockNs::getAsLong;
        this.hosts = Caffeine.newBuilder()
                .maximumSize(MOST_HOSTS)
                .expireAfterWrite(KEPT_NS, TimeUnit.NANOSECONDS)
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
    }

    /** Whether that may be a host's address and its speed. */
    public static boolean isPossible(String host, long bytesPerSecond) {
        return !host.isEmpty()
                && host.length() <= LONGEST_HOST
                && bytesPerSecond > 0
                && bytesPerSecond <= MOST_BYTES_PER_SECOND;
    }

    /**
     * A DataNode says how fast a host writes to it.
     *
     * @return false when that cannot be, and nothing is kept
     */
    public boolean told(String node, String host, long bytesPerSecond) {
        if (!isPossible(host, bytesPerSecond)) {
            return false;
        }
        long nowNs = clockNs.getAsLong();
        hosts.asMap().compute(host, (same, known) -> with(known, new Speed(node, bytesPerSecond, nowNs)));
        return true;
    }

    /** The fastest first; where there are too many, the one told longest ago goes. */
    private static List<Speed> with(@Nullable List<Speed> known, Speed told) {
        List<Speed> all = new ArrayList<>(known == null ? 1 : known.size() + 1);
        boolean placed = false;
        Speed oldest = null;
        for (Speed speed : known == null ? List.<Speed>of() : known) {
            if (speed.node().equals(told.node()) || told.toldNs() - speed.toldNs() >= KEPT_NS) {
                continue;
            }
            if (!placed && speed.bytesPerSecond() <= told.bytesPerSecond()) {
                all.add(told);
                placed = true;
            }
            all.add(speed);
            if (oldest == null || speed.toldNs() - oldest.toldNs() <= 0) {
                oldest = speed;
            }
        }
        if (!placed) {
            all.add(told);
        }
        if (oldest != null && all.size() > MOST_NODES) {
            all.remove(oldest);
        }
        return Collections.unmodifiableList(all);
    }

    /** What holds of a host, the fastest first. */
    public List<Speed> of(String host) {
        List<Speed> known = hosts.getIfPresent(host);
        return known == null ? List.of() : known;
    }

    /** How long ago it was told. */
    public long ageMs(Speed speed) {
        return TimeUnit.NANOSECONDS.toMillis(Math.max(0, clockNs.getAsLong() - speed.toldNs()));
    }

    boolean holds(Speed speed) {
        return clockNs.getAsLong() - speed.toldNs() < KEPT_NS;
    }

    /** Hosts of which something is known. */
    public long hosts() {
        return hosts.estimatedSize();
    }
}
