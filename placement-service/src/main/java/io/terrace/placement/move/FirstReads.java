package io.terrace.placement.move;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.policyfile.RuleDecision;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.ResidentBlocks.Held;
import io.terrace.policy.firstread.DirectoryPattern;
import io.terrace.policy.firstread.FirstReadModel;
import io.terrace.policy.firstread.FirstReadModel.Estimate;
import io.terrace.policy.firstread.VainLimit;
import io.terrace.protocol.StampedBlock;
import org.jspecify.annotations.Nullable;

/**
 * Has blocks copied into memory before their first read. It learns by directory which blocks are read soon after they were
 * written ({@link FirstReadModel}); of a directory where nearly all are, new blocks are copied once they are written
 * ({@link WrittenBlocks}). Such a copy is held until the first read; where none comes in time, the policy decides about
 * it, and its bytes count as copied in vain ({@link VainLimit}).
 *
 * <p>What was learned is forgotten when another NameNode decides. Owned by the loop's thread.
 */
public final class FirstReads {

    private static final int MOST_DIRECTORIES = 4_096;
    private static final int MOST_AWAITED = 100_000;
    private static final long VAIN_AT_FIRST_BYTES = 256L << 20;

    private final FirstReadSettings settings;
    private final ClusterState clusterState;
    private final WrittenBlocks writtenBlocks;
    private final MetricRegistry metricRegistry;
    private final FirstReadModel model;
    private final VainLimit limit;
    private long countedBytes;

    public FirstReads(FirstReadSettings settings, ClusterState clusterState, WrittenBlocks writtenBlocks) {
        this.settings = settings;
        this.clusterState = clusterState;
        this.writtenBlocks = writtenBlocks;
        this.metricRegistry = clusterState.metricRegistry();
        this.model = new FirstReadModel(settings.withinMs(), MOST_DIRECTORIES, MOST_AWAITED);
        this.limit = new VainLimit(settings.vainShare(), VAIN_AT_FIRST_BYTES);
        this.countedBytes = metricRegistry.value(Metric.PLACEMENT_PROMOTED_BYTES);
    }

    /** Whether it wants to know the paths of blocks that are written. */
    public boolean isOn() {
        return settings.isOn();
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
        boolean expected = model.expects(directory, block.lengthBytes());
        Estimate estimate = model.estimate(directory);
        model.written(nowMs, block.id(), block.lengthBytes(), directory);
        if (expected
                && estimate != null
                && !ruleDecision.writesToMemory()
                && !clusterState.controlTrial().holds(block.id())) {
            if (limit.allows(waitingBytes() + block.lengthBytes())) {
                writtenBlocks.want(nowMs, node, block, Cause.FIRST_READ, reason(directory, estimate));
            } else {
                metricRegistry.increment(Metric.PLACEMENT_FIRST_READ_REFUSED);
            }
        }
    }

    /** Of copies, made or ordered, that wait for their first read. */
    private long waitingBytes() {
        long bytes = 0;
        for (DataNodeState node : clusterState.nodes().values()) {
            for (Held held : node.residents().held()) {
                bytes += held.by() == Cause.FIRST_READ ? held.block().lengthBytes() : 0;
            }
        }
        return bytes;
    }

    private String reason(String directory, Estimate estimate) {
        return Math.round(estimate.readShare() * 100) + " % of what is written to directories like " + directory
                + " is read soon after";
    }

    /** A block was read. If it waited for that, its copy is the policy's from now on. */
    public void read(long nowMs, StampedBlock block) {
        if (settings.isOn() && model.read(nowMs, block.id())) {
            for (DataNodeState node : clusterState.nodes().values()) {
                Held held = node.residents().findHeld(block.id());
                if (held != null && held.by() == Cause.FIRST_READ && held.arrivedMs() >= 0) {
                    metricRegistry.increment(Metric.PLACEMENT_FIRST_READ_SERVED);
                    HeldBlocks.release(clusterState, nowMs, node, block.id());
                }
            }
        }
    }

    /** The first read may come while the copy is on its way. */
    private boolean wasRead(StampedBlock block) {
        BlockHeat heat = clusterState.heat().find(block.id());
        return heat != null && heat.reads() > 0;
    }

    /** Leaves copies on these DataNodes whose first read did not come in time, or came before the copy, to the policy. */
    public void turn(long nowMs, Iterable<DataNodeState> nodes) {
        if (!settings.isOn()) {
            return;
        }
        long copiedBytes = metricRegistry.value(Metric.PLACEMENT_PROMOTED_BYTES);
        limit.copied(copiedBytes - countedBytes);
        countedBytes = copiedBytes;
        model.expire(nowMs);
        for (DataNodeState node : nodes) {
            for (Held held : node.residents().held()) {
                if (held.by() == Cause.FIRST_READ
                        && held.arrivedMs() >= 0
                        && !model.awaits(nowMs, held.block().id())) {
                    if (!wasRead(held.block())) {
                        limit.inVain(held.block().lengthBytes());
                        metricRegistry.add(
                                Metric.PLACEMENT_FIRST_READ_VAIN_BYTES,
                                held.block().lengthBytes());
                    }
                    HeldBlocks.release(clusterState, nowMs, node, held.block().id());
                }
            }
        }
    }
}
