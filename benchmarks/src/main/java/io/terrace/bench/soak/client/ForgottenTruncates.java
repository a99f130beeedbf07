package io.terrace.bench.soak.client;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Files that HDFS never closes again: they were cut while a snapshot had them, and the NameNode was started again before a
 * DataNode had made the new last block. That block has no location then, and nobody recovers it. Stock HDFS 3.5 does the same.
 * Not thread-safe.
 */
final class ForgottenTruncates {
    /** After a start of the NameNode, DataNodes have told it of their replicas within this time. */
    private static final long TOLD_WITHIN_NS = TimeUnit.SECONDS.toNanos(60);

    private final Map<Integer, Long> sinceNs = new HashMap<>();

    /**
     * Takes in how a file stands now; returns whether it is forgotten.
     *
     * @param file its number
     * @param explained whether its writer waits for a truncate that HDFS may forget
     * @param located whether its last block has a location
     */
    boolean isForgotten(int file, boolean explained, boolean located, long nowNs) {
        if (!explained || located) {
            sinceNs.remove(file);
            return false;
        }
        return nowNs - sinceNs.computeIfAbsent(file, fresh -> nowNs) > TOLD_WITHIN_NS;
    }
}
