package io.terrace.bench.simulation.cluster;

import org.jspecify.annotations.Nullable;

/** A machine with a DataNode: its volumes and its tmpfs outlive the processes. */
public final class Host {

    public final String name;
    public final SimulatedVolumes simulatedVolumes;
    public final SimulatedTmpfs simulatedTmpfs;
    /** The DataNode that runs; null between a crash and the next start. */
    @Nullable
    public SimulatedDataNode dataNode;

    public Host(String name, SimulatedVolumes simulatedVolumes, SimulatedTmpfs simulatedTmpfs) {
        this.name = name;
        this.simulatedVolumes = simulatedVolumes;
        this.simulatedTmpfs = simulatedTmpfs;
    }

    @Override
    public String toString() {
        return name;
    }
}
