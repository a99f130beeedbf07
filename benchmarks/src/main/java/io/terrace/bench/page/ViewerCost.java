package io.terrace.bench.page;

import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.measure.ProcessTime;
import io.terrace.bench.measure.ResultSheet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What those who look at the page cost the NameNode: time with and without them, in turns. The samples for the page's history,
 * which are taken whether anybody looks or not, are in both.
 */
final class ViewerCost {
    private static final int VIEWERS = 10;
    private static final int PAIRS = 5;
    private static final long WINDOW_MS = 20_000;
    private static final double MOST_PERCENT = 2;
    private static final String LOCKS = "placement.lock.holds";

    private final LocalCluster cluster;
    private final PlacementAdmin admin;
    private final String page;

    ViewerCost(LocalCluster cluster, PlacementAdmin admin, String page) {
        this.cluster = cluster;
        this.admin = admin;
        this.page = page;
    }

    /** Nothing may be pinned: the service itself looks at pinned files every few seconds, under the lock. */
    void measure(ResultSheet sheet) throws IOException {
        ProcessTime nameNode = new ProcessTime(cluster.namenode());
        List<Double> percents = new ArrayList<>();
        int rounds = 0;
        // The code of both is compiled by then.
        try (Viewers warm = new Viewers(page, VIEWERS)) {
            JavaProcess.pause(WINDOW_MS);
        }
        long locksBefore = locks();
        for (int i = 0; i < PAIRS; i++) {
            double without = nameNode.secondsDuring(() -> JavaProcess.pause(WINDOW_MS));
            try (Viewers viewers = new Viewers(page, VIEWERS)) {
                double with = nameNode.secondsDuring(() -> JavaProcess.pause(WINDOW_MS));
                percents.add(100 * (with - without) * 1000 / WINDOW_MS);
                sheet.progress("NameNode: %.2f s without viewers, %.2f s with, of %d s"
                        .formatted(without, with, WINDOW_MS / 1000));
                rounds += viewers.rounds();
            }
        }
        long locks = locks() - locksBefore;
        Collections.sort(percents);
        sheet.note("page.viewers", VIEWERS, "");
        sheet.note("page.viewers.rounds", rounds, "");
        sheet.below("page.viewers.core_percent", percents.get(PAIRS / 2), MOST_PERCENT);
        sheet.exactly("page.viewers.locks", locks, 0);
    }

    private long locks() throws IOException {
        return admin.serviceFigures().getOrDefault(LOCKS, 0L);
    }
}
