package io.terrace.datanode.move;

import io.terrace.common.TokenBucket;
import java.util.HashMap;
import java.util.Map;

/**
 * The rate of copies and moves that the services of several namespaces order: the lowest of what each last said, of those
 * that have orders under way, and of the DataNode's own limit, which alone holds while there are none. So no namespace
 * lifts the limit of another. Thread-safe.
 */
final class SharedRateLimit {

    /** What one service allows, and its orders under way. */
    private static final class Share {
        long bytesPerSecond;
        int orders;
    }

    private final TokenBucket tokenBucket;
    private final long ownBytesPerSecond;
    private final Map<String, Share> shares = new HashMap<>();

    /** @param ownBytesPerSecond the DataNode's own limit; 0 is none, here as in what services say */
    SharedRateLimit(TokenBucket tokenBucket, long ownBytesPerSecond) {
        this.tokenBucket = tokenBucket;
        this.ownBytesPerSecond = ownBytesPerSecond;
    }

    /** An order of this pool begins, and allows this much; {@link #ended} must follow. */
    synchronized void begun(String pool, long bytesPerSecond) {
        Share share = shares.computeIfAbsent(pool, unknown -> new Share());
        share.bytesPerSecond = bytesPerSecond;
        share.orders++;
        apply();
    }

    synchronized void ended(String pool) {
        Share share = shares.get(pool);
        if (share == null) {
            throw new IllegalStateException("no order of " + pool + " is under way");
        }
        share.orders--;
        if (share.orders == 0) {
            shares.remove(pool);
        }
        apply();
    }

    private void apply() {
        long least = ownBytesPerSecond;
        for (Share share : shares.values()) {
            least = least(least, share.bytesPerSecond);
        }
        tokenBucket.rate(least);
    }

    private static long least(long a, long b) {
        return a == 0 ? b : b == 0 ? a : Math.min(a, b);
    }
}
