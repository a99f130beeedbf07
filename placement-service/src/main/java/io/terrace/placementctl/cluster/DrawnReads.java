package io.terrace.placementctl.cluster;

import java.util.Random;

/** Readers on the first so many hosts, all equally often, with one DataNode on each host. */
public final class DrawnReads implements ClusterReads {

    private final int hosts;
    private final Random random;

    public DrawnReads(int hosts, long seed) {
        this.hosts = hosts;
        this.random = new Random(seed);
    }

    @Override
    public int host(int row) {
        return random.nextInt(hosts);
    }

    @Override
    public int hostOf(int node) {
        return node;
    }

    @Override
    public int servedBy(int row) {
        return NONE;
    }
}
