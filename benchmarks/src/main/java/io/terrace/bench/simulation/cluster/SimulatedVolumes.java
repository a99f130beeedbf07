package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.Scheduler;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The volumes of one host and the replicas on them; they outlive the DataNode's processes. */
public final class SimulatedVolumes {

    public static final int VOLUMES = 2;

    private final Scheduler scheduler;
    private final ContentOracle contentOracle;
    private final Map<Long, Replica> replicas = new LinkedHashMap<>();
    private long extraOpenNs;
    private final boolean[] failing = new boolean[VOLUMES];

    public SimulatedVolumes(Scheduler scheduler, ContentOracle contentOracle) {
        this.scheduler = scheduler;
        this.contentOracle = contentOracle;
    }

    @Nullable
    public Replica find(long blockId) {
        return replicas.get(blockId);
    }

    /** The finalised replica of exactly this block. */
    @Nullable
    public Replica finalised(long blockId, long stamp) {
        Replica replica = replicas.get(blockId);
        return replica != null && replica.finalised && replica.stamp == stamp ? replica : null;
    }

    List<Replica> all() {
        return new ArrayList<>(replicas.values());
    }

    public List<Replica> finalised() {
        return replicas.values().stream().filter(replica -> replica.finalised).toList();
    }

    Replica create(long blockId, long stamp, byte[] content) {
        Replica replica = new Replica(blockId, stamp, scheduler.random().nextInt(VOLUMES), content);
        replicas.put(blockId, replica);
        return replica;
    }

    public void remove(long blockId) {
        replicas.remove(blockId);
    }

    /** Whether its bytes are wrong; for finalised replicas only. */
    public boolean isCorrupt(Replica replica) {
        return !replica.data.holds(contentOracle.of(replica.blockId, replica.stamp));
    }

    /** Flips one bit of a replica's data, as a failing disk does. */
    public void rot(Replica replica) {
        int position = scheduler.random().nextInt(replica.lengthBytes());
        replica.data.flip(position, scheduler.random().nextInt(8));
    }

    public void failing(int volume, boolean fails) {
        failing[volume] = fails;
    }

    /** Every open takes so much longer from now on, as on a slow disk. */
    public void slow(long extraNs) {
        extraOpenNs = extraNs;
    }

    long extraOpenNs() {
        return extraOpenNs;
    }

    public boolean isFailing(int volume) {
        return failing[volume];
    }
}
