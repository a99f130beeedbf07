package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.ContentOracle;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.common.StorageTier;
import io.terrace.placement.state.NamespaceView.VolumeSpace;
import it.unimi.dsi.fastutil.longs.Long2ObjectLinkedOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The volumes of one host, each of another tier, and the DataNode's map of the replicas on them. The volumes outlive the
 * DataNode's processes; the map is made anew by each.
 */
public final class SimulatedVolumes {

    private static final List<StorageTier> TIERS =
            List.of(StorageTier.NVM, StorageTier.SSD, StorageTier.DISK, StorageTier.ARCHIVE);

    private final Scheduler scheduler;
    private final ContentOracle contentOracle;
    private final List<SimulatedVolume> volumes = new ArrayList<>();
    private final Long2ObjectLinkedOpenHashMap<Replica> replicas = new Long2ObjectLinkedOpenHashMap<>();
    /** The finalised, whole replicas of the process that ended, by block, with their stamps. */
    private final Map<Long, Long> whole = new LinkedHashMap<>();

    /** Blocks whose old files a move has left, as the volume to which it went was being removed. */
    private final LongOpenHashSet leftByMoves = new LongOpenHashSet();

    /** Of two copies stock kept, at the present process's start, the one whose directory was not synced yet, and removed the other. */
    private final LongOpenHashSet keptUnsynced = new LongOpenHashSet();

    private long extraOpenNs;

    public SimulatedVolumes(Scheduler scheduler, ContentOracle contentOracle) {
        this.scheduler = scheduler;
        this.contentOracle = contentOracle;
        List<StorageTier> tiers = new ArrayList<>(TIERS);
        Collections.shuffle(tiers, scheduler.random());
        int count = (int) scheduler.between(2, 3);
        for (int i = 0; i < count; i++) {
            volumes.add(new SimulatedVolume(i, tiers.get(i), scheduler.between(20_000, 120_000)));
        }
    }

    List<SimulatedVolume> volumes() {
        return volumes;
    }

    public int count() {
        return volumes.size();
    }

    SimulatedVolume volume(Replica replica) {
        return volumes.get(replica.volume);
    }

    public StorageTier tier(Replica replica) {
        return volume(replica).tier();
    }

    /** Where the replica of a block is; disk if there is none. */
    StorageTier tierOf(long blockId) {
        Replica replica = find(blockId);
        return replica == null ? StorageTier.DISK : tier(replica);
    }

    /** Room by tier, as the DataNode reports it to the NameNode. */
    public Map<StorageTier, VolumeSpace> space() {
        Map<StorageTier, VolumeSpace> space = new EnumMap<>(StorageTier.class);
        for (SimulatedVolume volume : volumes) {
            space.put(volume.tier(), new VolumeSpace(volume.capacityBytes(), volume.freeBytes()));
        }
        return space;
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
        return create(blockId, stamp, content, scheduler.random().nextInt(volumes.size()));
    }

    Replica create(long blockId, long stamp, byte[] content, int volume) {
        Replica replica = new Replica(blockId, stamp, volume, content);
        put(replica);
        volume(replica).finalised().put(blockId, replica);
        return replica;
    }

    /** The map has this replica from now on. */
    void put(Replica replica) {
        replicas.put(replica.blockId, replica);
    }

    public void remove(long blockId) {
        Replica replica = replicas.remove(blockId);
        if (replica != null) {
            volume(replica).finalised().remove(blockId, replica);
        }
    }

    /** A volume is taken out; an empty one is put in its place. */
    void empty(int volume) {
        replicas.values().removeIf(replica -> replica.volume == volume);
        volumes.get(volume).empty();
    }

    /** A move to a volume that is being removed has ended. */
    void endedOnLeaving(long blockId) {
        if (hasOtherFiles(blockId)) {
            leftByMoves.add(blockId);
        }
    }

    /** Whether a move has left files of the block; once for each. */
    boolean takeLeftByMove(long blockId) {
        return leftByMoves.remove(blockId);
    }

    /** Whether both of its files have their names. */
    boolean hasFiles(Replica replica) {
        return volume(replica).finalised().get(replica.blockId) == replica && replica.dataNamed;
    }

