package io.terrace.placement.move;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.move.AheadCopies.End;
import io.terrace.placement.move.AheadCopies.Ended;
import io.terrace.placement.move.AheadCopies.Read;
import io.terrace.placement.move.ReadAhead.Next;
import io.terrace.placement.move.WrittenBlocks.Wish;
import io.terrace.placement.policyfile.RuleDecision;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.HomeChoice;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Named;
import io.terrace.policy.firstread.DirectoryPattern;
import io.terrace.policy.firstread.FirstReadModel;
import io.terrace.policy.firstread.FirstReadModel.Estimate;
import io.terrace.policy.firstread.MemoryYield;
import io.terrace.policy.firstread.VainLimit;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Has blocks copied into memory before their first read. It learns by directory which blocks are read soon after they were
 * written ({@link FirstReadModel}); of a directory where nearly all are, new blocks are copied once they are written
 * ({@link WrittenBlocks}), if that is worth as much as what memory earns otherwise ({@link MemoryYield}). Such a copy is held
 * until the first read; where none comes in time, the policy decides about it, and its bytes count as copied in vain
 * ({@link VainLimit}). What {@link ReadAhead} has copied ahead of readers is held alike, within the same bounds.
 *
 * <p>What was learned is forgotten when another NameNode decides. Owned by the loop's thread.
 */
public final class FirstReads {

    private static final int MOST_DIRECTORIES = 4_096;
    private static final int MOST_AWAITED = 100_000;
    private static final long LOOK_MS = 1_000;

    /** So many of the readers must find a copy: stock clients read the replica that stock HDFS chooses. */
    private static final double LEAST_REACH = 0.8;

    /** Holders of a block that was just written, at least: it is not known how many it has. */
    private static final int HOLDERS = 2;

    private final FirstReadSettings settings;
    private final ClusterState clusterState;
    private final HomeChoice homeChoice;
    private final WrittenBlocks writtenBlocks;
    private final MetricRegistry metricRegistry;
    private final FirstReadModel model;
    private final VainLimit limit;
    private final MemoryYield memoryYield = new MemoryYield();
    private final AheadCopies ahead;
    private final ReadAhead readAhead;
    private long countedBytes;
    private long lookedMs = Long.MIN_VALUE;
    /** For a figure, which others read. */
    private volatile long copyMs;

    public FirstReads(
            FirstReadSettings settings,
            ClusterState clusterState,
            NamespaceView view,
            HomeChoice homeChoice,
            WrittenBlocks writtenBlocks) {
        this.settings = settings;
        this.clusterState = clusterState;
        this.homeChoice = homeChoice;
        this.writtenBlocks = writtenBlocks;
        this.metricRegistry = clusterState.metricRegistry();
        this.model = new FirstReadModel(settings.withinMs(), MOST_DIRECTORIES, MOST_AWAITED);
        this.limit = new VainLimit(settings.vainShare(), settings.atFirstBytes());
        this.readAhead = new ReadAhead(settings, clusterState, view, this::comes);
        this.ahead = new AheadCopies(readAhead::copied);
        this.countedBytes = metricRegistry.value(Metric.PLACEMENT_PROMOTED_BYTES);
        metricRegistry.gauge(Metric.PLACEMENT_READ_AHEAD_COPY_MS, () -> copyMs);
    }

    /**
     * Whether it wants to know the file of a block: of one that was written, if it was not told of that write before; of one that
     * was read, if it may be the first of a file.
     */
    public boolean asksFor(long nowMs, Heat entry) {
        long blockId = entry.block().id();
        return settings.isOn()
                && ((entry.writes() > 0 && !model.knowsWriteOf(nowMs, blockId))
                        || (entry.reads() > 0 && readAhead.asksFor(nowMs, blockId)));
    }

