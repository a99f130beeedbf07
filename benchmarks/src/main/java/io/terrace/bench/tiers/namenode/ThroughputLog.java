package io.terrace.bench.tiers.namenode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.DoubleStream;

/** What {@link ThroughputMain} printed, among other lines. */
final class ThroughputLog {

    private final Map<String, List<Double>> perSecond = new HashMap<>();
    private final Map<String, List<Double>> cpuUs = new HashMap<>();
    private final Map<String, List<Double>> senders = new HashMap<>();
    private final Map<String, Looks> looks = new TreeMap<>();
    private double seconds;
    private double holds;
    private double blocks;
    private double heldNs;
    private double moves;
    private double movesSeconds;
    private double writeLockNs;

    private record Looks(double holds, double ns) {
        Looks and(Looks other) {
            return new Looks(holds + other.holds, ns + other.ns);
        }
    }

    /** Adds all that a process printed. */
    void add(String text) {
        for (String line : text.split("\n", -1)) {
            String[] words = line.strip().split(" ", -1);
            switch (words[0]) {
                case ThroughputMain.RATE -> perSecond
                        .computeIfAbsent(words[1] + " " + words[2], unused -> new ArrayList<>())
                        .add(number(words[3]));
                case ThroughputMain.COST -> cpuUs.computeIfAbsent(
                                words[1] + " " + words[2], unused -> new ArrayList<>())
                        .add(1e6 * number(words[4]) / number(words[3]));
                case ThroughputMain.SENDER -> senders.computeIfAbsent(words[1], unused -> new ArrayList<>())
                        .add(number(words[2]));
                case ThroughputMain.HELD -> {
                    seconds += number(words[1]);
                    holds += number(words[2]);
                    blocks += number(words[3]);
                    heldNs += number(words[4]);
                }
                case ThroughputMain.LOOKS -> looks.merge(
                        words[1], new Looks(number(words[2]), number(words[3])), Looks::and);
                case ThroughputMain.REPORTED -> {
                    movesSeconds += number(words[1]);
                    moves += number(words[2]);
                    writeLockNs += number(words[4]);
                }
                default -> {}
            }
        }
    }

    private static double number(String word) {
        return Double.parseDouble(word);
    }

    /** Operations a second of each pair, in order. */
    double[] perSecond(String operation, String cluster) {
        return all(perSecond, operation + " " + cluster).toArray();
    }

    /** Microseconds of the NameNode's processor time for a call of each turn, in order, whatever else it did included. */
    double[] cpuUs(String operation, String cluster) {
        return all(cpuUs, operation + " " + cluster).toArray();
    }

    /** Processors that the process kept busy which sends for DataNodes. */
    double sender(String cluster) {
        return all(senders, cluster).average().orElse(0);
    }

    private static DoubleStream all(Map<String, List<Double>> values, String key) {
        return values.getOrDefault(key, List.of()).stream().mapToDouble(Double::doubleValue);
    }

    /** Part of the time of all turns with Terrace in which our service held the NameNode's lock. */
    double lockShare() {
        return heldNs / 1e9 / seconds;
    }

    /** What the lock was held for. */
    Set<String> askers() {
        return looks.keySet();
    }

    /** As {@link #lockShare}, for one purpose. */
    double lockShare(String asker) {
        Looks its = looks.get(asker);
        return its == null ? 0 : its.ns / 1e9 / seconds;
    }

    double holdsPerSecond(String asker) {
        Looks its = looks.get(asker);
        return its == null ? 0 : its.holds / seconds;
    }

    double holdsPerSecond() {
        return holds / seconds;
    }

    double blocksPerSecond() {
        return blocks / seconds;
    }

    double movesPerSecond() {
        return moves / movesSeconds;
    }

    /** Microseconds of the write lock for the report of a moved replica, on the average. */
    double writeLockUs() {
        return writeLockNs / moves / 1e3;
    }
}
