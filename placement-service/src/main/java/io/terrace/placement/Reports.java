package io.terrace.placement;

import io.terrace.placement.Heartbeat.Condition;
import io.terrace.placement.Heartbeat.TierState;
import io.terrace.policy.Explanation;
import io.terrace.policy.pool.PoolUse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answers to an operator's questions, as plain records without ties to the loop. To be asked on the thread that owns the
 * loop; the answers may go anywhere.
 */
public final class Reports {

    private final Board board;
    private final Pins pins;
    private final Rulings rulings;
    private final PlacementSettings settings;

    Reports(Board board, Pins pins, Rulings rulings, PlacementSettings settings) {
        this.rulings = rulings;
        this.board = board;
        this.pins = pins;
        this.settings = settings;
    }

    /** One DataNode; ages in milliseconds. */
    public record NodeReport(
            String uuid,
            String name,
            boolean live,
            boolean serving,
            boolean idle,
            long silentMs,
            long upMs,
            List<TierState> tiers,
            int residents,
            long pinnedBytes,
            int movesWaiting,
            int movesInFlight,
            List<PoolUse> pools,
            List<Condition> conditions,
            Map<String, Long> figures) {}

    /** One hot block. */
    public record HotBlock(
            StampedBlock block,
            double heat,
            long reads,
            long bytesRead,
            long bytesFromMemory,
            long lastReadAgoMs,
            @Nullable String home,
            boolean inMemory) {}

    /** A DataNode's part in a block. */
    public record Standing(
            String node,
            String name,
            boolean live,
            boolean inMemory,
            boolean pinned,
            boolean home,
            double share,
            long residentSinceMs,
            long bytesServedFromMemory,
            @Nullable Explanation why,
            @Nullable Move open,
            long heldBackMs) {}

    /** Everything known of one block; {@code excluded} says why it can never be promoted. */
    public record BlockReport(
            long blockId,
            @Nullable HotBlock heat,
            boolean pinned,
            @Nullable String excluded,
            List<Standing> standings,
            List<Move> lastMoves) {}

    public List<NodeReport> nodes(long nowMs) {
        List<NodeReport> reports = new ArrayList<>();
        for (Node node : board.nodes().values()) {
            reports.add(new NodeReport(
                    node.uuid(),
                    node.name(),
                    node.isLive(),
                    node.isServing(),
                    node.isIdle(),
                    nowMs - node.lastMs(),
                    nowMs - node.firstMs(),
                    node.tiers(),
                    node.residents().size(),
                    node.pinnedBytes(),
                    node.agenda().waitingCount(),
                    node.agenda().inFlightCount(),
                    node.policy().pools(),
                    node.conditions(),
                    node.figures()));
        }
        return reports;
    }

    public List<HotBlock> top(long nowMs, int count) {
        return board.heat().hottest(nowMs, count).stream()
                .map(heat -> hot(nowMs, heat))
                .toList();
    }

    private HotBlock hot(long nowMs, BlockHeat heat) {
        Node home = heat.home();
        return new HotBlock(
                heat.block(),
                heat.heat(nowMs, settings.halfLifeMs()),
                heat.reads(),
                heat.bytesRead(),
                heat.bytesFromMemory(),
                nowMs - heat.lastMs(),
                home == null ? null : home.name(),
                home != null && home.residents().containsKey(heat.block().id()));
    }

    public BlockReport block(long nowMs, long blockId, int moves) {
        BlockHeat heat = board.heat().find(blockId);
        List<Standing> standings = new ArrayList<>();
        for (Node node : board.nodes().values()) {
            Node.Resident resident = node.residents().get(blockId);
            Move open = node.agenda().open(blockId);
            Explanation why = node.policy().explain(nowMs, blockId);
            float share = heat == null ? 0 : heat.shareOf(node);
            boolean home = heat != null && heat.home() == node;
            if (resident == null && open == null && why == null && share == 0 && !home) {
                continue;
            }
            standings.add(new Standing(
                    node.uuid(),
                    node.name(),
                    node.isLive(),
                    resident != null,
                    node.isPinned(blockId),
                    home,
                    share,
                    resident == null ? -1 : nowMs - resident.sinceMs,
                    resident == null ? 0 : resident.bytesServed,
                    why,
                    open,
                    Math.max(0, node.backOff().untilMs(blockId) - nowMs)));
        }
        return new BlockReport(
                blockId,
                heat == null ? null : hot(nowMs, heat),
                pins.find(blockId) != null,
                excluded(heat),
                standings,
                board.chronicle().of(blockId, moves));
    }

    private @Nullable String excluded(@Nullable BlockHeat heat) {
        if (heat == null) {
            return null;
        }
        NameView.Verdict verdict = heat.excluded();
        Ruling ruling = rulings.known(heat);
        return verdict != null ? verdict.text() : ruling != null && ruling.forbids() ? ruling.sentence() : null;
    }

    public List<Move> latestMoves(int most) {
        return board.chronicle().latest(most);
    }

    public int trackedBlocks() {
        return board.heat().size();
    }

    public long blocksForgotten() {
        return board.heat().forgotten();
    }

    /** Memory that heat and the policies hold, estimated. */
    public long memoryBytes() {
        long policies = board.nodes().values().stream()
                .mapToLong(n -> n.policy().memoryBytes())
                .sum();
        return board.heat().memoryBytes() + policies;
    }

    public int pinnedBlocks() {
        return pins.size();
    }
}
