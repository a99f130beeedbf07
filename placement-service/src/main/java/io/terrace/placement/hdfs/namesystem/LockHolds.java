package io.terrace.placement.hdfs.namesystem;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.state.NamespaceView.Asker;
import java.util.concurrent.atomic.AtomicLong;

/** Accounts for all holds of the NameNode's lock: the figures, and the {@link LookBudget}. Thread-safe. */
final class LockHolds {

    private final MetricRegistry metricRegistry;
    private final LookBudget budget = new LookBudget(System::nanoTime);
    private final AtomicLong longestNs = new AtomicLong();

    LockHolds(MetricRegistry metricRegistry) {
        this.metricRegistry = metricRegistry;
        metricRegistry.gauge(Metric.PLACEMENT_LOCK_LONGEST_NANOSECONDS, longestNs::get);
    }

    void held(Asker asker, int blocks, long ns) {
        budget.held(asker, ns);
        metricRegistry.increment(Metric.PLACEMENT_LOCK_HOLDS);
        metricRegistry.add(Metric.PLACEMENT_LOCK_BLOCKS, blocks);
        metricRegistry.add(Metric.PLACEMENT_LOCK_NANOSECONDS, ns);
        metricRegistry.increment(looks(asker));
        metricRegistry.add(nanoseconds(asker), ns);
        longestNs.accumulateAndGet(ns, Math::max);
    }

    boolean mayLook(Asker asker) {
        return budget.isOpen(asker);
    }

    private static Metric looks(Asker asker) {
        return switch (asker) {
            case ORDERS -> Metric.PLACEMENT_LOOKS_ORDERS;
            case REPORTS -> Metric.PLACEMENT_LOOKS_REPORTS;
            case REVIEWS, VOLUMES, SATISFY, OFFERS -> Metric.PLACEMENT_LOOKS_REVIEWS;
            case OTHERS -> Metric.PLACEMENT_LOOKS_OTHERS;
        };
    }

    private static Metric nanoseconds(Asker asker) {
        return switch (asker) {
            case ORDERS -> Metric.PLACEMENT_LOOKS_ORDERS_NANOSECONDS;
            case REPORTS -> Metric.PLACEMENT_LOOKS_REPORTS_NANOSECONDS;
            case REVIEWS, VOLUMES, SATISFY, OFFERS -> Metric.PLACEMENT_LOOKS_REVIEWS_NANOSECONDS;
            case OTHERS -> Metric.PLACEMENT_LOOKS_OTHERS_NANOSECONDS;
        };
    }
}
