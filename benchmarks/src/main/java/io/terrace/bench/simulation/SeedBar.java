package io.terrace.bench.simulation;

import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import org.jspecify.annotations.Nullable;

/**
 * How many of the seeds have run, drawn over itself; only on a terminal, which {@code bin/terrace} says with
 * {@code -Dterrace.terminal=true}.
 */
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
