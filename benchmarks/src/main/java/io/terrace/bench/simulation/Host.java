package io.terrace.bench.simulation;

import org.jspecify.annotations.Nullable;

/** A machine with a DataNode: its volumes and its tmpfs outlive the processes. */
final class Host {

    final String name;
    final Disks disks;
    final TmpFs tmpFs;
    /** The DataNode that runs; null between a crash and the next start. */
    @Nullable
    DataNode dataNode;

    Host(String name, Disks disks, TmpFs tmpFs) {
        this.name = name;
        this.disks = disks;
        this.tmpFs = tmpFs;
    }

    @Override
    public String toString() {
        return name;
    }
}