    /**
     * A DataNode reports that a client has written a block.
     *
     * @param path of its file; null where it was not looked up, so nothing is learned
     */
    public void written(
            long nowMs, DataNodeState node, StampedBlock block, RuleDecision ruleDecision, @Nullable String path) {
        if (settings.isOn() && ahead.contains(block.id())) {
            writtenBlocks.writtenToo(node, block);
        }
        if (!settings.isOn() || path == null || model.awaits(nowMs, block.id())) {
            return;
        }
        String directory = DirectoryPattern.of(path);
        Estimate estimate = model.estimate(directory);
        boolean expected = model.expects(directory, block.lengthBytes());
        int holders = Math.min(HOLDERS, clusterState.nodes().size());
        boolean worth = expected && isWorth(model.worth(nowMs, directory), holders);
        model.written(nowMs, block.id(), block.lengthBytes(), directory);
        if (expected
                && estimate != null
                && !ruleDecision.writesToMemory()
                && !ahead.contains(block.id())
                && !clusterState.controlTrial().holds(block.id())) {
            if (worth && limit.allows(ahead.bytes() + block.lengthBytes())) {
                ahead.want(nowMs, block, Cause.FIRST_READ);
                String reason = reason(directory, estimate);
                writtenBlocks.want(
                        nowMs, List.of(node), block, Cause.FIRST_READ, reason, wish(block, Cause.FIRST_READ));
            } else {
                metricRegistry.increment(Metric.PLACEMENT_FIRST_READ_REFUSED);
            }
        }
    }

    private String reason(String directory, Estimate estimate) {
        return Math.round(estimate.readShare() * 100) + " % of what is written to directories like " + directory
                + " is read soon after";
    }

    /** Whether copies on one of so many holders of a block are found by their readers, and then worth their room. */
    private boolean isWorth(double worth, int holders) {
        double reach = clusterState.reach().expected(holders);
        return reach >= LEAST_REACH && memoryYield.justifies(reach * worth);
    }

    private Wish wish(StampedBlock block, Cause cause) {
        return new Wish() {
            @Override
            public boolean isAwaited(long nowMs) {
                return FirstReads.this.isAwaited(nowMs, block, cause);
            }

            @Override
            public void ordered(@Nullable DataNodeState node) {
                ahead.ordered(block, node);
            }
        };
    }

    /** A reader is on the way to a block. It is copied if that is worth the room, and within the bound. */
    private void comes(long nowMs, Next next) {
        StampedBlock block = next.block();
        BlockHeat known = clusterState.heat().peek(block.id());
        boolean isOther =
                known != null && !known.block().sameContent(block); // What was looked up is older, or was not read yet.
        if (isOther
                || ahead.contains(block.id())
                || clusterState.controlTrial().holds(block.id())
                || next.holders().stream().anyMatch(node -> node.residents().holds(block.id()))) {
            return;
        }
        if (!isWorth(next.worth(), next.holders().size()) || !limit.allows(ahead.bytes() + block.lengthBytes())) {
            metricRegistry.increment(Metric.PLACEMENT_READ_AHEAD_REFUSED);
            return;
        }
        BlockHeat heat = clusterState.heat().touch(nowMs, block);
        if (!heat.isLocated(nowMs)) {
            heat.locate(next.lookedMs(), next.holders());
        }
        Set<DataNodeState> nodes = new LinkedHashSet<>();
        DataNodeState home = homeChoice.choose(nowMs, heat, next.pool());
        if (home != null && next.holders().contains(home)) {
            nodes.add(home);
        }
        nodes.addAll(next.holders());
        ahead.want(nowMs, block, Cause.READ_AHEAD);
        writtenBlocks.want(
                nowMs, List.copyOf(nodes), block, Cause.READ_AHEAD, next.reason(), wish(block, Cause.READ_AHEAD));
    }

    /**
     * The file of a block that was read was looked up, or the block is gone; whatever comes of it, that is not done again
     * soon.
     */
    public void lookedUp(long nowMs, long blockId) {
        if (settings.isOn()) {
            readAhead.lookedUp(nowMs, blockId);
        }
    }

    /**
     * A DataNode reports that it served reads of a block. If its copy waited for that, it is the policy's from now on.
     *
     * @param named its file; null where it was not looked up
     * @param pool of the block
     */
    public void read(long nowMs, DataNodeState node, Heat entry, @Nullable Named named, int pool) {
        if (!settings.isOn()) {
            return;
        }
        long blockId = entry.block().id();
        if (!model.read(nowMs, blockId) && !ahead.contains(blockId)) {
            // By where the copy is, not by bytes: a stock read is reported as it begins, its bytes as it ends.
            memoryYield.served(node.residents().holds(blockId) ? entry.reads() : 0);
        } else {
            writtenBlocks.withdraw(blockId);
            copyRead(nowMs, blockId, node);
        }
        readAhead.read(nowMs, entry, named, pool);
    }

