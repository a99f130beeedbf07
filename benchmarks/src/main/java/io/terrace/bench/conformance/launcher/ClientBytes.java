package io.terrace.bench.conformance.launcher;

import io.terrace.client.ClientMetrics;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileSystem;

/**
 * How many bytes the HDFS clients of this JVM read, and how many of them through grants; how many they wrote.
 *
 * <p>All bytes come from Hadoop's own statistics of the {@code hdfs} scheme, which count at the end of every read or write,
 * whoever served it; the granted ones, and every other figure of our client that is not zero, from our client.
 */
final class ClientBytes {
    private static final String SCHEME = "hdfs";

    /** Bytes through the file, and over tcp or verbs. */
    private static final Pattern GRANTED = Pattern.compile("client\\.(granted\\.shm|remote)\\.bytes");

    private ClientBytes() {}

    /** The figures of this JVM until now. On stock our client is not even on the class path. */
    static Map<String, Long> ofThisJvm(Side side) {
        Map<String, Long> figures = side == Side.TERRACE ? OurClient.figures() : new TreeMap<>();
        figures.put(TestRun.Figure.READ_BYTES, sum(FileSystem.Statistics::getBytesRead));
        figures.put(TestRun.Figure.WRITTEN_BYTES, sum(FileSystem.Statistics::getBytesWritten));
        figures.put(TestRun.Figure.ERASURE_CODED_BYTES, sum(FileSystem.Statistics::getBytesReadErasureCoded));
        return figures;
    }

    @SuppressWarnings("deprecation") // GlobalStorageStatistics wraps the very same counters.
    private static long sum(ToLongFunction<FileSystem.Statistics> counter) {
        return FileSystem.getAllStatistics().stream()
                .filter(statistics -> SCHEME.equals(statistics.getScheme()))
                .mapToLong(counter)
                .sum();
    }

    /** A separate class, so that it is loaded on Terrace's side only. */
    private static final class OurClient {
        private OurClient() {}

        static Map<String, Long> figures() {
            Map<String, Long> figures = new TreeMap<>(ClientMetrics.snapshot());
            long granted = figures.entrySet().stream()
                    .filter(figure -> GRANTED.matcher(figure.getKey()).matches())
                    .mapToLong(Map.Entry::getValue)
                    .sum();
            figures.values().removeIf(value -> value == 0);
            figures.put(TestRun.Figure.GRANTED_BYTES, granted);
            return figures;
        }
    }
}
