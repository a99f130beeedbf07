package io.terrace.bench.guides;

import io.terrace.bench.cluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** The pages with an application. */
enum Guide {
    HBASE(HBaseGuide::new),
    HIVE(HiveGuide::new),
    MAPREDUCE(MapReduceGuide::new),
    SPARK(SparkGuide::new);

    private final Start start;

    /** Sets an application up as its page says. */
    private interface Start {
        GuidedApplication application(GuidePage page, LocalCluster cluster, Path root, Path dir)
                throws IOException, InterruptedException;
    }

    Guide(Start start) {
        this.start = start;
    }

    /** In options and figures. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Relative to the checkout. */
    String page() {
        return "docs/guides/" + this + ".md";
    }

    String figure(String name) {
        return "guides." + this + "." + name;
    }

    GuidedApplication start(GuidePage page, LocalCluster cluster, Path root, Path dir)
            throws IOException, InterruptedException {
        return start.application(page, cluster, root, dir);
    }
}
