package io.terrace.bench.simulation.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What happened in one seed, line by line. A run without it only keeps a checksum of the events and of what was said of
 * them, which tells whether a replay is exact; the lines are formatted when a seed is replayed.
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

    /** A line for a person to read: which block and stamp it concerned, and how it came out. Nothing in it may differ between runs. */
    public void say(long atNs, String who, String format, Object... arguments) {
        add(who.hashCode());
        add(format.hashCode());
        for (Object argument : arguments) {
            // Not the hash of the argument itself: that of an enum, and of whatever holds one, differs between
            // processes.
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
