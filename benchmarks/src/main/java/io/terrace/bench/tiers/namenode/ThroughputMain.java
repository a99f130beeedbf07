package io.terrace.bench.tiers.namenode;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * The process of the clients: calls two clusters in turns, as A B B A for each pair, and prints what each did. A process of its
 * own, since the class path of {@code bin/terrace} has no test jars.
 *
 * <p>Arguments: the directories of the stock cluster and of the one with Terrace, pairs, milliseconds of a run, DataNodes that
 * move replicas.
 */
public final class ThroughputMain {

    /** Followed by the operation, the cluster, and the calls a second of both runs of a pair. */
    static final String RATE = "RATE";

    /** Followed by the operation, the cluster, calls of a turn, and seconds of the NameNode's processor time meanwhile. */
    static final String COST = "COST";

    /** Followed by the cluster, and processors that the sender took in a turn. */
    static final String SENDER = "SENDER";

    /** Followed by seconds of a turn with Terrace, and our service's holds of the lock, the blocks and nanoseconds of them. */
    static final String HELD = "HELD";

    /**
     * Followed by seconds, moves, holds of the NameNode's write lock for reports of replicas, and nanoseconds of all of them.
     * One hold is for all reports that wait.
     */
    static final String REPORTED = "REPORTED";

    /** Followed by what for, holds of the lock for it in a turn with Terrace, and their nanoseconds. */
    static final String LOOKS = "LOOKS";

    static final String OPEN = "open";
    static final String CREATE = "create";

    /** Until the JVMs have compiled what runs. */
    private static final int WARM_UPS = 4;

    private static final long WARM_UP_MS = 1_500;

    /** A NameNode has served more heartbeats than come in the seconds of a warm-up: some ten thousand. */
    private static final long WARM_UP_SENT_MS = 10_000;

    private static final int WARM_UP_HURRY = 50;

    private ThroughputMain() {}

    public static void main(String[] args) throws IOException {
        int pairs = Integer.parseInt(args[2]);
        long ms = Long.parseLong(args[3]);
        int movingNodes = Integer.parseInt(args[4]);
        try (Arm stock = new Arm(Path.of(args[0]), movingNodes);
                Arm terrace = new Arm(Path.of(args[1]), movingNodes)) {
            stock.stop();
            terrace.stop();
            Sides sides = new Sides(stock, terrace);
            for (Arm arm : List.of(terrace, stock)) {
                arm.go();
                arm.send(WARM_UP_SENT_MS, WARM_UP_HURRY);
                arm.stop();
            }
            for (int i = 0; i < WARM_UPS; i++) {
                sides.turn(terrace, WARM_UP_MS);
                sides.turn(stock, WARM_UP_MS);
            }
            for (int pair = 0; pair < pairs; pair++) {
                Arm first = pair % 2 == 0 ? stock : terrace;
                Arm second = first == stock ? terrace : stock;
                Arm.Turn begins = sides.turn(first, ms);
                Arm.Turn follows = sides.turn(second, ms);
                Arm.Turn again = sides.turn(second, ms);
                Arm.Turn ends = sides.turn(first, ms);
                print(first, begins, ends);
                print(second, follows, again);
            }
        }
    }

    /** The two clusters, one of which runs at a time. */
    private static final class Sides {
        private final Arm stock;
        private final Arm terrace;
        private double terraceSent;
        private double stockSent;

        Sides(Arm stock, Arm terrace) {
            this.stock = stock;
            this.terrace = terrace;
        }

        /** Sending takes as much of the host's processors in both. */
        Arm.Turn turn(Arm arm, long ms) throws IOException {
            arm.go();
            Arm.Turn turn = arm.turn(ms, arm == stock ? Math.max(0, terraceSent - stockSent) : 0);
            arm.stop();
            if (arm == terrace) {
                terraceSent = turn.sent().processors();
            } else {
                stockSent = turn.sent().processors();
            }
            return turn;
        }
    }

    private static void print(Arm arm, Arm.Turn one, Arm.Turn other) {
        say(RATE, OPEN, arm.name(), mean(one.opens(), other.opens()));
        say(RATE, CREATE, arm.name(), mean(one.creates(), other.creates()));
        for (Arm.Turn turn : new Arm.Turn[] {one, other}) {
            say(
                    COST,
                    OPEN,
                    arm.name(),
                    turn.opens().made().calls(),
                    turn.opens().cpuSeconds());
            say(
                    COST,
                    CREATE,
                    arm.name(),
                    turn.creates().made().calls(),
                    turn.creates().cpuSeconds());
            say(SENDER, arm.name(), turn.sent().processors());
            Arm.Held held = turn.held();
            if (held != null) {
                say(HELD, turn.seconds(), held.holds(), held.blocks(), held.ns());
                held.looks().forEach(look -> say(LOOKS, look.asker(), look.holds(), look.ns()));
                say(REPORTED, turn.seconds(), turn.sent().moves(), held.reports(), held.reportNs());
            }
        }
    }

    private static double mean(Arm.Calls one, Arm.Calls other) {
        return (one.made().perSecond() + other.made().perSecond()) / 2;
    }

    private static void say(Object... words) {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            line.append(line.isEmpty() ? "" : " ")
                    .append(word instanceof Double number ? String.format(Locale.ROOT, "%.6f", number) : word);
        }
        System.out.println(line);
    }
}
