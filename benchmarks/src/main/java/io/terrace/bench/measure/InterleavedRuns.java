package io.terrace.bench.measure;

import io.terrace.bench.measure.ClientVariant.Client;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures several clients in turns: in each round every client once, in an order that rotates, so that none always
 * follows the same other.
 */
public final class InterleavedRuns {
    /** One measurement. */
    public interface Probe {
        /** Cost of one round, in a unit that is the same for all clients. */
        double cost(Client client, int round) throws IOException;
    }

    private final Map<String, double[]> costs = new LinkedHashMap<>();

    /** @param warmUps rounds before those that count */
    public InterleavedRuns(List<Client> clients, int warmUps, int rounds, Probe probe) throws IOException {
        for (Client client : clients) {
            costs.put(client.name(), new double[rounds]);
        }
        List<Client> order = new ArrayList<>(clients);
        for (int round = -warmUps; round < rounds; round++) {
            for (Client client : order) {
                double cost = probe.cost(client, round + warmUps);
                if (round >= 0) {
                    of(client.name())[round] = cost;
                }
            }
            order.add(order.remove(0));
        }
    }

    /** Over 1: {@code ours} costs less than {@code baseline}. */
    public PairedRatios ratios(String baseline, String ours) {
        return new PairedRatios(of(baseline), of(ours));
    }

    /** Median cost of a client. */
    public double median(String name) {
        return PairedRatios.medianOf(of(name));
    }

    private double[] of(String name) {
        double[] own = costs.get(name);
        if (own == null) {
            throw new IllegalArgumentException("no client " + name + " among " + costs.keySet());
        }
        return own;
    }
}
