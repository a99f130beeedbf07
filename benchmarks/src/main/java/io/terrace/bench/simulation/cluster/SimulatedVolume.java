package io.terrace.bench.simulation.cluster;

import io.terrace.common.StorageTier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One volume of a simulated host: the files of replicas by block, finalised and temporary, and what a power cut takes. */
public final class SimulatedVolume {

    private final int number;
    private final StorageTier tier;
    private final long capacityBytes;
    private final Map<Long, Replica> finalised = new LinkedHashMap<>();
    private final Map<Long, Replica> temporary = new LinkedHashMap<>();
    /** Removed by moves since the directory was synced. */
    private final List<Replica> unlinked = new ArrayList<>();

    private long reservedBytes;
    private boolean failing;

    SimulatedVolume(int number, StorageTier tier, long capacityBytes) {
        this.number = number;
        this.tier = tier;
        this.capacityBytes = capacityBytes;
    }

    int number() {
        return number;
    }

    public StorageTier tier() {
        return tier;
    }

    long capacityBytes() {
        return capacityBytes;
    }

    long freeBytes() {
        long bytes = capacityBytes - reservedBytes;
        for (Replica replica : finalised.values()) {
            bytes -= replica.lengthBytes();
        }
        return Math.max(0, bytes);
    }

    void reserve(long bytes) {
        reservedBytes += bytes;
    }

    boolean isFailing() {
        return failing;
    }

    void failing(boolean fails) {
        failing = fails;
    }

    /** By block: of one name there is one file. */
    Map<Long, Replica> finalised() {
        return finalised;
    }

    Map<Long, Replica> temporary() {
        return temporary;
    }

    /** A move removed its files; the directory is not synced. */
    void unlink(Replica replica) {
        if (finalised.remove(replica.blockId, replica)) {
            unlinked.add(replica);
        }
    }

    void syncDirectory() {
        finalised.values().forEach(replica -> replica.nameSynced = true);
        unlinked.clear();
    }

    /**
     * The power fails.
     *
     * @param directoryWritten whether the file system wrote the directory in time, though nobody synced it
     */
    void powerCut(boolean directoryWritten) {
        if (!directoryWritten) {
            finalised.values().removeIf(replica -> !replica.nameSynced);
            unlinked.forEach(replica -> finalised.putIfAbsent(replica.blockId, replica));
        }
        unlinked.clear();
        finalised.values().forEach(Replica::powerCut);
    }

    /** A new process of the DataNode begins. */
    void start() {
        temporary.clear();
        reservedBytes = 0;
    }

    /** It is taken out, and another one is put in its place. */
    void empty() {
        finalised.clear();
        temporary.clear();
        unlinked.clear();
    }

    @Override
    public String toString() {
        return "volume " + number + " (" + tier + ")";
    }
}
