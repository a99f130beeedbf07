package io.terrace.bench.apps;

import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.measure.ClientVariant;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A Spark program in one JVM ({@code local[2]}) that has read a directory through Terrace and does nothing more until it is
 * closed. The program is benchmarks/workloads/spark/SparkSort.java.
 */
public final class SparkReader implements Closeable {
    private static final int LIMIT_SECONDS = 300;

    private final JavaProcess spark;

    /**
     * Starts it, and waits until it has read.
     *
     * @param root of the checkout
     * @param dir of its configuration and log
     * @param input directory in HDFS, of lines of text
     * @param options more options of its JVM
     */
    public SparkReader(LocalCluster cluster, Path root, Path dir, String input, List<String> options)
            throws IOException {
        JavaProcess.Home home = new JavaProcess.Home(dir.resolve("logs"), ApplicationJars.classPath("spark", root));
        Path conf = ApplicationConf.write(dir.resolve("conf"), cluster, ClientVariant.local(cluster), Map.of());
        List<String> all = new ArrayList<>(SparkApplication.options(dir.resolve("spill")));
        all.addAll(options);
        spark = home.start(
                "spark-read",
                conf,
                all,
                List.of(
                        root.resolve("benchmarks/workloads/spark/SparkSort.java")
                                .toString(),
                        "read",
                        input));
        boolean ready = false;
        try {
            spark.awaitWords("read.sum: ", LIMIT_SECONDS);
            ready = true;
        } finally {
            if (!ready) {
                close();
            }
        }
    }

    @Override
    public void close() throws IOException {
        spark.close();
    }
}
