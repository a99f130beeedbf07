package io.terrace.bench.simulation;

import io.terrace.placement.Move;
import io.terrace.placement.NameView;
import io.terrace.placement.Refusals;
import io.terrace.placement.StandingOrders;
import java.util.List;

/** What an operator does with {@code placementctl}: pins files, switches off and on, pauses, promotes and demotes. */
final class Operator {

    private static final long MS = 1_000_000;
    private static final int MOST_PINS = 3;

    private final World world;
    private final Scheduler scheduler;
    /** Kept in the namespace itself, so every NameNode that becomes active finds them. */
    private StandingOrders orders = StandingOrders.initial();

    Operator(World world) {
        this.world = world;
        this.scheduler = world.scheduler();
    }

    StandingOrders orders() {
        return orders;
    }

    void act() {
        Block block = world.anyBlock();
        NameNode active = world.active();
        if (block == null || active == null || !active.placement().isActive()) {
            return;
        }
        switch (scheduler.random().nextInt(6)) {
            case 0, 1 -> {
                boolean pinned = orders.pins().contains(block.id);
                if (pinned || orders.pins().size() < MOST_PINS) {
                    order(orders.withPin(block.id, !pinned));
                }
            }
            case 2 -> {
                order(orders.withServe(false));
                scheduler.after(scheduler.between(50 * MS, 1_500 * MS), "on", () -> order(orders.withServe(true)));
            }
            case 3 -> {
                order(orders.withMoves(false));
                scheduler.after(scheduler.between(50 * MS, 1_500 * MS), "resume", () -> order(orders.withMoves(true)));
            }
            case 4 -> promote(active, block);
            default -> {
                List<Move> moves =
                        active.placement().operator().demote(active.nowMs(), block.stamped(), new Refusals());
                world.say("operator", "demotes %s: %s", block, moves);
            }
        }
    }

    /** Some clusters begin with pinned files. */
    void pinSome() {
        Block block = world.anyBlock();
        if (block != null && scheduler.oneIn(2)) {
            order(orders.withPin(block.id, true));
        }
    }

    /** Everything on again. */
    void end() {
        order(orders.withServe(true).withMoves(true));
    }

    private void order(StandingOrders changed) {
        orders = changed;
        world.say("operator", "wants %s", orders);
        for (int i = 0; i < World.NAMENODES; i++) {
            world.nameNode(i).ordersChanged();
        }
    }

    private void promote(NameNode active, Block block) {
        List<NameView.Located> located = world.namespace().blocksOf(List.of(block.id), 1);
        if (!located.isEmpty()) {
            Refusals refusals = new Refusals();
            active.placement().operator().promote(active.nowMs(), located.get(0), null, refusals);
            world.say("operator", "promotes %s; refused: %s", block, refusals.lines());
        }
    }
}
