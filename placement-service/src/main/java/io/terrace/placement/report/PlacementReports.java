package io.terrace.placement.report;

import io.terrace.common.StorageTier;
import io.terrace.placement.control.Benefit;
import io.terrace.placement.control.ReportCodec;
import io.terrace.placement.heartbeat.Heartbeat.TierState;
import io.terrace.placement.move.HeldBlocks;
import io.terrace.placement.move.PinnedBlocks;
import io.terrace.placement.policy.RuleEvaluator;
import io.terrace.placement.policyfile.RuleDecision;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.HomeSelector;
import io.terrace.placement.state.HomeSelector.Standing;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.MoveHistory;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.ResidentBlocks.Resident;
import io.terrace.placement.volume.VolumePlacement;
import io.terrace.policy.api.Explanation;
import io.terrace.policy.api.PoolUsage;
import io.terrace.protocol.proto.AdminProtos.ReportResponseProto;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Answers to an operator's questions, as plain records without ties to the loop. To be asked on the thread that owns the
 * loop; the answers may go anywhere.
 */
public final class PlacementReports {

    private final ClusterState clusterState;
    private final PinnedBlocks pins;
    private final RuleEvaluator ruleEvaluator;
    private final VolumePlacement volumes;
    private final HomeSelector homeSelector;

    public PlacementReports(
            ClusterState clusterState, PinnedBlocks pins, RuleEvaluator ruleEvaluator, VolumePlacement volumes) {
        this.volumes = volumes;
        this.ruleEvaluator = ruleEvaluator;
        this.clusterState = clusterState;
        this.pins = pins;
        this.homeSelector = new HomeSelector(clusterState);
    }