    /** Whether there are files of the block besides those of the replica in the map: a move makes or removes them. */
    public boolean hasOtherFiles(long blockId) {
        for (SimulatedVolume volume : volumes) {
            Replica there = volume.finalised().get(blockId);
            if (volume.temporary().containsKey(blockId) || (there != null && there != replicas.get(blockId))) {
                return true;
            }
        }
        return false;
    }

    /** Whether its bytes are wrong; for finalised replicas only. */
    public boolean isCorrupt(Replica replica) {
        return !replica.data.holds(content(replica.blockId, replica.stamp));
    }

    /** What was written to the block under that stamp. */
    byte[] content(long blockId, long stamp) {
        return contentOracle.of(blockId, stamp);
    }

    /**
     * The replica of the block, if it is finalised and not of the bytes that were written, although no bit of it flipped.
     */
    public @Nullable Replica wrong(long blockId) {
        Replica replica = replicas.get(blockId);
        return replica != null && replica.finalised && !replica.rotten && isCorrupt(replica) ? replica : null;
    }

    /** Flips one bit of a replica's data, as a failing disk does. */
    public void rot(Replica replica) {
        int position = scheduler.random().nextInt(replica.lengthBytes());
        replica.data.flip(position, scheduler.random().nextInt(8));
        replica.rotten = true;
    }

    /** The DataNode's process ended. */
    void processEnded(String host) {
        whole.clear();
        for (long blockId : replicas.keySet()) {
            Violation.unless(
                    wrong(blockId) == null,
                    Invariant.REPLICAS_RIGHT,
                    "%s ends with other bytes in %s, of which no bit flipped",
                    host,
                    wrong(blockId));
        }
        for (Replica replica : finalised()) {
            if (!isCorrupt(replica)) {
                whole.put(replica.blockId, replica.stamp);
            }
        }
    }

    /** The host loses power: what was not synced is gone, or not. */
    void powerCut() {
        // No order of ours helps: the process ended between a rename and its sync, and stock's next one looks at no
        // sync.
        whole.keySet().removeIf(id -> {
            Replica kept = replicas.get(id.longValue());
            return keptUnsynced.contains(id.longValue()) && kept != null && !kept.nameSynced;
        });
        for (SimulatedVolume volume : volumes) {
            volume.powerCut(scheduler.oneIn(2));
        }
    }

    /** A process starts and looks for replicas, as stock's {@code BlockPoolSlice} does. */
    void start(String host) {
        replicas.clear();
        leftByMoves.clear();
        keptUnsynced.clear();
        for (SimulatedVolume volume : volumes) {
            volume.start();
            for (Replica found : List.copyOf(volume.finalised().values())) {
                if (found.dataNamed) {
                    keepOne(found);
                }
            }
        }
        whole.forEach((id, stamp) -> {
            Replica found = finalised(id, stamp);
            Violation.unless(
                    found != null && (found.rotten || !isCorrupt(found)),
                    Invariant.NO_BYTE_LOST,
                    "%s had a whole replica blk_%d_%d before it ended, and finds %s",
                    host,
                    id,
                    stamp,
                    find(id));
        });
        whole.clear();
    }

    /** Of two copies the one with the higher stamp stays, then the longer one, then any. */
    private void keepOne(Replica found) {
        Replica other = replicas.get(found.blockId);
        if (other == null) {
            put(found);
            return;
        }
        boolean better = found.stamp != other.stamp
                ? found.stamp > other.stamp
                : found.lengthBytes() != other.lengthBytes()
                        ? found.lengthBytes() > other.lengthBytes()
                        : scheduler.oneIn(2);
        Replica dropped = better ? other : found;
        Replica kept = better ? found : other;
        if (dropped.nameSynced && !kept.nameSynced) {
            keptUnsynced.add(kept.blockId);
        }
        volume(dropped).unlink(dropped);
        put(kept);
    }

    public void failing(int volume, boolean fails) {
        volumes.get(volume).failing(fails);
    }

    /** Every open takes so much longer from now on, as on a slow disk. */
    public void slow(long extraNs) {
        extraOpenNs = extraNs;
    }

    long extraOpenNs() {
        return extraOpenNs;
    }

    public boolean isFailing(int volume) {
        return volumes.get(volume).isFailing();
    }
}
