package org.apache.hadoop.hdfs;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.namenode.NotReplicatedYetException;
import org.apache.hadoop.ipc.RemoteException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for a file's next block at other DataNodes than those of the blocks that are behind, and than those that had no channel. It
 * leaves out fewer of them until the NameNode has a block that is placed no worse. It never leaves out the DataNode of the client's
 * own host, nor any where the writer names DataNodes: the NameNode would not choose them then. Used by the streamer's thread.
 */
final class NextBlock {
    private static final Logger LOG = LoggerFactory.getLogger(NextBlock.class);

    /** As long as stock leaves out a DataNode that failed. */
    private static final long LEFT_OUT_NS = TimeUnit.MINUTES.toNanos(10);

    private final TerraceDataStreamer streamer;
    private final ExcludableNodes excludable;
    private final boolean anywhere;
    private final Predicate<DatanodeInfo> isLocal;

    /** By its storage policy; other files of the client may have another one. */
    private final ExcludableNodes ofFile = new ExcludableNodes();

    /** DataNodes that had no channel, and until when they are left out. */
    private final Map<DatanodeInfo, Long> withoutChannel = new LinkedHashMap<>();

    /** Whether a block was given back for that just now. */
    private boolean again;

    /**
     * For one file.
     *
     * @param excludable for all files of the client
     * @param favored whether its writer names DataNodes for it; the NameNode takes none of these that is excluded
     * @param isLocal whether a DataNode is one that the NameNode chooses because it is on the client's host
     */
    NextBlock(
            TerraceDataStreamer streamer,
            ExcludableNodes excludable,
            boolean favored,
            Predicate<DatanodeInfo> isLocal) {
        this.streamer = streamer;
        this.excludable = excludable;
        this.anywhere = !favored;
        this.isLocal = isLocal;
    }

    /** As {@link TerraceDataStreamer#canExclude}. */
    boolean canExclude(int count) {
        return anywhere && excludable.allows(count) && ofFile.allows(count);
    }

    /** As {@link TerraceDataStreamer#nextBlock}. */
    boolean ask(List<DatanodeInfo> busy, int busiest, boolean canWait) throws IOException {
        ExtendedBlock previous = streamer.block.getCurrentBlock();
        try {
            askTwice(previous, busy, busiest);
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

    /** Once more where a DataNode has no channel. */
    private void askTwice(@Nullable ExtendedBlock previous, List<DatanodeInfo> busy, int busiest) throws IOException {
        try {
            ask(busy, busiest);
        } catch (NoChannelException e) {
            LOG.debug("A block of {} is given back", streamer.src, e);
            streamer.abandon();
            streamer.block.setCurrentBlock(previous);
            again = true;
            ask(busy, busiest);
        } finally {
            again = false;
        }
    }

    private void ask(List<DatanodeInfo> busy, int busiest) throws IOException {
        DatanodeInfo local = onlyLocal(busy, isLocal);
        long nowNs = System.nanoTime();
        withoutChannel.values().removeIf(untilNs -> untilNs - nowNs <= 0);
        Set<DatanodeInfo> first = new LinkedHashSet<>(withoutChannel.keySet());
        first.addAll(without(local, busy.subList(0, busiest)));
        Set<DatanodeInfo> all = new LinkedHashSet<>(first);
        all.addAll(without(local, busy));
        List<DatanodeInfo> excluded = List.copyOf(all);
        boolean apart = false;
        for (int count = excluded.size(); !apart && count >= Math.max(1, first.size()); count--) {
            apart = askApart(Set.copyOf(excluded.subList(0, count)));
        }
        if (!apart && !withoutChannel.isEmpty() && withoutChannel.size() < first.size()) {
            apart = askApart(Set.copyOf(withoutChannel.keySet()));
        }
        if (!apart) {
            streamer.ask(Set.of());
        }
    }

    /** Used while a block is asked for: it is open over the channel. */
    void begunOverChannel() {
        excludable.begunOverChannel();
    }

    /**
     * Used while a block is asked for: whether it is to be given back, by a {@link NoChannelException}, because one of its
     * DataNodes has no channel.
     */
    boolean givesBack(DatanodeInfo[] nodes, int one) {
        DatanodeInfo node = nodes[one];
        boolean gives = !again
                && !withoutChannel.containsKey(node)
                && canExclude(withoutChannel.size() + 1)
                && !node.equals(onlyLocal(List.of(nodes), isLocal))
                && excludable.giveBack();
        if (gives) {
            withoutChannel.put(node, System.nanoTime() + LEFT_OUT_NS);
        }
        return gives;
    }

    /** The DataNode of this host, if there is one; null where there are several, as the NameNode takes any of them. */
    static @Nullable DatanodeInfo onlyLocal(List<DatanodeInfo> nodes, Predicate<DatanodeInfo> isLocal) {
        List<DatanodeInfo> local = nodes.stream().filter(isLocal).toList();
        return local.size() == 1 ? local.get(0) : null;
    }

    private static List<DatanodeInfo> without(@Nullable DatanodeInfo one, List<DatanodeInfo> nodes) {
        return nodes.stream().filter(node -> !node.equals(one)).toList();
    }

    /** Whether there is a block now, at DataNodes other than these and no worse placed than with them. */
    private boolean askApart(Set<DatanodeInfo> others) throws IOException {
        if (!canExclude(others.size())) {
            return false;
        }
        ExcludableNodes refusing = excludable;
        ExtendedBlock previous = streamer.block.getCurrentBlock();
        try {
            streamer.ask(others);
            return true;
        } catch (ExcludableNodes.PoorlyPlacedException e) {
            streamer.abandon();
            refusing = e.isOfPolicy() ? ofFile : excludable;
        } catch (RemoteException e) {
            if (!findsNone(e)) {
                throw e;
            }
            LOG.debug("No block of {} beside {}", streamer.src, others, e);
        }
        streamer.block.setCurrentBlock(previous);
        refusing.refuses(others.size());
        return false;
    }

    /**
     * Whether the NameNode may have found too few DataNodes for a block. A few other refusals have no class of their own either, as that a
     * file has too many blocks; the NameNode gives those again when it is asked without exclusions.
     */
    static boolean findsNone(RemoteException refusal) {
        return IOException.class.getName().equals(refusal.getClassName());
    }

    /** Whether the NameNode has refused a block, as often as it is asked, because earlier ones have too few replicas. */
    private static boolean wantsReplicas(RemoteException refusal) {
        return NotReplicatedYetException.class.getName().equals(refusal.getClassName());
    }

    /** Unchecked, as {@link ExcludableNodes.PoorlyPlacedException} is. */
    static final class NoChannelException extends RuntimeException {
        private static final long serialVersionUID = 1;

        NoChannelException(DatanodeInfo node) {
            super(node + " has no channel", null, false, false);
        }
    }
}
