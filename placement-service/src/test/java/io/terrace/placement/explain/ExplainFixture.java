package io.terrace.placement.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.DataNodeFixture;
import io.terrace.placement.control.ControlTrial.Obstacle;
import io.terrace.placement.explain.BlockSituation.Kind;
import io.terrace.placement.explain.BlockSituation.Replica;
import io.terrace.placement.explain.FileSituation.Rule;
import io.terrace.placement.policyfile.SizeRange;
import io.terrace.placement.report.BlockReport;
import io.terrace.placement.report.HotBlock;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.placement.report.ReplicaReport.Host;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.OperatorState;
import io.terrace.placement.state.OperatorState.Order;
import io.terrace.policy.api.Explanation;
import io.terrace.policy.api.Explanation.Worth;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A block with replicas on two DataNodes of 64 MB memory; tests say what is different. */
abstract class ExplainFixture extends DataNodeFixture {

    static final String PATH = "/w/part-0095";
    static final long RIVAL = 97;
    static final long HOUR = 3_600_000;
    static final long DAY = 24 * HOUR;
    static final long WALL_MS = 1_764_000_000_000L;

    final Map<String, String> names = Map.of("one", "dn1:9866", "two", "dn2:9866");
    final List<Replica> stored =
            new ArrayList<>(List.of(new Replica("one", "dn1:9866", "disk"), new Replica("two", "dn2:9866", "disk")));
    final Map<String, ReplicaBuilder> replicas = new LinkedHashMap<>();
    final List<Move> lastMoves = new ArrayList<>();
    final Map<Long, String> rivals = new HashMap<>(Map.of(RIVAL, "/w/part-0097"));

    String path = PATH;
    Kind kind = Kind.COMPLETE;
    long megabytes = 1;
    OperatorState state = OperatorState.initial();
    SizeRange sizes = SizeRange.ANY;

    @Nullable
    FilePin pin;

    @Nullable
    Rule forbids;

    @Nullable
    HotBlock heat;

    @Nullable
    String range;

    @Nullable
    String satisfying;

    ExplainFixture() {
        nowMs = 100 * DAY;
        replicas.put("one", new ReplicaBuilder("one", true));
        replicas.put("two", new ReplicaBuilder("two", false));
    }

    final StampedBlock subject() {
        return block(95, megabytes);
    }

    final ReplicaBuilder replica(String node) {
        return replicas.get(node);
    }

    final void heat(long reads, long agoMs, long readsFromMemory) {
        heat(reads, agoMs, readsFromMemory, reads);
    }

    final void heat(long reads, long agoMs, long readsFromMemory, double decayed) {
        heat = new HotBlock(
                subject(), decayed, reads, reads * MB, readsFromMemory * MB, agoMs, names.get("one"), false);
    }

    final void paused(String by, long agoMs) {
        state = state.withPaused(new Order(by, WALL_MS - agoMs));
    }

    private DataNodeState dataNode(String uuid) {
        return uuid.equals("one") ? node : other;
    }

    final Move promotion(String uuid, Cause cause, String by) {
        return promotion(uuid, subject(), cause, by);
    }

    final Move promotionOf(long id) {
        return promotion("one", block(id, 1), Cause.POLICY, "");
    }

    private Move promotion(String uuid, StampedBlock block, Cause cause, String by) {
        Move move = moveTracker.promote(nowMs, dataNode(uuid), block, cause, "");
        move.orderedBy(by);
        if (cause == Cause.POLICY) {
            move.causedByReads(3, 2_000);
        }
        return move;
    }

    final Move drop(String uuid) {
        return moveTracker.drop(nowMs, dataNode(uuid), subject(), Cause.POLICY, "");
    }

    /** The move ended; later calls are of later moves. */
    final void ended(Move move, long agoMs, MoveOutcome outcome, String message, long tookMs) {
        move.took(tookMs);
        moveTracker.end(nowMs - agoMs, dataNode(move.node()), move, outcome, message, move.isPromotion() ? MB : 0);
        lastMoves.add(0, move);
    }

