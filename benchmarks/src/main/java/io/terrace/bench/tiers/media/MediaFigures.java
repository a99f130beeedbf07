package io.terrace.bench.tiers.media;

import java.util.Locale;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.lib.MetricsRegistry;
import org.apache.hadoop.metrics2.lib.MutableCounterLong;

/** Bytes that clients were sent by the storage type that they came from, among the DataNode's own metrics. Thread-safe. */
public final class MediaFigures implements MetricsSource {

    private final MetricsRegistry registry = new MetricsRegistry("ModelledMedia");
    private final MutableCounterLong ssdBytes = registry.newCounter("SsdSentBytes", "from SSD", 0L);
    private final MutableCounterLong otherBytes = registry.newCounter("OtherSentBytes", "from other media", 0L);

    /** Name of a figure on the DataNode's page for Prometheus. */
    public static String name(StorageType type) {
        String which = type == StorageType.SSD ? "ssd" : "other";
        return String.format(Locale.ROOT, "modelled_media_%s_sent_bytes", which);
    }

    static MediaFigures registered() {
        MediaFigures figures = new MediaFigures();
        DefaultMetricsSystem.instance().register("ModelledMedia", "Media of set speed", figures);
        return figures;
    }

    void sent(StorageType type, long bytes) {
        (type == StorageType.SSD ? ssdBytes : otherBytes).incr(bytes);
    }

    @Override
    public void getMetrics(MetricsCollector collector, boolean all) {
        registry.snapshot(collector.addRecord(registry.info()), all);
    }
}
