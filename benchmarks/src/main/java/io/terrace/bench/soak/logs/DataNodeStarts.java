package io.terrace.bench.soak.logs;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When DataNodes last started, by their logs: with that HDFS removes what is in {@code tmp}. Lines may come in any order, and twice.
 * Not thread-safe.
 */
final class DataNodeStarts {
    /**
     * Hadoop 3.5 logs it once in a process, before it removes what is in {@code tmp}. What is better known is at level DEBUG ("metrics
     * system started"), or of a logger that the daemons of the soak keep silent ("STARTUP_MSG").
     */
    private static final String STARTED = ".datanode.BlockScanner: Initialized block scanner";

    private static final Pattern TIME = Pattern.compile("^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d,\\d{3}");

    private final Map<String, String> started = new HashMap<>();

    /** The time that a line begins with; empty if it has none. Later ones are greater as text. */
    static Optional<String> time(String line) {
        Matcher time = TIME.matcher(line);
        return time.find() ? Optional.of(time.group()) : Optional.empty();
    }

    /** The later one of two times. */
    static String later(String one, String other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    /**
     * Takes a line in, of any daemon.
     *
     * @param daemon its name
     */
    void take(String daemon, String line) {
        if (line.contains(STARTED)) {
            time(line).ifPresent(time -> started.merge(daemon, time, DataNodeStarts::later));
        }
    }

    /** Whether a DataNode has started at a time or since. */
    boolean hasStartedSince(String datanode, String time) {
        return started.getOrDefault(datanode, "").compareTo(time) >= 0;
    }
}
