package io.terrace.datanode.hdfs.write;

import io.terrace.datanode.write.PipelineEvents;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.datatransfer.PipelineAck;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.TerraceWriteAccess;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts and logs what is slow between the DataNodes of a block as stock does, and fails where stock's tests make it fail. */
final class StockPipelineEvents implements PipelineEvents {
    private static final Logger LOG = LoggerFactory.getLogger(StockPipelineEvents.class);

    private static final int PACKET_BYTES = 64 << 10;

    private final DataNode datanode;
    private final ReplicaInPipeline replica;
    private final String from;
    private final String to;
    private final @Nullable DatanodeInfo last;
    private final long slowMs;
    private final SlowFrames slowFrames;

    /**
     * Of one block.
     *
     * @param from the client's address
     * @param to the transfer address of the next DataNode; empty when there is none
     * @param last the next DataNode, if it is the last one; stock times no other, since others wait for those after them
     */
    StockPipelineEvents(
            DataNode datanode, ReplicaInPipeline replica, String from, String to, @Nullable DatanodeInfo last) {
        this.datanode = datanode;
        this.replica = replica;
        this.from = from;
        this.to = to;
        this.last = last;
        this.slowMs = datanode.getDnConf().getSlowIoWarningThresholdMs();
        this.slowFrames = new SlowFrames(datanode.getConf());
    }

    @Override
    public void sending() throws IOException {
        DataNodeFaultInjector.get().stopSendingPacketDownstream(to);
    }

    @Override
    public void sent(int dataBytes, long tookNs) throws IOException {
        long tookMs = TimeUnit.NANOSECONDS.toMillis(tookNs);
        DataNodeFaultInjector.get().logDelaySendingPacketDownstream(to, tookMs);
        if (last != null) {
            // A frame has up to sixteen packets; it would look that much slower than stock's.
            TerraceWriteAccess.sentToLast(datanode, last, tookMs * PACKET_BYTES / Math.max(PACKET_BYTES, dataBytes));
        }
        if (tookMs > slowMs) {
            datanode.getMetrics().incrPacketsSlowWriteToMirror();
            LOG.warn("Slow sending to {}: {} ms (threshold {} ms), block {}", to, tookMs, slowMs, replica.getBlockId());
        }
    }

    @Override
    public void receiving() throws IOException {
        DataNodeFaultInjector.get().failPipeline(replica, to);
    }

    /** Only stock's tests call a next DataNode slow: one that is slow ends the block itself. */
    @Override
    public void acknowledgedByNext() throws IOException {
        int normal = PipelineAck.combineHeader(PipelineAck.ECN.DISABLED, Status.SUCCESS, PipelineAck.SLOW.DISABLED);
        int[] replies = {normal, normal};
        DataNodeFaultInjector.get().markSlow(to, replies);
        slowFrames.took(PipelineAck.getSLOWFromHeader(replies[1]) == PipelineAck.SLOW.SLOW);
    }

    @Override
    public void answered(long tookNs) {
        if (last != null) {
            // Stock subtracts what the DataNodes after the next one take. The last one has none.
            datanode.getMetrics().addPacketAckRoundTripTimeNanos(tookNs);
        }
    }

    @Override
    public void acknowledged(long tookNs) throws IOException {
        long tookMs = TimeUnit.NANOSECONDS.toMillis(tookNs);
        DataNodeFaultInjector.get().logDelaySendingAckToUpstream(from, tookMs);
        if (tookMs > slowMs) {
            datanode.getMetrics().incrSlowAckToUpstreamCount();
            LOG.warn(
                    "Slow answer to {}: {} ms (threshold {} ms), block {}", from, tookMs, slowMs, replica.getBlockId());
        }
    }

    @Override
    public boolean answersPing() {
        return !DataNodeFaultInjector.get().dropHeartbeatPacket();
    }
}
