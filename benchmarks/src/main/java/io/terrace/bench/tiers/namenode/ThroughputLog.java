package io.terrace.bench.tiers.namenode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What {@link ThroughputMain} printed, among the lines of NNThroughputBenchmark's own log. */
final class ThroughputLog {

    private static final String PER_SECOND = "Ops per sec: ";

    private final Map<String, List<Double>> perSecond = new HashMap<>();
    private double ranNs;
    private double heldNs;
    private double moves;
    private double movesNs;
    private double writeLockNs;

    /** Adds all that a process printed. */
    void add(String text) {
        String run = "";
        double tookNs = 0;
        for (String line : text.split("\n", -1)) {
            String[] words = line.split(" ", -1);
            if (words[0].equals(ThroughputMain.RUN)) {
                run = words[1] + " " + words[2];
            } else if (words[0].equals(ThroughputMain.HELD)) {
                tookNs = Double.parseDouble(words[1]);
                ranNs += tookNs;
                heldNs += Double.parseDouble(words[2]);
            } else if (words[0].equals(ThroughputMain.REPORTED)) {
                moves += Double.parseDouble(words[1]);
                movesNs += tookNs;
                writeLockNs += Double.parseDouble(words[2]) * Double.parseDouble(words[3]);
            } else if (line.contains(PER_SECOND) && !run.isEmpty()) {
                double value = Double.parseDouble(line.substring(line.indexOf(PER_SECOND) + PER_SECOND.length()));
                perSecond.computeIfAbsent(run, unused -> new ArrayList<>()).add(value);
                run = "";
            }
        }
    }

    /** Operations a second of each run, in order. */
    double[] perSecond(String operation, String cluster) {
        return perSecond.getOrDefault(operation + " " + cluster, List.of()).stream()
                .mapToDouble(Double::doubleValue)
                .toArray();
    }

    /** Part of the time of all runs with Terrace in which our service held the NameNode's lock. */
    double lockShare() {
        return heldNs / ranNs;
    }

    double movesPerSecond() {
        return moves / (movesNs / 1e9);
    }

    /** Microseconds of the write lock for the report of a moved replica, on the average. */
    double writeLockUs() {
        return writeLockNs / moves / 1e3;
    }
}