    private void copyRead(long nowMs, long blockId, DataNodeState reporter) {
        Read read = ahead.read(blockId, reporter);
        if (read == null) {
            return;
        }
        if (read.isThere()) {
            if (read.found()) {
                metricRegistry.increment(
                        read.cause() == Cause.FIRST_READ
                                ? Metric.PLACEMENT_FIRST_READ_SERVED
                                : Metric.PLACEMENT_READ_AHEAD_SERVED);
            } else {
                inVain(read.block(), read.cause());
            }
            HeldBlocks.release(clusterState, nowMs, read.node(), blockId);
            return;
        }
        if (read.cause() == Cause.READ_AHEAD || !read.found()) {
            withdraw(nowMs, read.node(), blockId, "its reader was faster");
        }
    }

    /** Withdraws the order of a copy, unless it was sent. */
    private void withdraw(long nowMs, DataNodeState node, long blockId, String why) {
        Move open = node.moveQueue().open(blockId);
        if (open != null && open.cause().isAhead() && open.isPromotion() && !open.isSent()) {
            clusterState.moveTracker().withdraw(nowMs, node, open, MoveOutcome.CANCELLED, why, false);
        }
    }

    private void inVain(StampedBlock block, Cause cause) {
        limit.inVain(block.lengthBytes());
        metricRegistry.add(
                cause == Cause.FIRST_READ
                        ? Metric.PLACEMENT_FIRST_READ_VAIN_BYTES
                        : Metric.PLACEMENT_READ_AHEAD_VAIN_BYTES,
                block.lengthBytes());
    }

    /** The first read may come while the copy is on its way. */
    private boolean wasRead(StampedBlock block) {
        BlockHeat heat = clusterState.heat().find(block.id());
        return heat != null && heat.reads() > 0;
    }

    /**
     * Leaves copies whose read did not come in time, or came before the copy, to the policy; once a second.
     *
     * @param memoryBytes capacity of the memory of all DataNodes
     */
    public void turn(long nowMs, LongSupplier memoryBytes) {
        if (settings.isOn()) {
            readAhead.turn(nowMs);
        }
        if (!settings.isOn() || (lookedMs != Long.MIN_VALUE && nowMs - lookedMs < LOOK_MS)) {
            return;
        }
        lookedMs = nowMs;
        copyMs = Math.round(readAhead.copyMs(nowMs));
        long copiedBytes = metricRegistry.value(Metric.PLACEMENT_PROMOTED_BYTES);
        limit.copied(copiedBytes - countedBytes);
        countedBytes = copiedBytes;
        model.expire(nowMs);
        memoryYield.passed(nowMs, Math.max(0, memoryBytes.getAsLong() - ahead.bytes()));
        for (Ended ended : ahead.ended(this::isKnown, (block, cause) -> isAwaited(nowMs, block, cause))) {
            if (ended.end() == End.NOT_WANTED) {
                withdraw(nowMs, ended.node(), ended.block().id(), "its reader is gone");
                continue;
            }
            boolean cameOnItsWay = ended.cause() == Cause.FIRST_READ && !ended.missed() && wasRead(ended.block());
            if (ended.end() != End.NOT_MADE && !cameOnItsWay) {
                inVain(ended.block(), ended.cause());
            }
            if (ended.end() == End.OVER) {
                HeldBlocks.release(
                        clusterState, nowMs, ended.node(), ended.block().id());
            }
        }
    }

    private boolean isAwaited(long nowMs, StampedBlock block, Cause cause) {
        return cause == Cause.FIRST_READ ? model.awaits(nowMs, block.id()) : readAhead.awaits(nowMs, block.id());
    }

    private boolean isKnown(DataNodeState node) {
        return clusterState.nodes().get(node.uuid()) == node;
    }
}
