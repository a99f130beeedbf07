package io.terrace.placement;

import io.terrace.common.TokenBucket;
import io.terrace.common.TokenBucket.Accrual;
import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.ReportQuota;
import io.terrace.placement.state.BlockHeat;
import io.terrace.placement.state.ClusterState;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.HomeSelector;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.Asker;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Asks the NameNode which DataNodes hold a block, where that may decide about its home: the block is not in memory, and the
 * DataNode where its reads count has no free room for it.
 *
 * <p>The answer is good for {@value BlockHeat#CONFIRMED_MS} ms. A heartbeat leads to at most {@value ReportQuota#LOOKS_FOR_HOLDERS} looks of a bounded
 * number of blocks each, within the {@link ReportQuota} of its DataNode, and all heartbeats to {@value #LOOKS_PER_SECOND} a
 * second. What is beyond is counted and asked with a later heartbeat. A DataNode that reports a block and is not among the
 * holders leads to no other home. Owned by the loop's thread.
 */
final class HolderLookup {

    static final int LOOKS_PER_SECOND = 40;

    private final ClusterState clusterState;
    private final HomeSelector homeSelector;
    private final NamespaceView view;
    private final TokenBucket looks =
            new TokenBucket(LOOKS_PER_SECOND, LOOKS_PER_SECOND, Accrual.CAPPED, TimeUnit.MILLISECONDS, 0);
    private final Map<StampedBlock, List<String>> answers = new HashMap<>();

    HolderLookup(ClusterState clusterState, HomeSelector homeSelector, NamespaceView view) {
        this.clusterState = clusterState;
        this.homeSelector = homeSelector;
        this.view = view.askedBy(Asker.REPORTS);
    }

    /** Asks what {@link #locate} needs to know for the heat of a heartbeat. */
    void ask(long nowMs, DataNodeState node, List<Heat> entries) {
        answers.clear();
        List<StampedBlock> questions = new ArrayList<>();
        for (Heat entry : entries) {
            if (entry.reads() > 0 && isWorthAsking(nowMs, node, entry)) {
                questions.add(entry.block());
            }
        }
        int asked = 0;
        TokenBucket ofNode = node.reportQuota().looks();
        for (int look = 0;
                asked < questions.size()
                        && look < ReportQuota.LOOKS_FOR_HOLDERS
                        && looks.isOpen(nowMs)
                        && ofNode.available(nowMs) > 0;
                look++) {
            List<StampedBlock> some = questions.subList(asked, Math.min(questions.size(), asked + view.lockBlocks()));
            looks.charge(nowMs, 1);
            ofNode.charge(nowMs, 1);
            List<List<String>> found = view.holders(some);
            for (int i = 0; i < found.size(); i++) {
                answers.put(some.get(i), found.get(i));
            }
            asked += some.size();
        }
        clusterState.metricRegistry().add(Metric.PLACEMENT_HOLDERS_ASKED, asked);
        clusterState.metricRegistry().add(Metric.PLACEMENT_HOLDERS_DEFERRED, questions.size() - asked);
    }

    private boolean isWorthAsking(long nowMs, DataNodeState node, Heat entry) {
        StampedBlock block = entry.block();
        BlockHeat known = clusterState.heat().peek(block.id());
        if (known != null && (known.excluded() != null || known.isLocated(nowMs))) {
            return false;
        }
        DataNodeState home = known == null || known.home() == null ? node : known.home();
        return !homeSelector.fits(nowMs, home, block.id(), block.lengthBytes())
                || homeSelector.isContested(home, block.id(), block.lengthBytes(), 0);
    }

    /** Tells the heat of a block what the NameNode answered, if it was asked. */
    void locate(long nowMs, DataNodeState reporter, BlockHeat heat) {
        List<String> uuids = answers.get(heat.block());
        if (uuids == null) {
            return;
        }
        List<DataNodeState> holders = new ArrayList<>(uuids.size());
        if (uuids.contains(reporter.uuid())) {
            for (DataNodeState other : heat.reporters()) {
                if (!uuids.contains(other.uuid())) {
                    heat.forget(other);
                }
            }
            heat.confirm(nowMs);
            for (String uuid : uuids) {
                DataNodeState holder = clusterState.nodes().get(uuid);
                if (holder != null) {
                    holders.add(holder);
                }
            }
        }
        heat.locate(nowMs, holders);
    }
}
