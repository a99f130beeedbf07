package io.terrace.datanode.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.TokenBucket;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.SharedSlots;
import io.terrace.datanode.memory.MemoryDirectory;
import io.terrace.datanode.memory.MemoryTierListener;
import io.terrace.datanode.replica.MissingReplicas;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.StampedBlock;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Orders of several namespaces for one DataNode. */
class MoveOrderExecutorTest {

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final LocalTier tier = new LocalTier(
            new LocalTier.Limits(1_000_000, 1_000, 0),
            new AddressSpace(1 << 20, 1L << 30, 0),
            new GrantLedger(new GrantLedger.Limits(10, 10, 1, 1, 1, 1)),
            (extent, truncate) -> true,
            SharedSlots.NONE,
            new MemoryTierListener(metricRegistry, key -> {}, more -> {}),
            key -> false);
    private long nowNs;
    private long sleptNs;
    private final TokenBucket tokenBucket = new TokenBucket(0, () -> nowNs, ns -> sleptNs = ns);
    private final CopyQueue copyQueue = new CopyQueue(tier, 10, () -> nowNs, ns -> {});

    private MoveOrderExecutor orders(long ownBytesPerSecond) {
        return new MoveOrderExecutor(
                tier, copyQueue, new EpochFence(), tokenBucket, ownBytesPerSecond, metricRegistry, () -> {});
    }

    private static void take(MoveOrderExecutor orders, String pool, long moveId, long bytesPerSecond) {
        MoveOrder order = MoveOrder.promotion(moveId, new StampedBlock(moveId, 1, 100), bytesPerSecond);
        orders.take(pool, 1, order, 0, result -> {});
    }

    /** Seconds that a copy of 10000 bytes takes, beyond the burst; -1 when there is no limit. */
    private double seconds() {
        nowNs += TimeUnit.HOURS.toNanos(1);
        sleptNs = TimeUnit.SECONDS.toNanos(-1);
        tokenBucket.takeAndSleep(10_000);
        return sleptNs / 1e9;
    }

    @Test
    void pace_isTheLeastOfAllNamespacesWithOrdersUnderWay(@TempDir Path root) throws Exception {
        MoveOrderExecutor orders = orders(0);
        take(orders, "slow", 1, 100);
        assertThat(seconds()).isEqualTo(99.75);
        take(orders, "unlimited", 2, 0);
        assertThat(seconds()).as("no namespace lifts another's limit").isEqualTo(99.75);
        take(orders, "slowest", 3, 50);
        assertThat(seconds()).isEqualTo(199.75);
        try (MemoryDirectory directory = MemoryDirectory.open(root, false)) {
            MemoryCopier memoryCopier = new MemoryCopier(
                    tier, new MissingReplicas(), directory, tokenBucket, false, metricRegistry, () -> nowNs);
            copyQueue.step(memoryCopier);
            copyQueue.step(memoryCopier);
            assertThat(seconds()).isEqualTo(199.75);
            take(orders, "slow", 4, 100);
            copyQueue.step(memoryCopier);
            assertThat(seconds()).as("the slowest has no order left").isEqualTo(99.75);
            copyQueue.step(memoryCopier);
            assertThat(seconds()).as("nobody has an order left").isEqualTo(-1);
        }
        take(orders, "unlimited", 5, 0);
        assertThat(seconds()).as("nobody else has orders").isEqualTo(-1);
    }

    @Test
    void pace_neverExceedsTheDataNodesOwn_andIsThatWhenNoOrderIsLeft(@TempDir Path root) throws Exception {
        MoveOrderExecutor orders = orders(200);
        take(orders, "a", 1, 0);
        assertThat(seconds()).isEqualTo(49.75);
        take(orders, "a", 2, 1_000);
        assertThat(seconds()).isEqualTo(49.75);
        take(orders, "a", 3, 100);
        assertThat(seconds()).isEqualTo(99.75);
        try (MemoryDirectory directory = MemoryDirectory.open(root, false)) {
            MemoryCopier memoryCopier = new MemoryCopier(
                    tier, new MissingReplicas(), directory, tokenBucket, false, metricRegistry, () -> nowNs);
            while (copyQueue.step(memoryCopier)) {
                assertThat(copyQueue.waiting()).isLessThan(3);
            }
        }
        assertThat(seconds()).as("of what directives ask for, too").isEqualTo(49.75);
    }
}
