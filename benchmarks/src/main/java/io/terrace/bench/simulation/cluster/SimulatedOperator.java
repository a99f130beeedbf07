package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.common.StorageTier;
import io.terrace.placement.move.Refusals;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.OperatorState;
import java.util.List;

/** What an operator does with {@code placementctl}: pins files, switches off and on, pauses, promotes and demotes. */
public final class SimulatedOperator {

    private static final long MS = 1_000_000;
    private static final int MOST_PINS = 3;
    private static final long ANNOTATES_EVERY_NS = 2_000 * MS;

    private final SimulatedCluster simulatedCluster;
    private final Scheduler scheduler;
    /** Kept in the namespace itself, so every NameNode that becomes active finds them. */
    private OperatorState orders = OperatorState.initial();

    public SimulatedOperator(SimulatedCluster simulatedCluster) {
        this.simulatedCluster = simulatedCluster;
        this.scheduler = simulatedCluster.scheduler();
    }

    OperatorState orders() {
        return orders;
    }

    public void act() {
        SimulatedBlock block = simulatedCluster.namespace().any(scheduler.random());
        SimulatedNameNode active = simulatedCluster.active();
        if (block == null || active == null || !active.placement().isActive()) {
            return;
        }
        switch (scheduler.random().nextInt(6)) {
            case 0, 1 -> {
                boolean pinned = orders.pins().containsKey(block.id);
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
                List<Move> moves = active.placement()
                        .operator()
                        .demote(active.nowMs(), "operator", block.stamped(), new Refusals());
                simulatedCluster.say("operator", "demotes %s: %s", block, moves);
            }
        }
    }

    /** Moves replicas between volumes by hand, now and then. */
    void moveSome() {
        if (simulatedCluster.isQuiet()) {
            return;
        }
        SimulatedBlock block = simulatedCluster.namespace().any(scheduler.random());
        if (block != null) {
            for (SimulatedDataNode dataNode : simulatedCluster.someDataNodes(2)) {
                List<SimulatedVolume> volumes = dataNode.host().simulatedVolumes.volumes();
                StorageTier to =
                        volumes.get(scheduler.random().nextInt(volumes.size())).tier();
                dataNode.moves().byHand(block.stamped().in(SimulatedNamespace.POOL), to);
            }
        }
        scheduler.after(scheduler.between(10 * MS, 300 * MS), "moves by hand", this::moveSome);
    }

    /** Annotates files, now and then. */
    void annotateSome() {
        simulatedCluster.namespace().annotate();
        scheduler.after(ANNOTATES_EVERY_NS, "annotation", this::annotateSome);
    }

    /** Some clusters begin with pinned files. */
    public void pinSome() {
        SimulatedBlock block = simulatedCluster.namespace().any(scheduler.random());
        if (block != null && scheduler.oneIn(2)) {
            order(orders.withPin(block.id, true));
        }
    }

    /** Whether it wants the block in memory. */
    public boolean isPinned(SimulatedBlock block) {
        return orders.pins().containsKey(block.id);
    }

    /** Everything on again. */
    public void end() {
        order(orders.withServe(true).withMoves(true));
    }

    private void order(OperatorState changed) {
        orders = changed;
        simulatedCluster.say("operator", "wants %s", orders);
        for (int i = 0; i < SimulatedCluster.NAMENODES; i++) {
            simulatedCluster.nameNode(i).ordersChanged();
        }
    }

    private void promote(SimulatedNameNode active, SimulatedBlock block) {
        List<NamespaceView.Located> located = simulatedCluster.namespace().blocksOf(List.of(block.id), 1);
        if (!located.isEmpty()) {
            Refusals refusals = new Refusals();
            active.placement().operator().promote(active.nowMs(), "operator", located.get(0), null, refusals);
            simulatedCluster.say("operator", "promotes %s; refused: %s", block, refusals.lines());
        }
    }
}
