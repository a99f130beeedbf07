package io.terrace.bench.simulation.cluster;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A machine with a DataNode: its volumes and its tmpfs outlive the processes. */
public final class Host {

    public final String name;
    public final SimulatedVolumes simulatedVolumes;
    public final SimulatedTmpfs simulatedTmpfs;
    /** The DataNode that runs; null between a crash and the next start. */
    @Nullable
    public SimulatedDataNode dataNode;

    /** Blocks of which it had a replica, by their ids. */
    private final Set<Long> held = new HashSet<>();
    /** Blocks of which it got another replica after it had lost one. */
    private final Set<Long> heldAgain = new HashSet<>();

    public Host(String name, SimulatedVolumes simulatedVolumes, SimulatedTmpfs simulatedTmpfs) {
        this.name = name;
        this.simulatedVolumes = simulatedVolumes;
        this.simulatedTmpfs = simulatedTmpfs;
    }

    /** A new replica is written on it. */
    void gets(long blockId) {
        if (!held.add(blockId)) {
            heldAgain.add(blockId);
        }
    }

    /** Whether it got another replica of the block after it had lost one. */
    public boolean gotAgain(long blockId) {
        return heldAgain.contains(blockId);
    }

    @Override
    public String toString() {
        return name;
    }
}
