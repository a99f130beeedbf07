package io.terrace.bench.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What happened in one seed, line by line. A run without it only keeps a checksum of the sequence of events, which tells
 * whether a replay is exact; the lines are formatted when a seed is replayed.
 */
final class EventLog {

    private final boolean kept;
    private final List<String> lines = new ArrayList<>();
    private long checksum;

    EventLog(boolean kept) {
        this.kept = kept;
    }

    /** An event took place; {@code what} is a constant, so its hash is the same in every process. */
    void step(long atNs, String what) {
        checksum = 31 * (31 * checksum + what.hashCode()) + atNs;
    }

    /** A line for a person to read. */
    void say(long atNs, String who, String format, Object... arguments) {
        if (kept) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%10.3f ms  %-10s %s",
                    atNs / 1e6,
                    who,
                    String.format(Locale.ROOT, format, arguments)));
        }
    }

    List<String> lines() {
        return lines;
    }

    /** Equal in two runs of one seed. */
    long checksum() {
        return checksum;
    }
}
