package io.terrace.bench.soak.logs;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Moves of replicas between the volumes of a DataNode: those that ended, as DataNodes logged them, and those that a change of
 * the replica overtook, by the word of the placement services; and how often DataNodes heard a service that is active no more. Not
 * thread-safe.
 */
public final class VolumeMoves {
    private static final String MOVER = ".volume.VolumeMove: Moved ";
    private static final Pattern UP = Pattern.compile(" from \\S*/disk\\S* to \\S*/ssd");
    private static final String CHANGED = "placement.volume.moves.changed";
    private static final String OUTRANKED = "heartbeats.outranked";

    /** A line may be told twice, when its log is rolled. */
    private final Set<String> moved = new HashSet<>();

    private final Map<Long, Long> changed = new HashMap<>();
    private final Map<Long, Long> outranked = new HashMap<>();
    private long up;

    /**
     * Takes a line in, of any daemon.
     *
     * @param daemon its name
     */
    public void take(String daemon, String line) {
        if (line.contains(MOVER)
                && moved.add(daemon + " " + line)
                && UP.matcher(line).find()) {
            up++;
        }
    }

    /**
     * Takes figures of a placement service in, which begin anew with its NameNode.
     *
     * @param pid of the NameNode
     */
    public void takeOfService(long pid, Map<String, Long> figures) {
        changed.merge(pid, figures.getOrDefault(CHANGED, 0L), Math::max);
    }

    /** The same of a DataNode. */
    public void takeOfDataNode(long pid, Map<String, Long> figures) {
        outranked.merge(pid, figures.getOrDefault(OUTRANKED, 0L), Math::max);
    }

    /**
     * {@code volume.moved}, {@code volume.moved.up}: of these to the faster volume, {@code volume.moves.changed}, and {@code
     * heartbeats.outranked}: answered by a service that another one had taken over from.
     */
    public Map<String, Long> figures() {
        Map<String, Long> figures = new TreeMap<>();
        figures.put("volume.moved", (long) moved.size());
        figures.put("volume.moved.up", up);
        figures.put("volume.moves.changed", sum(changed));
        figures.put(OUTRANKED, sum(outranked));
        return figures;
    }

    private static long sum(Map<Long, Long> byProcess) {
        return byProcess.values().stream().mapToLong(Long::longValue).sum();
    }
}
