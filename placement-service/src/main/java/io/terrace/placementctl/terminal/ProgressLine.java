package io.terrace.placementctl.terminal;

import java.io.PrintStream;

/**
 * A bar on standard error that is drawn over itself, once something took longer than {@value #QUIET_MS} ms; only where
 * that is a terminal, which {@code bin/placementctl} says with {@code -Dterrace.terminal=true}.
 */
public final class ProgressLine implements AutoCloseable {

    private static final long QUIET_MS = 1_000;
    private static final long REDRAW_MS = 200;
    private static final int BAR = 40;

    private final PrintStream out = System.err;
    private final boolean terminal = Boolean.getBoolean("terrace.terminal");
    private final String what;
    private final long total;
    private final long beganMs = System.nanoTime() / 1_000_000;
    private long drawnMs = beganMs + QUIET_MS - REDRAW_MS;
    private boolean drawn;

    public ProgressLine(String what, long total) {
        this.what = what;
        this.total = Math.max(1, total);
    }

    public void at(long done) {
        long nowMs = System.nanoTime() / 1_000_000;
        if (terminal && nowMs - drawnMs >= REDRAW_MS) {
            drawnMs = nowMs;
            drawn = true;
            long share = Math.max(0, Math.min(100, 100 * done / total));
            int filled = (int) (share * BAR / 100);
            out.printf("\r%s [%s%s] %d %% ", what, "#".repeat(filled), " ".repeat(BAR - filled), share);
            out.flush();
        }
    }

    @Override
    public void close() {
        if (drawn) {
            out.print("\r" + " ".repeat(what.length() + BAR + 12) + "\r");
            out.flush();
        }
    }
}
