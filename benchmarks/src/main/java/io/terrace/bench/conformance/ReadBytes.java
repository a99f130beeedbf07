package io.terrace.bench.conformance;

import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.FileSystem;

/** How many bytes the HDFS clients of this JVM read, and how many of them through grants. */
final class ReadBytes {
    private static final String SCHEME = "hdfs";

    private ReadBytes() {}

    /** The figures of this JVM until now; without our jars on the class path only Hadoop's own. */
    static Map<String, Long> ofThisJvm() {
        Map<String, Long> figures = new TreeMap<>();
        figures.put(TestRun.Figure.READ_BYTES, bytesRead());
        return figures;
    }

    @SuppressWarnings("deprecation") // The global statistics do not tell file systems of one scheme apart either.
    private static long bytesRead() {
        long bytes = 0;
        for (FileSystem.Statistics statistics : FileSystem.getAllStatistics()) {
            if (SCHEME.equals(statistics.getScheme())) {
                bytes += statistics.getBytesRead();
            }
        }
        return bytes;
    }
}