    public List<NodeReport> nodes(long nowMs) {
        List<NodeReport> reports = new ArrayList<>();
        for (DataNodeState node : clusterState.nodes().values()) {
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
                    node.residents().reservedBytes(),
                    node.moveQueue().waitingCount(),
                    node.moveQueue().inFlightCount(),
                    pools(nowMs, node),
                    node.conditions(),
                    node.figures(),
                    node.release(),
                    node.leaving(),
                    node.resize(),
                    node.resized()));
        }
        return reports;
    }

    /**
     * What is sampled of a DataNode every few seconds.
     *
     * @param figures its metrics by id, as of its last heartbeat that had them
     */
    public record Activity(String uuid, List<TierState> tiers, int movesInFlight, Map<String, Long> figures) {}

    /** Of all DataNodes; much cheaper than {@link #nodes}. */
    public List<Activity> activity() {
        List<Activity> all = new ArrayList<>(clusterState.nodes().size());
        for (DataNodeState node : clusterState.nodes().values()) {
            all.add(new Activity(node.uuid(), node.tiers(), node.moveQueue().inFlightCount(), node.figures()));
        }
        return all;
    }

    private List<PoolUsage> pools(long nowMs, DataNodeState node) {
        List<PoolUsage> usages = new ArrayList<>(node.policy().pools());
        usages.addAll(volumes.pools(nowMs, node));
        return usages;
    }

    public List<HotBlock> top(long nowMs, int count) {
        return clusterState.heat().hottest(nowMs, count).stream()
                .map(heat -> hot(nowMs, heat))
                .toList();
    }

    private HotBlock hot(long nowMs, BlockHeat heat) {
        DataNodeState home = heat.home();
        return new HotBlock(
                heat.block(),
                heat.heat(nowMs, clusterState.heatSettings().halfLifeMs()),
                heat.reads(),
                heat.bytesRead(),
                heat.bytesFromMemory(),
                nowMs - heat.lastMs(),
                home == null ? null : home.name(),
                home != null && home.residents().holds(heat.block().id()));
    }

    /** What operators call the DataNodes, by UUID. */
    public Map<String, String> names() {
        Map<String, String> names = new HashMap<>();
        clusterState.nodes().values().forEach(node -> names.put(node.uuid(), node.name()));
        return names;
    }

    /**
     * A block that is asked about.
     *
     * @param holders UUIDs of DataNodes that are told of in any case
     * @param placed as the NameNode has it now; null if that is not known
     */
    public record Asked(long blockId, Set<String> holders, @Nullable Placed placed) {}

    /**
     * What is known of blocks: on their holders, where their reads count, and where a copy is or a move is open. Of thousands of
     * DataNodes all others are passed over quickly.
     *
     * @param moves that ended; at most so many of each block
     */
    public List<BlockReport> blocks(long nowMs, List<Asked> blocks, int moves) {
        Map<String, BitSet> named = new HashMap<>();
        List<List<DataNodeState>> looked = new ArrayList<>();
        for (int i = 0; i < blocks.size(); i++) {
            int number = i;
            looked.add(new ArrayList<>());
            BlockHeat heat = clusterState.heat().peek(blocks.get(i).blockId);
            Stream<String> reporters =
                    heat == null ? Stream.empty() : heat.reporters().stream().map(DataNodeState::uuid);
            Stream.concat(blocks.get(i).holders.stream(), reporters)
                    .forEach(uuid ->
                            named.computeIfAbsent(uuid, first -> new BitSet()).set(number));
        }
        BitSet none = new BitSet();
        for (DataNodeState node : clusterState.nodes().values()) {
            BitSet ofNode = named.getOrDefault(node.uuid(), none);
            for (int i = 0; i < blocks.size(); i++) {
                if (ofNode.get(i) || hasCopyOrMove(node, blocks.get(i).blockId)) {
                    looked.get(i).add(node);
                }
            }
        }
        List<BlockReport> reports = new ArrayList<>();
        for (int i = 0; i < blocks.size(); i++) {
            reports.add(block(nowMs, blocks.get(i), looked.get(i), moves));
        }
        return reports;
    }

    private static boolean hasCopyOrMove(DataNodeState node, long blockId) {
        return node.residents().find(blockId) != null
                || node.moveQueue().open(blockId) != null
                || node.volumeMoves().open(blockId) != null;
    }

    /** What any DataNode knows of a block, at most so many moves that ended among it. */
    public BlockReport block(long nowMs, long blockId, int moves) {
        return block(
                nowMs, new Asked(blockId, Set.of(), null), clusterState.nodes().values(), moves);
    }

    private BlockReport block(long nowMs, Asked asked, Collection<DataNodeState> nodes, int moves) {
        long blockId = asked.blockId;
        Set<String> holders = asked.holders;
        Placed placed = asked.placed;
        // Who asks is no reader.
        BlockHeat heat = clusterState.heat().peek(blockId);
        List<ReplicaReport> replicas = new ArrayList<>();
        for (DataNodeState node : nodes) {
            Resident resident = node.residents().find(blockId);
            Move open = node.moveQueue().open(blockId);
            Move between = node.volumeMoves().open(blockId);
            String stays = volumes.stays(nowMs, blockId, node, holders.contains(node.uuid()) ? placed : null);
            Explanation why = node.policy().explain(nowMs, blockId);
            float share = heat == null ? 0 : heat.shareOf(node);
            boolean home = heat != null && heat.home() == node;
            if (!holders.contains(node.uuid())
                    && resident == null
                    && open == null
                    && between == null
                    && stays == null
                    && why == null
                    && share == 0
                    && !home) {
                continue;
            }
            replicas.add(new ReplicaReport(
                    node.uuid(),
                    node.name(),
                    node.isLive(),
                    resident != null,
                    node.residents().isPinned(blockId),
                    HeldBlocks.heldForMs(nowMs, node, blockId),
                    home,
                    share,
                    resident == null ? -1 : nowMs - resident.sinceMs,
                    resident == null ? 0 : resident.bytesServed,
                    why,
                    open,
                    Math.max(0, node.backoffTable().untilMs(blockId) - nowMs),
                    between,
                    stays,
                    host(nowMs, node, open),
                    heat == null ? null : standing(nowMs, heat, node)));
        }
        return new BlockReport(
                blockId,
                heat == null ? null : hot(nowMs, heat),
                pins.find(blockId) != null,
                excluded(heat),
                range(nowMs, blockId, placed),
                clusterState.controlTrial().obstacle(nowMs, StorageTier.MEMORY, blockId),
                replicas,
                clusterState.moveTracker().history().of(blockId, moves));
    }

    private @Nullable String range(long nowMs, long blockId, @Nullable Placed placed) {
        String range = volumes.range(blockId, placed);
        return range == null ? null : range + clusterState.controlTrial().ofVolumes(nowMs, blockId);
    }

    private ReplicaReport.Host host(long nowMs, DataNodeState node, @Nullable Move open) {
        int movesBefore = 0;
        long bytesBefore = 0;
        if (open != null && open.isPromotion() && !open.isSent()) {
            for (Move move : node.moveQueue().waiting()) {
                if (move == open) {
                    break;
                }
                movesBefore += move.isPromotion() ? 1 : 0;
                bytesBefore += move.isPromotion() ? move.block().lengthBytes() : 0;
            }
        }
        return new ReplicaReport.Host(
                node.isServing(),
                nowMs - node.lastMs(),
                nowMs - node.firstMs(),
                node.memory().capacityBytes(),
                node.memory().usedBytes(),
                node.residents().reservedBytes(),
                node.residents().size(),
                movesBefore,
                bytesBefore,
                clusterState.moveSettings().isBudgetUsedUp(node));
    }

    private @Nullable Standing standing(long nowMs, BlockHeat heat, DataNodeState node) {
        RuleDecision ruleDecision = ruleEvaluator.known(heat);
        return homeSelector.fits(nowMs, node, heat.block().id(), heat.block().lengthBytes())
                ? homeSelector.standing(nowMs, node, heat, ruleDecision == null ? 0 : ruleDecision.pool())
                : null;
    }

    private @Nullable String excluded(@Nullable BlockHeat heat) {
        if (heat == null) {
            return null;
        }
        NamespaceView.Verdict verdict = heat.excluded();
        RuleDecision ruleDecision = ruleEvaluator.known(heat);
        return verdict != null
                ? verdict.text()
                : ruleDecision != null && ruleDecision.forbids() ? ruleDecision.sentence() : null;
    }

    /** The moves between volumes that are in flight, then those that wait, then the latest that ended; at most so many of each. */
    public List<Move> volumeMoves(int most) {
        List<Move> sent = new ArrayList<>();
        List<Move> waiting = new ArrayList<>();
        for (DataNodeState node : clusterState.nodes().values()) {
            sent.addAll(node.volumeMoves().inFlight());
            waiting.addAll(node.volumeMoves().waiting());
        }
        return Stream.of(
                        sent.stream(),
                        waiting.stream(),
                        latestMoves(MoveHistory.MOST_MOVES).stream().filter(move -> move.volumes() != null))
                .flatMap(moves -> moves.limit(most))
                .toList();
    }

    /** Moves of both sorts that DataNodes carry out now, oldest first on each; at most so many. */
    public List<Move> movesInFlight(int most) {
        return clusterState.nodes().values().stream()
                .flatMap(node ->
                        Stream.concat(node.moveQueue().inFlight().stream(), node.volumeMoves().inFlight().stream()))
                .limit(most)
                .toList();
    }

    public List<Move> latestMoves(int most) {
        return clusterState.moveTracker().history().latest(most);
    }

    /** Moves by their ids, open or ended, as far as they are known; in no order. */
    public List<Move> moves(Set<Long> ids) {
        List<Move> found = new ArrayList<>();
        for (DataNodeState node : clusterState.nodes().values()) {
            found.addAll(node.moveQueue().all());
            found.addAll(node.volumeMoves().all());
        }
        found.addAll(latestMoves(MoveHistory.MOST_MOVES));
        found.removeIf(move -> !ids.contains(move.id()));
        return found;
    }

    /** What tiers are worth, by read times. */
    public ReportResponseProto readTimes(long nowMs) {
        return ReportCodec.report(nowMs, clusterState.controlTrial());
    }

    /** What tiers are worth, fastest first. */
    public List<Benefit> benefits(long nowMs) {
        return clusterState.controlTrial().benefits(nowMs);
    }

    /** Those of tiers into which nothing climbs by heat now. */
    public List<Benefit> tiersLeft(long nowMs) {
        return benefits(nowMs).stream()
                .filter(benefit -> benefit.leftForMs() > 0)
                .toList();
    }

    public int trackedBlocks() {
        return clusterState.heat().size();
    }

    /** The files that rules pin: by inode, the number of the rule; 0 for annotations without a rule. */
    public Map<Long, Integer> rulePins() {
        return ruleEvaluator.pins().rules();
    }

    /** Bytes of the files that the rule of that number pins. */
    public long rulePinnedBytes(int rule) {
        return ruleEvaluator.pins().pinnedBytes(rule);
    }

    /** Bytes that are looked after for each pin of an operator, by inode. */
    public Map<Long, Long> pinnedBytes() {
        return pins.bytesByPin();
    }

    /** Blocks of pinned directories that are beyond the limit, by inode. */
    public Map<Long, Long> pinnedLeftOut() {
        return pins.leftOutByDirectory();
    }

    /** Blocks of pinned files and directories that are beyond the limit. */
    public long pinnedBlocksLeftOut() {
        return pins.leftOut();
    }

    public int pinnedBlocks() {
        return pins.size();
    }
}
