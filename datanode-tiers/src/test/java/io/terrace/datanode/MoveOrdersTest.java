package io.terrace.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.BlockKey;
import io.terrace.metrics.Figures;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Orders of several namespaces for one DataNode. */
class MoveOrdersTest {

    private final Figures figures = new Figures();
    private final MemoryTier tier = new MemoryTier(
            new MemoryTier.Limits(1_000_000, 1_000, 0),
            new Region(1 << 20, 1L << 30, 0),
            new GrantLedger(new GrantLedger.Limits(10, 10, 1, 1, 1, 1)),
            (extent, truncate) -> true,
            SharedSlots.NONE,
            new TierNews(figures, key -> {}, more -> {}),
            key -> false);
    private long nowNs;
    private long sleptNs;
    private final Pace pace = new Pace(0, () -> nowNs, ns -> sleptNs = ns);
    private final Promotions promotions = new Promotions(tier, 10, () -> nowNs, ns -> {});

    private MoveOrders orders(long ownBytesPerSecond) {
        return new MoveOrders(tier, promotions, new Authority(), pace, ownBytesPerSecond, figures, () -> {});
    }

    private static MoveOrders.Order order(String pool, long moveId, long bytesPerSecond) {
        return new MoveOrders.Order(pool, 1, moveId, true, new BlockKey(pool, moveId, 1), 100, bytesPerSecond);
    }

    /** Seconds that a copy of 10000 bytes takes, beyond the burst; -1 when there is no limit. */
    private double seconds() {
        nowNs += TimeUnit.HOURS.toNanos(1);
        sleptNs = TimeUnit.SECONDS.toNanos(-1);
        pace.take(10_000);
        return sleptNs / 1e9;
    }

    @Test
    void pace_isTheLeastOfAllNamespacesWithOrdersUnderWay(@TempDir Path root) throws Exception {
        MoveOrders orders = orders(0);
        orders.take(order("slow", 1, 100), 0, result -> {});
        assertThat(seconds()).isEqualTo(99.75);
        orders.take(order("unlimited", 2, 0), 0, result -> {});
        assertThat(seconds()).as("no namespace lifts another's limit").isEqualTo(99.75);
        orders.take(order("slowest", 3, 50), 0, result -> {});
        assertThat(seconds()).isEqualTo(199.75);
        try (MemoryDirectory directory = MemoryDirectory.open(root, false)) {
            Promotion promotion =
                    new Promotion(tier, new MissingReplicas(), directory, pace, false, figures, () -> nowNs);
            promotions.step(promotion);
            promotions.step(promotion);
            assertThat(seconds()).isEqualTo(199.75);
            orders.take(order("slow", 4, 100), 0, result -> {});
            promotions.step(promotion);
            assertThat(seconds()).as("the slowest has no order left").isEqualTo(99.75);
            promotions.step(promotion);
            assertThat(seconds()).as("nobody has an order left").isEqualTo(-1);
        }
        orders.take(order("unlimited", 5, 0), 0, result -> {});
        assertThat(seconds()).as("nobody else has orders").isEqualTo(-1);
    }

    @Test
    void pace_neverExceedsTheDataNodesOwn_andIsThatWhenNoOrderIsLeft(@TempDir Path root) throws Exception {
        MoveOrders orders = orders(200);
        orders.take(order("a", 1, 0), 0, result -> {});
        assertThat(seconds()).isEqualTo(49.75);
        orders.take(order("a", 2, 1_000), 0, result -> {});
        assertThat(seconds()).isEqualTo(49.75);
        orders.take(order("a", 3, 100), 0, result -> {});
        assertThat(seconds()).isEqualTo(99.75);
        try (MemoryDirectory directory = MemoryDirectory.open(root, false)) {
            Promotion promotion =
                    new Promotion(tier, new MissingReplicas(), directory, pace, false, figures, () -> nowNs);
            while (promotions.step(promotion)) {
                assertThat(promotions.waiting()).isLessThan(3);
            }
        }
        assertThat(seconds()).as("of what directives ask for, too").isEqualTo(49.75);
    }
}