    @Nullable
    Obstacle heldBack;

    final BlockVerdict verdict() {
        BlockReport report = new BlockReport(
                95,
                heat,
                pin != null,
                null,
                range,
                heldBack,
                replicas.values().stream().map(ReplicaBuilder::build).toList(),
                List.copyOf(lastMoves));
        FileSituation file =
                new FileSituation(path, pin, forbids, sizes, state, 10 * MB, 60_000, nowMs, WALL_MS, rivals);
        return Verdicts.of(new BlockSituation(subject(), kind, stored, report, file, satisfying), names);
    }

    final void assertVerdict(String state, String why, String next) {
        assertThat(verdict())
                .extracting(BlockVerdict::state, BlockVerdict::why, BlockVerdict::next)
                .containsExactly(state, why, next);
    }

    /** What the service knows of one replica. */
    final class ReplicaBuilder {
        private final String node;
        private final boolean home;
        private boolean live = true;
        private boolean serving = true;
        private boolean pinned;
        private long silentMs;
        private long upMs = 200 * DAY;
        private long residentMs = -1;
        private long heldForMs;
        private long heldBackMs;
        private long capacity = 64;
        private long used;
        private long reserved;
        private int residents;
        private int movesBefore;
        private long megabytesBefore;
        private boolean budgetUsedUp;
        private @Nullable Explanation why;
        private @Nullable Move open;
        private @Nullable String stays;

        private ReplicaBuilder(String node, boolean home) {
            this.node = node;
            this.home = home;
        }

        ReplicaBuilder resides(long ms) {
            residentMs = ms;
            return this;
        }

        ReplicaBuilder pinned() {
            pinned = true;
            return this;
        }

        ReplicaBuilder held(long ms) {
            heldForMs = ms;
            return pinned();
        }

        ReplicaBuilder heldBack(long ms) {
            heldBackMs = ms;
            return this;
        }

        ReplicaBuilder silent(long ms) {
            live = false;
            silentMs = ms;
            return this;
        }

        ReplicaBuilder startedAgo(long ms) {
            upMs = ms;
            return this;
        }

        ReplicaBuilder notServing() {
            live = true;
            serving = false;
            return this;
        }

        ReplicaBuilder serving() {
            serving = true;
            return this;
        }

        ReplicaBuilder host(long capacityMegabytes, long usedMegabytes, long reservedMegabytes, int blocks) {
            capacity = capacityMegabytes;
            used = usedMegabytes;
            reserved = reservedMegabytes;
            residents = blocks;
            return this;
        }

        ReplicaBuilder rival(@Nullable Worth worth) {
            why = new Explanation("policy", "rule", 95, 1, 0, 0, -1, RIVAL, worth, "a sentence");
            return this;
        }

        ReplicaBuilder alone() {
            why = new Explanation("policy", "rule", 95, 1, 0, 0, -1, Explanation.NO_COMPETITOR, "a sentence");
            return this;
        }

        ReplicaBuilder unjudged() {
            why = null;
            return this;
        }

        ReplicaBuilder open(@Nullable Move move, int before, long megabytes) {
            open = move;
            movesBefore = before;
            megabytesBefore = megabytes;
            return this;
        }

        ReplicaBuilder budgetUsedUp() {
            budgetUsedUp = true;
            return this;
        }

        ReplicaBuilder stays(String reason) {
            stays = reason;
            return this;
        }

        private ReplicaReport build() {
            return new ReplicaReport(
                    node,
                    names.get(node),
                    live,
                    residentMs >= 0,
                    pinned,
                    heldForMs,
                    home,
                    home && heat != null ? 1 : 0,
                    residentMs,
                    0,
                    why,
                    open,
                    heldBackMs,
                    null,
                    stays,
                    new Host(
                            serving,
                            silentMs,
                            upMs,
                            capacity * MB,
                            used * MB,
                            reserved * MB,
                            residents,
                            movesBefore,
                            megabytesBefore * MB,
                            budgetUsedUp),
                    null);
        }
    }
}
