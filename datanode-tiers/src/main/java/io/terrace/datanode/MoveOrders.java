package io.terrace.datanode;

import io.terrace.channel.BlockKey;
import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Carries out the orders of placement services: drops at once, promotions through the {@link Promotions}. An order that
 * is sent again while it is carried out is taken once; one of an epoch that was superseded is refused, also when its turn
 * comes only later. Copies keep to the least pace of all whose orders are under way. Thread-safe.
 */
public final class MoveOrders {

    /** An order. */
    public record Order(
            String pool,
            long epoch,
            long moveId,
            boolean promote,
            BlockKey key,
            long lengthBytes,
            long bytesPerSecond) {}

    private record Running(String pool, long epoch, long moveId) {}

    private final MemoryTier tier;
    private final Promotions promotions;
    private final Authority authority;
    private final OrderedPace pace;
    private final Figures figures;
    private final Runnable wakeHousekeeping;
    private final Set<Running> running = ConcurrentHashMap.newKeySet();

    /**
     * Takes orders.
     *
     * @param ownBytesPerSecond the DataNode's own limit on making copies, whatever an order allows; 0 is none
     */
    public MoveOrders(
            MemoryTier tier,
            Promotions promotions,
            Authority authority,
            Pace pace,
            long ownBytesPerSecond,
            Figures figures,
            Runnable wakeHousekeeping) {
        this.tier = tier;
        this.promotions = promotions;
        this.authority = authority;
        this.pace = new OrderedPace(pace, ownBytesPerSecond);
        this.figures = figures;
        this.wakeHousekeeping = wakeHousekeeping;
    }

    /** Takes an order; its result is told once, perhaps before this returns. */
    public void take(Order order, long nowNs, Consumer<MoveResult> done) {
        Running id = new Running(order.pool(), order.epoch(), order.moveId());
        if (!running.add(id)) {
            return;
        }
        figures.increment(Figure.ORDERS);
        Consumer<MoveResult> finish = result -> {
            running.remove(id);
            if (result.outcome() == MoveOutcome.REFUSED) {
                figures.increment(Figure.ORDERS_REFUSED);
            }
            done.accept(result);
        };
        if (!authority.isCurrent(order.pool(), order.epoch())) {
            finish.accept(MoveResult.of(MoveOutcome.REFUSED, "an order of an earlier epoch"));
        } else if (order.promote()) {
            pace.begun(order.pool(), order.bytesPerSecond());
            promotions.submit(new Promotions.Order(
                    order.key(),
                    order.lengthBytes(),
                    false,
                    () -> authority.isCurrent(order.pool(), order.epoch()),
                    result -> {
                        pace.ended(order.pool());
                        finish.accept(result);
                    }));
        } else {
            finish.accept(drop(order.key(), nowNs));
        }
    }

    private MoveResult drop(BlockKey key, long nowNs) {
        if (tier.isPinned(key)) {
            return MoveResult.of(MoveOutcome.PINNED, "a cache directive asks for it");
        }
        Extent dropped = tier.drop(key, RetireCause.ORDERED, nowNs);
        if (dropped == null) {
            return MoveResult.of(MoveOutcome.NOT_HERE, "not in memory");
        }
        wakeHousekeeping.run();
        return new MoveResult(MoveOutcome.DONE, dropped.lengthBytes(), 0, "");
    }
}
