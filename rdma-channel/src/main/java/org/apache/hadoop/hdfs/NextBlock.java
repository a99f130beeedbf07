package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.namenode.NotReplicatedYetException;
import org.apache.hadoop.ipc.RemoteException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for a file's next block at other DataNodes than those of the blocks that are behind. It leaves out fewer of them until the
 * NameNode has a block that is placed no worse. Used by the streamer's thread.
 */
final class NextBlock {
    private static final Logger LOG = LoggerFactory.getLogger(NextBlock.class);

    private final TerraceDataStreamer streamer;
    private final ExcludableNodes excludable;

    NextBlock(TerraceDataStreamer streamer, ExcludableNodes excludable) {
        this.streamer = streamer;
        this.excludable = excludable;
    }

    /** As {@link TerraceDataStreamer#nextBlock}. */
    boolean ask(List<DatanodeInfo> busy, int busiest, boolean canWait) throws IOException {
        ExtendedBlock previous = streamer.block.getCurrentBlock();
        try {
            ask(busy, busiest);
            return true;
        } catch (RemoteException e) {
            if (!canWait || !wantsReplicas(e)) {
                throw e;
            }
            LOG.debug("No block of {} yet", streamer.src, e);
            streamer.block.setCurrentBlock(previous);
            return false;
        }
    }

    private void ask(List<DatanodeInfo> busy, int busiest) throws IOException {
        boolean apart = false;
        for (int count = busy.size(); !apart && count >= Math.max(1, busiest); count--) {
            apart = askApart(Set.copyOf(busy.subList(0, count)));
        }
        if (!apart) {
            streamer.ask(Set.of());
        }
    }

    /** Whether there is a block now, at DataNodes other than these and no worse placed than with them. */
    private boolean askApart(Set<DatanodeInfo> others) throws IOException {
        if (!excludable.allows(others.size())) {
            return false;
        }
        ExtendedBlock previous = streamer.block.getCurrentBlock();
        try {
            streamer.ask(others);
            return true;
        } catch (ExcludableNodes.PoorlyPlacedException e) {
            streamer.abandon();
        } catch (RemoteException e) {
            if (wantsReplicas(e)) {
                throw e;
            }
            // The NameNode has none left. What else is wrong shows once more.
            LOG.debug("No block of {} beside {}", streamer.src, others, e);
        }
        streamer.block.setCurrentBlock(previous);
        excludable.refuses(others.size());
        return false;
    }

    /** Whether the NameNode has refused a block, as often as it is asked, because earlier ones have too few replicas. */
    private static boolean wantsReplicas(RemoteException refusal) {
        return NotReplicatedYetException.class.getName().equals(refusal.getClassName());
    }
}
