package io.terrace.bench.soak;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** The faults of a seed, one after another. Draws the same with Terrace and on stock HDFS. */
final class SoakPlan {
    private static final long LEAST_HANG_MS = 1_000;
    private static final long MOST_HANG_MS = 8_000;

    private final RandomGenerator random;
    private final int datanodes;
    private final int clients;
    private final int survivingDatanode;
    private final int survivingClient;
    private final boolean namenodeSurvives;
    private final boolean pair;
    private final List<SoakFault> faults;

    /**
     * A fault.
     *
     * @param datanode the one that it concerns, counted from 1
     * @param client the one that it concerns, counted from 1
     * @param gapMs how long after the last one it comes
     * @param lastsMs how long it lasts, for faults that end
     * @param draw decides what else there is to decide
     */
    record Injection(SoakFault fault, int datanode, int client, long gapMs, long lastsMs, long draw) {
        Injection as(SoakFault other) {
            return new Injection(other, datanode, client, gapMs, lastsMs, draw);
        }
    }

    /** @param pair whether there are two NameNodes */
    SoakPlan(long seed, int datanodes, int clients, boolean pair) {
        this.random = new SplittableRandom(seed * 0x9e3779b97f4a7c15L + 22);
        this.datanodes = datanodes;
        this.clients = clients;
        this.pair = pair;
        this.faults = Arrays.stream(SoakFault.values())
                .filter(fault -> pair || fault.kind() != SoakFault.Kind.PAIR)
                .toList();
        // What is never killed shows what leaks.
        this.survivingDatanode = 1 + random.nextInt(datanodes);
        this.survivingClient = 1 + random.nextInt(clients);
        this.namenodeSurvives = random.nextBoolean();
    }

    int survivingDatanode() {
        return survivingDatanode;
    }

    int survivingClient() {
        return survivingClient;
    }

    /** Whether the only NameNode is never killed. */
    boolean namenodeSurvives() {
        return namenodeSurvives && !pair;
    }

    /** Number of the NameNode of a pair that is never killed. */
    int survivingNameNode() {
        return namenodeSurvives ? 0 : 1;
    }

    Injection next() {
        int total = faults.stream().mapToInt(SoakFault::weight).sum();
        int at = random.nextInt(total);
        SoakFault drawn = SoakFault.KILL_DATANODE;
        for (SoakFault fault : faults) {
            if (at >= 0 && at < fault.weight()) {
                drawn = fault;
            }
            at -= fault.weight();
        }
        int datanode = 1 + random.nextInt(datanodes);
        int client = 1 + random.nextInt(clients);
        long gapMs = 100 + random.nextLong(1_900);
        long lastsMs = random.nextInt(5) == 0 ? 3_000 + random.nextLong(9_000) : 100 + random.nextLong(2_500);
        long draw = random.nextLong();
        if (drawn == SoakFault.KILL_DATANODE && datanode == survivingDatanode) {
            datanode = 1 + datanode % datanodes;
        }
        if (drawn == SoakFault.KILL_CLIENT && client == survivingClient) {
            client = 1 + client % clients;
        }
        if (drawn == SoakFault.KILL_NAMENODE && namenodeSurvives && !pair) {
            drawn = SoakFault.STOP_NAMENODE;
        }
        if (drawn == SoakFault.HANG_AND_FAIL_OVER) {
            lastsMs = LEAST_HANG_MS + Math.floorMod(draw, MOST_HANG_MS - LEAST_HANG_MS);
        }
        return new Injection(drawn, datanode, client, gapMs, lastsMs, draw);
    }
}
