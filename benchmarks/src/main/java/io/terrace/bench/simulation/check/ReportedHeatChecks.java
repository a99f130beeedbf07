package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.SimulatedCluster;
import io.terrace.bench.simulation.cluster.SimulatedDataNode;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.datanode.heartbeat.AccessRecorder;
import io.terrace.datanode.heartbeat.HeatTable;
import io.terrace.metrics.Metric;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeatProto;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares the reads that one DataNode process reported to each NameNode with those that it counted, per block. */
final class ReportedHeatChecks implements AccessRecorder.Listener {

    private static final int MOST_BLOCKS = 10_000;

    private static final class Link {
        final Map<Long, Long> reads = new HashMap<>();
        long sequence = -1;
    }

    private final HeatTable counted = new HeatTable(MOST_BLOCKS);
    private final List<Link> links = new ArrayList<>();
    /** Reads of a block without a replica are not reported, since there is no stamp to report. */
    private final Set<Long> gone = new HashSet<>();

    ReportedHeatChecks() {
        for (int i = 0; i < SimulatedCluster.NAMENODES; i++) {
            links.add(new Link());
        }
    }

    @Override
    public HeatTable heat() {
        return counted;
    }

    @Override
    public void blockAdded() {
        // Checked at quiescence.
    }

    /** The heartbeat had heat of this block, of which no replica was left. */
    void gone(long blockId) {
        gone.add(blockId);
    }

    /** This is about to be sent, perhaps not for the first time. */
    void composed(int nameNode, HeartbeatRequestProto request) {
        Link link = links.get(nameNode);
        if (request.getSequence() > link.sequence) {
            link.sequence = request.getSequence();
            for (HeatProto heat : request.getHeatList()) {
                link.reads.merge(heat.getBlock().getBlockId(), heat.getReads(), Long::sum);
            }
        }
    }

    /**
     * At quiescence: every read was reported once, but for those of blocks that were dropped from a full table. Each of these was
     * counted as dropped.
     */
    void checkQuiescent(SimulatedDataNode dataNode) {
        long mayMiss = dataNode.metricRegistry().value(Metric.HEAT_DROPPED);
        for (HeatTable.Heat heat : counted.drain(MOST_BLOCKS)) {
            for (Link link : links) {
                long reported = link.reads.getOrDefault(heat.blockId(), 0L);
                if (reported == heat.reads() || gone.contains(heat.blockId())) {
                    continue;
                }
                mayMiss--;
                Violation.unless(
                        reported < heat.reads() && mayMiss >= 0,
                        Invariant.HEAT_COUNTED_ONCE,
                        "%s counted %d reads of block %d, and reported %d to nn%d",
                        dataNode,
                        heat.reads(),
                        heat.blockId(),
                        reported,
                        links.indexOf(link));
            }
        }
    }
}
