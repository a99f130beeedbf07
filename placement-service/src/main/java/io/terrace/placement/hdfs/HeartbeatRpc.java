package io.terrace.placement.hdfs;

import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.PlacementLoop;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.heartbeat.HeartbeatCodec;
import io.terrace.protocol.PlacementDataNodePB;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

/** Answers DataNodes' heartbeats; on the RPC server's threads. */
public final class HeartbeatRpc implements PlacementDataNodePB {

    private final DataNodeCheck check;
    private final PlacementLoop loop;
    private final FirstNodes firstNodes;
    private final int entries;
    private final MetricRegistry metricRegistry;

    /** @param entries of each list that are taken from one heartbeat */
    public HeartbeatRpc(
            DataNodeCheck check,
            PlacementLoop loop,
            FirstNodes firstNodes,
            int entries,
            MetricRegistry metricRegistry) {
        this.check = check;
        this.loop = loop;
        this.firstNodes = firstNodes;
        this.entries = entries;
        this.metricRegistry = metricRegistry;
    }

    @Override
    public HeartbeatResponseProto heartbeat(RpcController controller, HeartbeatRequestProto request)
            throws ServiceException {
        try {
            DatanodeID node = check.check(request.getBlockPoolId(), request.getDatanodeUuid());
            // The name is the registered one, so that no DataNode can appear under the name of another.
            Heartbeat heartbeat =
                    HeartbeatCodec.heartbeat(request, node.getHostName(), node.getXferPort(), entries, metricRegistry);
            HeartbeatAnswer answer = loop.heartbeat(heartbeat);
            firstNodes.told(node, request.getWriteSpeedsList());
            return HeartbeatCodec.answer(answer);
        } catch (IOException e) {
            throw new ServiceException(e);
        } catch (IllegalArgumentException e) {
            throw new ServiceException(new IOException("malformed heartbeat: " + e.getMessage(), e));
        } catch (TimeoutException | RejectedExecutionException | IllegalStateException e) {
            throw new ServiceException(new RetriableException(new IOException("placement is busy or restarting", e)));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ServiceException(new IOException("the NameNode is shutting down", e));
        }
    }
}
