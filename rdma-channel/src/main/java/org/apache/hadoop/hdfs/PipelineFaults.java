package org.apache.hadoop.hdfs;

import io.terrace.client.landing.WindowLostException;
import io.terrace.client.write.PipelineException;
import java.io.IOException;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.datatransfer.PipelineAck;

/** Tells stock's streamer of faults at a pipeline over the channel, in the fields by which it sets pipelines up again. */
final class PipelineFaults {
    private final DataStreamer streamer;

    /** Pipelines set up again since more was acknowledged last. The writer's thread looks at it. */
    private volatile int recoveries;

    PipelineFaults(DataStreamer streamer) {
        this.streamer = streamer;
    }

    int recoveries() {
        return recoveries;
    }

    /** More is acknowledged: the pipeline works. */
    void acknowledged() {
        recoveries = 0;
    }

    /** Tells of a fault. False where pipelines were set up as often as they may be, and the write fails. */
    boolean mayRecover(IOException fault) {
        mark(fault, streamer.getNodes());
        streamer.getLastException().set(fault);
        if (streamer.getErrorState().isRestartingNode()) {
            return true;
        }
        DataStreamer.LOG.warn("Exception for {}", streamer.block, fault);
        int most = streamer.dfsClient.getConf().getMaxPipelineRecoveryRetries();
        if (++recoveries <= most) {
            return true;
        }
        streamer.getLastException()
                .set(new IOException("Failing write. Tried pipeline recovery " + most + " times without success."));
        return false;
    }

    /**
     * Says at which DataNode a new block cannot begin. One that restarts is not waited for, as it has nothing of the block: it leaves
     * the pipeline, and may come back into the next one.
     */
    void markNew(IOException fault, DatanodeInfo[] nodes) {
        mark(fault, nodes, false);
    }

    /** Says which DataNode is to leave the pipeline, or to be waited for. */
    void mark(IOException fault, DatanodeInfo[] nodes) {
        mark(fault, nodes, true);
    }

    private void mark(IOException fault, DatanodeInfo[] nodes, boolean waits) {
        DataStreamer.ErrorState state = streamer.getErrorState();
        if (fault instanceof WindowLostException) {
            // The same DataNodes, by another way.
            state.setInternalError();
            return;
        }
        int bad = fault instanceof PipelineException said ? said.badNode(nodes) : 0;
        state.setBadNodeIndex(bad);
        if (fault instanceof PipelineException said
                && PipelineAck.isRestartOOBStatus(said.status())
                && !state.isRestartingNode()) {
            // Stock takes the mark of a DataNode back where it waits for it.
            state.initRestartingNode(
                    bad,
                    "Datanode " + bad + " is restarting: " + nodes[bad],
                    waits && streamer.shouldWaitForRestart(bad));
        }
        state.setInternalError();
    }
}
