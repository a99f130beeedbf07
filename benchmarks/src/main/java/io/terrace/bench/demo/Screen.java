package io.terrace.bench.demo;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** The output of the demo: lines, with a progress bar on a terminal or a line now and then elsewhere. */
public final class Screen {
    private static final long LINE_EVERY_NS = Duration.ofSeconds(2).toNanos();
    private static final int BAR_COLUMNS = 100;
    private static final int BAR_REFRESH_MS = 200;

    private final PrintWriter out;
    private final boolean terminal;

    /** @param terminal whether {@code out} is watched on a terminal that a bar can be drawn on */
    public Screen(PrintWriter out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    public void line(String format, Object... values) {
        out.println(values.length == 0 ? format : String.format(Locale.ROOT, format, values));
        out.flush();
    }

    /** @param total of the phase, in a unit of the caller's choice */
    Progress phase(String name, long total) {
        return terminal ? new Bar(name, total) : new Lines(name, total);
    }

    /** A progress bar on a terminal. */
    private static final class Bar implements Progress {
        private final ProgressBar bar;

        Bar(String name, long total) {
            bar = new ProgressBarBuilder()
                    .setTaskName(name)
                    .setInitialMax(total)
                    .setStyle(ProgressBarStyle.ASCII)
                    .setMaxRenderedLength(BAR_COLUMNS)
                    .setUpdateIntervalMillis(BAR_REFRESH_MS)
                    .build();
        }

        @Override
        public void at(long done, String note) {
            bar.stepTo(done);
            bar.setExtraMessage(note);
        }

        @Override
        public void close() {
            bar.close();
        }
    }

    /** A line every other second, for a log. */
    private final class Lines implements Progress {
        private final String name;
        private final long total;
        private long lastNs = System.nanoTime();

        Lines(String name, long total) {
            this.name = name;
            this.total = total;
        }

        @Override
        public void at(long done, String note) {
            long nowNs = System.nanoTime();
            if (nowNs - lastNs >= LINE_EVERY_NS) {
                lastNs = nowNs;
                line("  %s %3d %%  %s", name, total == 0 ? 100 : 100 * done / total, note);
            }
        }

        @Override
        public void close() {}
    }
}
