package org.apache.hadoop.hdfs.server.blockmanagement;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.protocol.BlockStoragePolicy;
import org.apache.hadoop.net.NetworkTopology;
import org.apache.hadoop.net.Node;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stock's placement, where new blocks begin at a DataNode that their client writes to fast: {@code dfs.block.replicator.classname}.
 * That one is handed to stock as the writer, so racks, load, space and storage types are stock's rules. Without the placement
 * service, and where the client names DataNodes or wants none near, or the storage policy is LAZY_PERSIST, all is stock's.
 *
 * <p>Compiled for Java 8, so that an older JVM loads it.
 */
public final class TerraceBlockPlacementPolicy extends BlockPlacementPolicyDefault {
    private static final Logger LOG = LoggerFactory.getLogger(TerraceBlockPlacementPolicy.class);

    /** Chooses the first DataNode of a new block. */
    public interface FirstNode {
        /**
         * Called by threads of the NameNode.
         *
         * @param writer the client's DataNode, or a node named by its host's address
         * @param excluded DataNodes that may not have the block
         * @return what stock is to take for the writer; {@code writer} leaves all to stock
         */
        Node choose(Node writer, Set<Node> excluded, int replicas, NetworkTopology topology);

        /**
         * DataNodes that a new block goes past, if it can be placed as well without them.
         *
         * @param writer as for {@link #choose}
         * @param first what stock takes for the writer, which is not one of them
         * @param excluded DataNodes that may not have the block
         */
        default Set<Node> spare(Node writer, Node first, Set<Node> excluded, int replicas, NetworkTopology topology) {
            return Collections.emptySet();
        }

        /** A block went past some. */
        default void spared() {}
    }

    private volatile @Nullable FirstNode service;
    private volatile boolean failed;

    /** From now on this one chooses; null: stock. */
    public void serve(@Nullable FirstNode chooser) {
        service = chooser;
    }

    /** Whether this one chooses. */
    public boolean isServedBy(FirstNode chooser) {
        return service == chooser && !failed;
    }

    /** Whether anybody but stock chooses. */
    public boolean isServed() {
        return service != null && !failed;
    }

    @Override
    DatanodeStorageInfo[] chooseTarget(
            String src,
            int replicas,
            Node writer,
            Set<Node> excluded,
            long blockBytes,
            List<DatanodeDescriptor> favored,
            BlockStoragePolicy policy,
            EnumSet<AddBlockFlag> flags) {
        boolean leftToStock = writer == null
                || excluded == null
                || (favored != null && !favored.isEmpty())
                || isFlagged(flags)
                || isLazilyPersisted(policy);
        if (leftToStock) {
            return super.chooseTarget(src, replicas, writer, excluded, blockBytes, favored, policy, flags);
        }
        Node first = first(writer, excluded, replicas);
        Set<Node> others = withSpared(writer, first, excluded, replicas);
        if (others.size() > excluded.size()) {
            DatanodeStorageInfo[] chosen =
                    super.chooseTarget(src, replicas, first, others, blockBytes, favored, policy, flags);
            if (isWellPlaced(chosen, replicas) && isOfTypes(chosen, policy)) {
                counted();
                return chosen;
            }
        }
        return super.chooseTarget(src, replicas, first, excluded, blockBytes, favored, policy, flags);
    }

    private static boolean isFlagged(@Nullable EnumSet<AddBlockFlag> flags) {
        return flags != null
                && (flags.contains(AddBlockFlag.NO_LOCAL_WRITE) || flags.contains(AddBlockFlag.NO_LOCAL_RACK));
    }

    /** A DataNode keeps such a block in memory only for a client of its own host. */
    private static boolean isLazilyPersisted(BlockStoragePolicy policy) {
        return Arrays.asList(policy.getStorageTypes()).contains(StorageType.RAM_DISK);
    }

    private Set<Node> withSpared(Node writer, Node first, Set<Node> excluded, int replicas) {
        FirstNode chooser = service;
        if (chooser == null || failed) {
            return excluded;
        }
        try {
            Set<Node> both = new HashSet<>(chooser.spare(writer, first, excluded, replicas, clusterMap));
            both.addAll(excluded);
            return both;
        } catch (RuntimeException | LinkageError e) {
            fails(e);
            return excluded;
        }
    }

    /** At as many DataNodes as are wanted, and not all of one rack. */
    private boolean isWellPlaced(DatanodeStorageInfo[] chosen, int replicas) {
        Set<String> racks = new HashSet<>();
        for (DatanodeStorageInfo each : chosen) {
            racks.add(each.getDatanodeDescriptor().getNetworkLocation());
        }
        return chosen.length == replicas && (replicas == 1 || racks.size() > 1 || clusterMap.getNumOfRacks() == 1);
    }

    /** On the storage types that the policy wants: stock falls back to others where the rest of the DataNodes has too few. */
    private static boolean isOfTypes(DatanodeStorageInfo[] chosen, BlockStoragePolicy policy) {
        List<StorageType> wanted = new ArrayList<>(policy.chooseStorageTypes((short) chosen.length));
        for (DatanodeStorageInfo each : chosen) {
            if (!wanted.remove(each.getStorageType())) {
                return false;
            }
        }
        return true;
    }

    private void counted() {
        FirstNode chooser = service;
        if (chooser != null) {
            chooser.spared();
        }
    }

    private void fails(Throwable why) {
        failed = true;
        LOG.error("Stock HDFS chooses where blocks begin until the NameNode is restarted", why);
    }

    private Node first(Node writer, Set<Node> excluded, int replicas) {
        FirstNode chooser = service;
        if (chooser == null || failed) {
            return writer;
        }
        try {
            return chooser.choose(writer, excluded, replicas, clusterMap);
        } catch (RuntimeException | LinkageError e) {
            fails(e);
            return writer;
        }
    }
}
