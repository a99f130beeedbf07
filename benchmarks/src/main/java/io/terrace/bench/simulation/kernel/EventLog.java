package io.terrace.bench.simulation.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The events of one seed, line by line. A normal run only keeps a checksum of events and lines, which shows whether a
 * replay is exact. Lines are formatted when a seed is replayed.
 */
public final class EventLog {

    private final boolean kept;
    private final List<String> lines = new ArrayList<>();
    private long checksum;

    public EventLog(boolean kept) {
        this.kept = kept;
    }

    /** An event took place; {@code what} is a constant, so its hash is the same in every process. */
    void step(long atNs, String what) {
        add(what.hashCode());
        add(atNs);
    }

    /** Adds a line for people: which block and stamp, and the outcome. It must be the same in every run of a seed. */
    public void say(long atNs, String who, String format, Object... arguments) {
        add(who.hashCode());
        add(format.hashCode());
        for (Object argument : arguments) {
            // The hash of the text: that of an enum, or of an object with one, differs between processes.
            add(String.valueOf(argument).hashCode());
        }
        if (kept) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%10.3f ms  %-10s %s",
                    atNs / 1e6,
                    who,
                    String.format(Locale.ROOT, format, arguments)));
        }
    }

    private void add(long what) {
        checksum = 31 * checksum + what;
    }

    public List<String> lines() {
        return lines;
    }

    /** Equal in two runs of one seed. */
    public long checksum() {
        return checksum;
    }
}
