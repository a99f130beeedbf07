package io.terrace.placement;

import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import io.terrace.placement.Heartbeat.Heat;
import io.terrace.placement.HeartbeatAnswer.Order;
import io.terrace.placement.Move.Cause;
import io.terrace.placement.Node.Resident;
import io.terrace.placement.Rulings.Breach;
import io.terrace.placement.accesslog.AccessSink;
import io.terrace.placement.policyfile.PolicySpec;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The placement loop: takes heartbeats of DataNodes, lets each DataNode's policy decide, keeps to the budget and answers
 * with orders. An agent without a thread of its own: {@link #heartbeat} and {@link #turn} are called with the time,
 * from one thread, by {@link PlacementThread} in the NameNode and by simulations. Times are milliseconds on any clock
 * that does not run backwards.
 *
 * <p>It starts stood down, as on a standby NameNode; {@link #activate} begins an epoch with nothing known, which the
 * DataNodes' full reports then fill. The heat of an earlier epoch is lost.
 */
public final class Placement {

    /** DataNodes that are taken on; heartbeats of more are answered like a standby's. */
    public static final int MOST_NODES = 10_000;

    private final PlacementSettings settings;
    private final NameView view;
    private final Figures figures;
    private final Regime regime;
    private final HeartbeatBounds bounds;
    private Board board;
    private Rulings rulings;
    private Intake intake;
    private Planner planner;
    private Dispatcher dispatcher;
    private Pins pins;
    private @Nullable Rehearsal rehearsal;
    private AccessSink accesses = AccessSink.NONE;

    private long epoch;
    private boolean active;
    private StandingOrders orders = StandingOrders.initial();
    private long tickedMs = Long.MIN_VALUE;

    public Placement(PlacementSettings settings, NameView view, Figures figures) {
        this(settings, view, figures, PolicySpec::make);
    }

    /** As above with another maker of policies. */
    public Placement(PlacementSettings settings, NameView view, Figures figures, PolicyMaker maker) {
        this.settings = settings;
        this.view = view;
        this.figures = figures;
        this.bounds = new HeartbeatBounds(settings, figures);
        this.regime = new Regime(settings.choice(), maker, figures);
        this.board = new Board(settings, figures);
        this.rulings = new Rulings(board, view, regime.spec());
        this.intake = new Intake(board, rulings, new Witnesses(board, view));
        this.planner = new Planner(board, rulings);
        this.dispatcher = new Dispatcher(board, view);
        this.pins = new Pins(board, view, rulings);
    }

    /** Who is told of all accesses from now on; to be set before the first heartbeat. */
    public void tellAccesses(AccessSink sink) {
        accesses = sink;
    }

    /**
     * This NameNode decides from now on.
     *
     * @param newEpoch higher than every earlier one of the cluster
     */
    public void activate(long newEpoch, StandingOrders standingOrders) {
        if (newEpoch <= epoch) {
            throw new IllegalArgumentException("epoch " + newEpoch + " does not follow " + epoch);
        }
        reset();
        epoch = newEpoch;
        orders = standingOrders;
        active = true;
    }

    /** Another NameNode decides; everything known is dropped. */
    public void standDown() {
        active = false;
        reset();
    }

    private void reset() {
        board = new Board(settings, figures);
        dispatcher = new Dispatcher(board, view);
        pins = new Pins(board, view, rulings);
        rehearsal = null;
        rulesChanged();
        tickedMs = Long.MIN_VALUE;
    }

    private void rulesChanged() {
        rulings = new Rulings(board, view, regime.spec());
        intake = new Intake(board, rulings, new Witnesses(board, view));
        planner = new Planner(board, rulings);
        pins.obey(rulings);
    }

    /** What the operator wants has changed. */
    public void standingOrders(StandingOrders changed) {
        orders = changed;
        pins.changed();
    }

    /**
     * Another policy is to be in force from now on, on every DataNode. What is in memory stays there, and the policy in
     * force stays in force if the other one cannot be made.
     *
     * @return null, or why the policy stays as it is
     */
    public @Nullable String policy(long nowMs, PolicyChoice wanted) {
        if (wanted.equals(regime.inForce()) && regime.trouble() == null) {
            return null;
        }
        String refusal = new PolicySwitch(board, regime).to(nowMs, wanted);
        if (refusal == null) {
            rulesChanged();
        }
        return refusal;
    }

    /**
     * Lets a policy decide beside the one in force, on the same accesses; it moves nothing. One at a time.
     *
     * @param forMs it ends by itself after this
     * @return null, or why it cannot
     */
    public @Nullable String rehearse(long nowMs, PolicyChoice candidate, long forMs) {
        if (rehearsal != null && rehearsal.isRunning(nowMs)) {
            return "policy " + rehearsal.policy() + " is being rehearsed; end that first";
        }
        Placement understudy = new Placement(settings, view, new Figures(), regime.maker());
        try {
            String refusal = understudy.policy(nowMs, candidate);
            if (refusal == null) {
                understudy.activate(1, orders);
                rehearsal = new Rehearsal(nowMs, forMs, understudy, board, settings);
                refusal = understudy.learn(nowMs, board);
            }
            if (refusal != null) {
                rehearsal = null;
            }
            return refusal;
        } catch (RuntimeException | LinkageError e) {
            rehearsal = null;
            return "the policy failed: " + e;
        }
    }

    /** Ends the rehearsal, if one runs; what it came to is kept until the next one. */
    public void endRehearsal(long nowMs) {
        if (rehearsal != null) {
            rehearsal.end(nowMs);
        }
    }

    /** The rehearsal that runs or ran last in this epoch; null when none did. */
    public @Nullable Rehearsal rehearsal() {
        return rehearsal;
    }

    /** Takes over the heat of another loop's DataNodes and lets the policy know it, as a switch of policies does. */
    private @Nullable String learn(long nowMs, Board other) {
        for (BlockHeat heat : other.heat().latest(PolicySwitch.REPLAYED_BLOCKS)) {
            board.heat().put(heat.copied(node -> board.nodes().get(node.uuid())));
        }
        return new PolicySwitch(board, regime).to(nowMs, regime.inForce());
    }

    /** Something broke the loop; if it was the policy, another one takes its place, which is what is answered. */
    boolean distrustPolicy(Throwable e) {
        return regime.distrust(e);
    }

    public PolicyChoice policyInForce() {
        return regime.inForce();
    }

    /** Why what is wanted is not in force; null when it is. */
    public @Nullable String policyTrouble() {
        return regime.trouble();
    }

    /** Takes a heartbeat, within {@link HeartbeatBounds}, and says what its DataNode is to do. */
    public HeartbeatAnswer heartbeat(long nowMs, Heartbeat said) {
        figures.increment(Figure.PLACEMENT_HEARTBEATS);
        if (!active) {
            return HeartbeatAnswer.standby(settings.heartbeatMs());
        }
        Node node = board.nodes().get(said.node());
        if (node == null) {
            if (board.nodes().size() >= MOST_NODES) {
                return HeartbeatAnswer.standby(settings.heartbeatMs() * 40);
            }
            node = new Node(said.node(), settings, regime.make(), nowMs);
            board.nodes().put(said.node(), node);
        } else if (node.answersAgain(said)) {
            figures.increment(Figure.PLACEMENT_HEARTBEATS_AGAIN);
            HeartbeatAnswer again = node.lastAnswer();
            if (again != null) {
                return again;
            }
        }
        node.allowances().grow(nowMs);
        Heartbeat heartbeat = bounds.bounded(said, node.allowances());
        if (rehearsal != null) {
            rehearsal.heartbeat(nowMs, node, heartbeat);
        }
        take(nowMs, node, heartbeat);
        List<Order> toDo = decide(nowMs, node);
        HeartbeatAnswer answer =
                new HeartbeatAnswer(true, epoch, orders.serve(), node.owesFull(nowMs), toDo, heartbeatIntervalMs());
        node.answered(answer);
        return answer;
    }

    private void take(long nowMs, Node node, Heartbeat heartbeat) {
        if (node.note(nowMs, heartbeat)) {
            dispatcher.abandon(nowMs, node, "the DataNode was started anew");
            for (Resident resident : List.copyOf(node.residents().values())) {
                node.leave(resident.block.id());
                board.correct(nowMs, node, resident.block, false);
            }
        }
        boolean answerLost = heartbeat.full() && !node.owedFull();
        intake.results(nowMs, epoch, node, heartbeat.results());
        if (answerLost) {
            // A DataNode that reports everything unasked did not get its last answer, nor the orders in it.
            dispatcher.sendAgain(node);
        }
        intake.residency(nowMs, node, heartbeat.residency(), heartbeat.full());
        for (Heat entry : heartbeat.heat()) {
            StampedBlock block = entry.block();
            accesses.accesses(
                    block.id(),
                    block.lengthBytes(),
                    entry.reads(),
                    entry.bytesRead(),
                    entry.writes(),
                    entry.bytesWritten());
        }
        intake.heat(nowMs, node, heartbeat.heat());
    }

    private List<Order> decide(long nowMs, Node node) {
        planEverywhere(nowMs);
        if (!mayMove()) {
            return List.of();
        }
        dispatcher.examine(nowMs, node);
        List<Order> toDo = dispatcher.dispatch(nowMs, node);
        planner.plan(nowMs, node, true);
        return toDo;
    }

    private boolean mayMove() {
        return orders.moves() && orders.serve();
    }

    private void planEverywhere(long nowMs) {
        for (Node node : board.nodes().values()) {
            if (!node.wishes().isEmpty()) {
                planner.plan(nowMs, node, mayMove());
            }
        }
    }

    /** Longer with many DataNodes, so that no more than a thousand heartbeats a second arrive. */
    private int heartbeatIntervalMs() {
        return Math.max(settings.heartbeatMs(), board.nodes().size());
    }

    /**
     * What does not wait for a heartbeat: pins, lost orders, DataNodes that went silent, the policies' clocks. To be
     * called about every {@link PlacementSettings#intervalMs}.
     *
     * @return DataNodes looked at; 0 while stood down
     */
    public int turn(long nowMs) {
        if (!active) {
            return 0;
        }
        if (rehearsal != null) {
            rehearsal.turn(nowMs, orders);
        }
        if (mayMove()) {
            pins.turn(nowMs, orders);
            for (Breach breach : rulings.sweep(nowMs)) {
                String why = breach.ruling().sentence();
                board.dropCopy(nowMs, breach.node(), breach.block().id(), Cause.RULE, why);
            }
        }
        boolean tick = tickedMs == Long.MIN_VALUE || nowMs - tickedMs >= 1000;
        if (tick) {
            tickedMs = nowMs;
        }
        List<Node> gone = new ArrayList<>();
        for (Node node : board.nodes().values()) {
            long silentMs = nowMs - node.lastMs();
            if (node.isLive() && silentMs > settings.expiryMs()) {
                node.expire();
                dispatcher.abandon(nowMs, node, "the DataNode fell silent");
            }
            if (silentMs > settings.forgetMs()) {
                gone.add(node);
            }
            dispatcher.expire(nowMs, node);
            if (tick) {
                node.policy().tick(nowMs, node::wish);
            }
        }
        for (Node node : gone) {
            board.nodes().remove(node.uuid());
            board.heat().all().forEach(heat -> heat.forget(node));
        }
        planEverywhere(nowMs);
        return board.nodes().size();
    }

    /** Moves on an operator's word; good until the next call of anything else. */
    public OperatorMoves operator() {
        String stopped = orders.serve() ? orders.moves() ? null : "moves are paused" : "Terrace is off";
        return new OperatorMoves(board, planner, stopped);
    }

    public boolean isActive() {
        return active;
    }

    public long epoch() {
        return epoch;
    }

    public StandingOrders standingOrders() {
        return orders;
    }

    /** Reports on the present state, for the thread that owns the loop. */
    public Reports reports() {
        return new Reports(board, pins, rulings, settings);
    }

    /** The loop's gauges. */
    public Vitals vitals() {
        int silent = 0;
        int waiting = 0;
        int inFlight = 0;
        long resident = 0;
        for (Node node : board.nodes().values()) {
            silent += node.isLive() ? 0 : 1;
            waiting += node.agenda().waitingCount();
            inFlight += node.agenda().inFlightCount();
            resident += node.residents().size();
        }
        return new Vitals(
                active,
                active ? epoch : 0,
                orders,
                policyInForce().spec().policy(),
                board.nodes().size(),
                silent,
                board.heat().size(),
                resident,
                pins.size(),
                waiting,
                inFlight,
                reports().memoryBytes());
    }
}
