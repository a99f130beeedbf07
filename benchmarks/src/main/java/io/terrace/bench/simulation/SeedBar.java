package io.terrace.bench.simulation;

import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import org.jspecify.annotations.Nullable;

/** A progress bar of the seeds, only on a terminal ({@code bin/terrace} sets {@code -Dterrace.terminal=true} there). */
final class SeedBar implements AutoCloseable {
    private final @Nullable ProgressBar bar;

    SeedBar(String what, long seeds) {
        bar = Boolean.getBoolean("terrace.terminal")
                ? new ProgressBarBuilder()
                        .setTaskName(what)
                        .setInitialMax(seeds)
                        .clearDisplayOnFinish()
                        .build()
                : null;
    }

    void step() {
        if (bar != null) {
            bar.step();
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
