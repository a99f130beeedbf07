package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.datanode.heartbeat.ReplicaOffers;
import io.terrace.datanode.heartbeat.ReplicaOffers.Offer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Blocks that were written before a run and that nobody reads: the service knows of them by the offers of DataNodes alone. One
 * seed of eight has some, and a longer time without faults, as walks and pauses of offers take seconds.
 */
public final class UnreadBlocks {

    /** Below {@link SimulatedNamespace#FIRST_ID}, and with a rule that gives tiers. */
    private static final long[] IDS = {502, 503, 505, 506};

    private static final int LARGEST_BYTES = 4_000;
    /** Of replicas that a walk looks at before others have their turn. */
    private static final int LOOK = 3;

    private final SimulatedCluster simulatedCluster;
    private final Random random;
    private final List<SimulatedBlock> blocks = new ArrayList<>();

    UnreadBlocks(SimulatedCluster simulatedCluster, Scheduler scheduler) {
        this.simulatedCluster = simulatedCluster;
        this.random = scheduler.randomFor("blocks that nobody reads");
    }

    /** Before any DataNode starts: puts replicas on the volumes of two hosts. */
    void place() {
        if (random.nextInt(8) != 0) {
            return;
        }
        for (long id : IDS) {
            SimulatedBlock block = new SimulatedBlock(id, 1, 1 + random.nextInt(LARGEST_BYTES));
            byte[] content = simulatedCluster.contentOracle().create(id, block.stamp, block.lengthBytes);
            int spared = random.nextInt(simulatedCluster.hosts().size());
            for (int i = 0; i < simulatedCluster.hosts().size(); i++) {
                if (i != spared) {
                    SimulatedVolumes volumes = simulatedCluster.hosts().get(i).simulatedVolumes;
                    volumes.create(id, block.stamp, content, random.nextInt(volumes.count())).finalised = true;
                }
            }
            simulatedCluster.namespace().add(block);
            blocks.add(block);
        }
    }

    /** Those of this seed. */
    public List<SimulatedBlock> all() {
        return List.copyOf(blocks);
    }

    /** What a DataNode offers, of whatever age: all its replicas are from before the run, as far as it knows. */
    static ReplicaOffers.Replicas on(SimulatedVolumes volumes) {
        return (pool, tiers) -> walk(volumes, pool, tiers);
    }

    private static ReplicaOffers.Walk walk(SimulatedVolumes volumes, String pool, Set<StorageTier> tiers) {
        ArrayDeque<Long> left = new ArrayDeque<>();
        volumes.finalised().forEach(replica -> left.add(replica.blockId));
        return each -> {
            for (int i = 0; i < LOOK && !left.isEmpty(); i++) {
                Replica replica = volumes.find(left.remove());
                if (replica != null && replica.finalised && tiers.contains(volumes.tier(replica))) {
                    BlockKey key = new BlockKey(pool, replica.blockId, replica.stamp);
                    each.accept(new Offer(new BlockVersion(key, replica.lengthBytes()), volumes.tier(replica), 0));
                }
            }
            return !left.isEmpty();
        };
    }
}
