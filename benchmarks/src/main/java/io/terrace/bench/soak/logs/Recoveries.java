package io.terrace.bench.soak.logs;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many replicas the recoveries of last blocks had, as the NameNodes and the DataNodes logged it. A recovery of several
 * replicas is the one that can go wrong: they must agree on a length. Counts what it is told twice once. Not thread-safe.
 */
public final class Recoveries {
    private static final String NAMENODE = "namenode";
    private static final String DATANODE = "datanode";

    private static final Pattern UPDATED = Pattern.compile("updateReplica: .*recoveryId=(\\d+)");
    private static final Pattern OPEN =
            Pattern.compile("initReplicaRecovery: changing replica state for (blk_\\d+_\\d+) from RBW to RUR");
    private static final String REFUSED = ".InterDatanodeProtocol: Failed to ";

    private final Set<RecoveryKey> known = new HashSet<>();
    private final Map<String, Set<String>> updated = new TreeMap<>();
    private final Map<String, Set<String>> open = new TreeMap<>();
    private final Set<String> refused = new HashSet<>();
    private final Consumer<RecoveryLine> each;
    private long several;
    private long severalCut;
    private long single;
    private long deleted;

    /** After a failover a recovery may be logged by both NameNodes, for other DataNodes. */
    private record RecoveryKey(long block, long newBlock, long stamp) {}

    /** @param each takes every recovery once */
    public Recoveries(Consumer<RecoveryLine> each) {
        this.each = each;
    }

    /**
     * Takes a line in, of any daemon.
     *
     * @param daemon its name
     */
    public void take(String daemon, String line) {
        if (daemon.startsWith(NAMENODE)) {
            RecoveryLine.of(line).ifPresent(this::take);
        } else if (daemon.startsWith(DATANODE)) {
            takeOfDataNode(daemon, line);
        }
    }

    private void take(RecoveryLine line) {
        if (!known.add(new RecoveryKey(line.block(), line.newBlock(), line.stamp()))) {
            return;
        }
        each.accept(line);
        switch (line.targets().size()) {
            case 0 -> deleted++;
            case 1 -> single++;
            default -> {
                several++;
                severalCut += line.isCopy() ? 1 : 0;
            }
        }
    }

    private void takeOfDataNode(String datanode, String line) {
        if (line.contains("Replica")) {
            note(updated, UPDATED.matcher(line), datanode);
            note(open, OPEN.matcher(line), datanode);
        } else if (line.contains(REFUSED)) {
            refused.add(datanode + " " + line);
        }
    }

    private static void note(Map<String, Set<String>> where, Matcher matcher, String datanode) {
        if (matcher.find()) {
            where.computeIfAbsent(matcher.group(1), fresh -> new TreeSet<>()).add(datanode);
        }
    }

    private static long atSeveral(Map<String, Set<String>> where) {
        return where.values().stream().filter(datanodes -> datanodes.size() > 1).count();
    }

    /**
     * What was counted.
     *
     * <ul>
     *   <li>{@code recoveries}: that ended, without blocks that were deleted meanwhile
     *   <li>{@code .several}, {@code .single}: at so many DataNodes, by the NameNode's word
     *   <li>{@code .several.cut}: at several, of a file that was cut and of which a snapshot has what was there
     *   <li>{@code .several.updated}: at several, by the word of these DataNodes
     *   <li>{@code .several.open}: of replicas that were being written at several DataNodes
     *   <li>{@code .deleted}: of blocks that were deleted meanwhile
     *   <li>{@code .refused}: DataNodes that one was given up at
     * </ul>
     */
    public Map<String, Long> figures() {
        Map<String, Long> figures = new TreeMap<>();
        figures.put("recoveries", several + single);
        figures.put("recoveries.several", several);
        figures.put("recoveries.single", single);
        figures.put("recoveries.several.cut", severalCut);
        figures.put("recoveries.several.updated", atSeveral(updated));
        figures.put("recoveries.several.open", atSeveral(open));
        figures.put("recoveries.deleted", deleted);
        figures.put("recoveries.refused", (long) refused.size());
        return figures;
    }
}
