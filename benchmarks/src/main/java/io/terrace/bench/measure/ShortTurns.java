package io.terrace.bench.measure;

import com.sun.management.ThreadMXBean;
import io.terrace.bench.measure.ClientVariant.Client;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Measures clients that differ by a few percent at most. They do the same small piece of work one after the other, in an order
 * that is drawn for each turn, so that none always follows the same other and what disturbs the machine for a millisecond hits
 * them all alike. A round is so many turns and gives one pair; its cost is the median of its turns.
 *
 * <p>Beside the time of the clock it takes the processor time and the allocated bytes of the calling thread, which other
 * processes disturb less. One use.
 */
public final class ShortTurns {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** A piece of work. */
    public interface Turn {
        /** @param number the same for all clients of a turn, another in each turn */
        void run(Client client, int number) throws IOException;
    }

    /** What a client's turns took, by round. */
    private static final class Costs {
        final double[] tookNs;
        final double[] processorNs;
        final double[] allocatedBytes;

        Costs(int count) {
            tookNs = new double[count];
            processorNs = new double[count];
            allocatedBytes = new double[count];
        }

        void medianOf(Costs turns, int round) {
            tookNs[round] = PairedRatios.medianOf(turns.tookNs);
            processorNs[round] = PairedRatios.medianOf(turns.processorNs);
            allocatedBytes[round] = PairedRatios.medianOf(turns.allocatedBytes);
        }
    }

    private final Map<String, Costs> rounds = new HashMap<>();

    /**
     * Runs all of it.
     *
     * @param warmUps rounds before those that count
     * @param seed of the order
     */
    public ShortTurns(List<Client> clients, int warmUps, int rounds, int turnsOfRound, long seed, Turn turn)
            throws IOException {
        Map<String, Costs> turns = new HashMap<>();
        for (Client client : clients) {
            this.rounds.put(client.name(), new Costs(rounds));
            turns.put(client.name(), new Costs(turnsOfRound));
        }
        Random random = new Random(seed);
        List<Client> order = new ArrayList<>(clients);
        for (int round = -warmUps; round < rounds; round++) {
            for (int i = 0; i < turnsOfRound; i++) {
                Collections.shuffle(order, random);
                for (Client client : order) {
                    take(turn, client, (round + warmUps) * turnsOfRound + i, of(turns, client.name()), i);
                }
            }
            for (Client client : clients) {
                if (round >= 0) {
                    of(this.rounds, client.name()).medianOf(of(turns, client.name()), round);
                }
            }
        }
    }

    private static void take(Turn turn, Client client, int number, Costs costs, int at) throws IOException {
        long allocated = THREADS.getCurrentThreadAllocatedBytes();
        long processorNs = THREADS.getCurrentThreadCpuTime();
        long startNs = System.nanoTime();
        turn.run(client, number);
        costs.tookNs[at] = System.nanoTime() - startNs;
        costs.processorNs[at] = THREADS.getCurrentThreadCpuTime() - processorNs;
        costs.allocatedBytes[at] = THREADS.getCurrentThreadAllocatedBytes() - allocated;
    }

    /** By the clock; over 1: {@code ours} takes less than {@code baseline}. */
    public PairedRatios ratios(String baseline, String ours) {
        return new PairedRatios(of(rounds, baseline).tookNs, of(rounds, ours).tookNs);
    }

    /** The same by processor time of the thread. */
    public PairedRatios processorRatios(String baseline, String ours) {
        return new PairedRatios(of(rounds, baseline).processorNs, of(rounds, ours).processorNs);
    }

    /** Median nanoseconds of a turn. */
    public double medianNs(String name) {
        return PairedRatios.medianOf(of(rounds, name).tookNs);
    }

    /** Median bytes that the thread allocates in a turn. */
    public double allocatedBytes(String name) {
        return PairedRatios.medianOf(of(rounds, name).allocatedBytes);
    }

    private static Costs of(Map<String, Costs> all, String name) {
        Costs own = all.get(name);
        if (own == null) {
            throw new IllegalArgumentException("no client " + name + " among " + all.keySet());
        }
        return own;
    }
}
