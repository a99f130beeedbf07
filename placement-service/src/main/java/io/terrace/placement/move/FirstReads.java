package io.terrace.placement.move;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.move.AheadCopies.End;
import io.terrace.placement.move.AheadCopies.Ended;
import io.terrace.placement.policyfile.RuleDecision;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move.Cause;
import io.terrace.policy.firstread.DirectoryPattern;
import io.terrace.policy.firstread.FirstReadModel;
import io.terrace.policy.firstread.FirstReadModel.Estimate;
import io.terrace.policy.firstread.MemoryYield;
import io.terrace.policy.firstread.VainLimit;
import io.terrace.protocol.StampedBlock;
import org.jspecify.annotations.Nullable;

/**
 * Has blocks copied into memory before their first read. It learns by directory which blocks are read soon after they were
 * written ({@link FirstReadModel}); of a directory where nearly all are, new blocks are copied once they are written
 * ({@link WrittenBlocks}), if that is worth as much as what memory earns otherwise ({@link MemoryYield}). Such a copy is held
 * until the first read; where none comes in time, the policy decides about it, and its bytes count as copied in vain
 * ({@link VainLimit}).
 *
 * <p>What was learned is forgotten when another NameNode decides. Owned by the loop's thread.
 */
public final class FirstReads {

    private static final int MOST_DIRECTORIES = 4_096;
    private static final int MOST_AWAITED = 100_000;
    private static final long LOOK_MS = 1_000;

    private final FirstReadSettings settings;
    private final ClusterState clusterState;
    private final WrittenBlocks writtenBlocks;
    private final MetricRegistry metricRegistry;
    private final FirstReadModel model;
    private final VainLimit limit;
    private final MemoryYield memoryYield = new MemoryYield();
    private final AheadCopies ahead = new AheadCopies();
    private long countedBytes;
    private long lookedMs = Long.MIN_VALUE;

    public FirstReads(FirstReadSettings settings, ClusterState clusterState, WrittenBlocks writtenBlocks) {
        this.settings = settings;
        this.clusterState = clusterState;
        this.writtenBlocks = writtenBlocks;
        this.metricRegistry = clusterState.metricRegistry();
        this.model = new FirstReadModel(settings.withinMs(), MOST_DIRECTORIES, MOST_AWAITED);
        this.limit = new VainLimit(settings.vainShare(), VainLimit.AT_FIRST_BYTES);
        this.countedBytes = metricRegistry.value(Metric.PLACEMENT_PROMOTED_BYTES);
    }

    /** Whether it wants to know the path of a block that was written: not of one whose write it was told before. */
    public boolean asksFor(long nowMs, long blockId) {
        return settings.isOn() && !model.knowsWriteOf(nowMs, blockId);
    }

    /**
     * A DataNode reports that a client has written a block.
     *
     * @param path of its file; null where it was not looked up, so nothing is learned
     */
    public void written(
            long nowMs, DataNodeState node, StampedBlock block, RuleDecision ruleDecision, @Nullable String path) {
        if (!settings.isOn() || path == null || model.awaits(nowMs, block.id())) {
            return;
        }
        String directory = DirectoryPattern.of(path);
        Estimate estimate = model.estimate(directory);
        boolean expected =
                model.expects(directory, block.lengthBytes()) && memoryYield.justifies(model.worth(nowMs, directory));
        model.written(nowMs, block.id(), block.lengthBytes(), directory);
        if (expected
                && estimate != null
                && !ruleDecision.writesToMemory()
                && !ahead.contains(block.id())
                && !clusterState.controlTrial().holds(block.id())) {
            if (limit.allows(ahead.bytes() + block.lengthBytes())) {
                ahead.want(block);
                writtenBlocks.want(
                        nowMs,
                        node,
                        block,
                        Cause.FIRST_READ,
                        reason(directory, estimate),
                        at -> ahead.ordered(block, at));
            } else {
                metricRegistry.increment(Metric.PLACEMENT_FIRST_READ_REFUSED);
            }
        }
    }

    private String reason(String directory, Estimate estimate) {
        return Math.round(estimate.readShare() * 100) + " % of what is written to directories like " + directory
                + " is read soon after";
    }

    /** A block was read. If it waited for that, its copy is the policy's from now on. */
    public void read(long nowMs, Heat entry) {
        if (!settings.isOn()) {
            return;
        }
        long blockId = entry.block().id();
        if (!model.read(nowMs, blockId)) {
            memoryYield.served((double) entry.reads() * entry.bytesReadFromMemory() / Math.max(1, entry.bytesRead()));
            return;
        }
        writtenBlocks.withdraw(blockId);
        DataNodeState node = ahead.read(blockId);
        if (node != null) {
            metricRegistry.increment(Metric.PLACEMENT_FIRST_READ_SERVED);
            HeldBlocks.release(clusterState, nowMs, node, blockId);
        }
    }

    /** The first read may come while the copy is on its way. */
    private boolean wasRead(StampedBlock block) {
        BlockHeat heat = clusterState.heat().find(block.id());
        return heat != null && heat.reads() > 0;
    }

    /** Leaves copies whose first read did not come in time, or came before the copy, to the policy; once a second. */
    public void turn(long nowMs) {
        if (!settings.isOn() || (lookedMs != Long.MIN_VALUE && nowMs - lookedMs < LOOK_MS)) {
            return;
        }
        lookedMs = nowMs;
        long copiedBytes = metricRegistry.value(Metric.PLACEMENT_PROMOTED_BYTES);
        limit.copied(copiedBytes - countedBytes);
        countedBytes = copiedBytes;
        model.expire(nowMs);
        memoryYield.passed(nowMs, Math.max(0, memoryBytes() - ahead.bytes()));
        for (Ended ended : ahead.ended(this::isKnown, block -> model.awaits(nowMs, block.id()))) {
            if (ended.end() != End.NOT_MADE && !wasRead(ended.block())) {
                limit.inVain(ended.block().lengthBytes());
                metricRegistry.add(
                        Metric.PLACEMENT_FIRST_READ_VAIN_BYTES, ended.block().lengthBytes());
            }
            if (ended.end() == End.OVER) {
                HeldBlocks.release(
                        clusterState, nowMs, ended.node(), ended.block().id());
            }
        }
    }

    private boolean isKnown(DataNodeState node) {
        return clusterState.nodes().get(node.uuid()) == node;
    }

    private long memoryBytes() {
        long bytes = 0;
        for (DataNodeState node : clusterState.nodes().values()) {
            bytes += node.isLive() ? node.memory().capacityBytes() : 0;
        }
        return bytes;
    }
}
