package io.terrace.datanode.heartbeat;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.SharedSlots;
import io.terrace.datanode.memory.MemorySize;
import io.terrace.datanode.memory.MemoryTierListener;
import io.terrace.datanode.move.CopyQueue;
import io.terrace.datanode.move.EpochFence;
import io.terrace.datanode.move.MoveOrderExecutor;
import io.terrace.datanode.write.ClientSpeeds;
import io.terrace.datanode.writethrough.WriteThroughRules;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.proto.DataNodeProtos.ConditionProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import io.terrace.protocol.proto.DataNodeProtos.TierStateProto;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A DataNode with room for a megabyte in memory, some NVM, and a replica on disk of every block. */
final class HeartbeatFixture {

    static final TierStateProto NVM = TierStateProto.newBuilder()
            .setTier(TierProto.NVM)
            .setCapacityBytes(1000)
            .setUsedBytes(10)
            .setExtents(1)
            .build();

    final MetricRegistry metricRegistry = new MetricRegistry();
    final MemoryTierListener memoryTierListener = new MemoryTierListener(metricRegistry, key -> {}, more -> {});
    final LocalTier tier = new LocalTier(
            new LocalTier.Limits(1_000_000, 1_000, 0),
            new AddressSpace(1 << 20, 1L << 30, 0),
            new GrantLedger(new GrantLedger.Limits(10, 10, 1, 1, 1, 1)),
            (extent, truncate) -> true,
            SharedSlots.NONE,
            memoryTierListener,
            key -> false);
    /** Whom the calling thread serves over the DataNode's socket. */
    @Nullable
    String stockReader;

    final AccessRecorder accessRecorder = new AccessRecorder(metricRegistry, () -> 5_000_000L, () -> stockReader);

    private final NodeIdentity identity = new NodeIdentity("uuid", "host", 9866, 7);
    private final EpochFence epochFence = new EpochFence();
    private final String pool;
    private final long stamp;
    final List<ConditionProto> conditions = new ArrayList<>();
    Runnable whileComposing = () -> {};
    final ClientSpeeds speeds = new ClientSpeeds();
    final WriteThroughRules writeThroughRules = new WriteThroughRules(metricRegistry);
    final List<ReplicaOffers.Offer> replicas = new ArrayList<>();
    final ReplicaOffers offers = new ReplicaOffers(
            (ofPool, tiers) -> each -> {
                replicas.forEach(each);
                return false;
            },
            metricRegistry,
            () -> 10_000,
            () -> 0);

    private final ResizeOrders resizeOrders = new ResizeOrders(
            new MemorySize(tier, new MemorySize.Bounds(1_000_000, 2_000_000, 1L << 30), () -> 1_500_000));

    HeartbeatFixture(String pool, long stamp, ConditionProto... conditions) {
        this.pool = pool;
        this.stamp = stamp;
        this.conditions.addAll(List.of(conditions));
    }

    /** With the placement service of one NameNode. */
    HeartbeatExchange exchange(Runnable sendSoon) {
        HeartbeatExchange made = new HeartbeatExchange(
                pool,
                new HeartbeatExchange.Shared(
                        identity,
                        tier,
                        resizeOrders,
                        new MoveOrderExecutor(
                                tier,
                                new CopyQueue(tier, 0, 1, "none", () -> null),
                                epochFence,
                                TokenBucket.ofSystem(0),
                                0,
                                metricRegistry,
                                () -> {}),
                        epochFence,
                        accessRecorder,
                        (ofPool, id) -> new HeartbeatExchange.ReplicaLook.Seen(
                                new BlockVersion(new BlockKey(ofPool, id, stamp), 100), StorageTier.DISK),
                        () -> List.of(NVM),
                        () -> {
                            whileComposing.run();
                            return conditions;
                        },
                        speeds,
                        writeThroughRules,
                        offers,
                        metricRegistry,
                        16),
                sendSoon);
        memoryTierListener.listen(made);
        accessRecorder.listen(pool, made);
        return made;
    }

    BlockKey key(long blockId) {
        return new BlockKey(pool, blockId, stamp);
    }

    /** Brings the block into memory. */
    void enter(long blockId) {
        tier.publish(tier.begin(key(blockId), 100, false, 0).extent(), 0);
    }

    /** Of a service with nothing to order. */
    static HeartbeatResponseProto answer(long epoch, boolean active, boolean serve) {
        return HeartbeatResponseProto.newBuilder()
                .setActive(active)
                .setEpoch(epoch)
                .setServe(serve)
                .build();
    }
}
