package io.terrace.placement.heartbeat;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * How much of one heartbeat is decoded: so many entries of each list, and texts of so many characters. Honest DataNodes stay
 * below. What is cut is counted.
 *
 * @param entries of heat, residency and results
 */
record HeartbeatLimits(int entries, MetricRegistry metricRegistry) {

    static final int MOST_TIERS = 16;
    static final int MOST_CONDITIONS = 64;
    static final int MOST_FIGURES = 512;
    static final int MOST_READER_HOSTS = 8_192;

    /** Hosts of readers of one block. */
    static final int MOST_READERS = 16;

    /** Characters of a host's name, or of the id of a figure or condition. */
    static final int LONGEST_NAME = 255;

    /** Characters of what a person is to read. */
    static final int LONGEST_TEXT = 1024;

    /** Decodes a list, or as much of it as is taken. */
    <P, T> List<T> first(int most, List<P> protos, Function<P, T> decode) {
        int taken = Math.min(protos.size(), most);
        count(protos.size() - taken);
        List<T> decoded = new ArrayList<>(taken);
        for (int i = 0; i < taken; i++) {
            decoded.add(decode.apply(protos.get(i)));
        }
        return List.copyOf(decoded);
    }

    String name(String name) {
        return cut(LONGEST_NAME, name);
    }

    String text(String text) {
        return cut(LONGEST_TEXT, text);
    }

    private String cut(int longest, String text) {
        count(text.length() > longest ? 1 : 0);
        return text.substring(0, Math.min(longest, text.length()));
    }

    private void count(int cut) {
        if (cut > 0) {
            metricRegistry.add(Metric.PLACEMENT_HEARTBEAT_ENTRIES_CUT, cut);
        }
    }
}
