package io.terrace.placement.state;

import org.jspecify.annotations.Nullable;

/**
 * Chooses the home of a block over the cluster: the DataNode where its reads count and its one memory copy would be.
 *
 * <p>The candidates are the DataNodes that the NameNode named as holders, or, where it was not asked, those that reported
 * reads. {@link Standing} says what speaks for each.
 *
 * <ul>
 *   <li><b>A block without a home</b> goes where most of its gain is to be expected: where half as many bytes as are homed find
 *       room, a copy has half a chance.
 *   <li><b>A block that is not in memory</b> keeps its home, since its policy knows it there. It goes elsewhere if what would
 *       leave its home is read more than the block, and what would leave there less than half as much; if nothing need leave
 *       there; or if its readers are there, by {@value #READER_LEAD} reads.
 *   <li><b>A block that is in memory</b>, or on its way, follows its readers only if that gains {@value #COPY_LEAD} reads more
 *       than staying, and, where there is a copy, {@value #COPY_LEAD_SHARE} of all reads, so no copy hops to and fro.
 * </ul>
 *
 * <p>Owned by the engine's thread.
 */
public final class HomeSelector implements HomeChoice {

    /** What a read over the channel gains of what one on the same host does. */
    static final double OVER_THE_CHANNEL = 0.7;

    static final double COPY_LEAD = 4;
    static final double COPY_LEAD_SHARE = 0.5;
    static final double READER_LEAD = 0.5;
    private static final double CHEAPER = 2;

    private final ClusterState clusterState;

    public HomeSelector(ClusterState clusterState) {
        this.clusterState = clusterState;
    }

    /**
     * What speaks for a DataNode as the home of a block.
     *
     * @param gain decayed reads that a copy there would serve, those over the channel for less
     * @param price decayed reads of what would leave for it; 0 while there is room, and where the block is in memory
     * @param crowding bytes of the blocks whose home it is, for each byte that its policy may fill; 1 while there is room
     */
    public record Standing(double gain, double price, double crowding) {

        public double net() {
            return gain - price;
        }

        private double expected() {
            return gain / Math.max(1, crowding);
        }
    }

    @Override
    public @Nullable DataNodeState choose(long nowMs, BlockHeat heat, int pool) {
        DataNodeState home = heat.home();
        long lengthBytes = heat.block().lengthBytes();
        if (home != null) {
            boolean there = isThere(home, heat.block().id());
            if (fits(nowMs, home, heat.block().id(), lengthBytes, there)) {
                return there ? afterReaders(nowMs, heat, home, pool) : better(nowMs, heat, home, pool);
            }
        }
        DataNodeState first = mostExpected(nowMs, heat, pool);
        boolean stays = first == null && home != null && hasRoom(home, lengthBytes);
        return stays ? home : first;
    }

    @Override
    public boolean isElsewhere(DataNodeState node, long blockId) {
        BlockHeat heat = clusterState.heat().peek(blockId);
        DataNodeState home = heat == null ? null : heat.home();
        return home != null && home != node;
    }

    private @Nullable DataNodeState mostExpected(long nowMs, BlockHeat heat, int pool) {
        long id = heat.block().id();
        boolean copyAtHome = hasCopyAtHome(heat);
        DataNodeState best = null;
        double most = 0;
        for (int i = 0; i < heat.candidateCount(); i++) {
            DataNodeState node = heat.candidate(i);
            double gain = gain(node, heat, copyAtHome);
            if (best != null && gain <= most) {
                continue; // No more than its gain is to be expected, which costs no look at the DataNode.
            }
            boolean there = isThere(node, id);
            if (fits(nowMs, node, id, heat.block().lengthBytes(), there)) {
                double expected = standing(nowMs, node, heat, pool, gain, there).expected();
                if (best == null || expected > most) {
                    best = node;
                    most = expected;
                }
            }
        }
        return best;
    }

    /** Another home for a block with a copy at its home, or one under way. */
    private DataNodeState afterReaders(long nowMs, BlockHeat heat, DataNodeState home, int pool) {
        long id = heat.block().id();
        boolean hasCopy = hasCopyAtHome(heat);
        double least = gain(home, heat, hasCopy) + Math.max(COPY_LEAD, hasCopy ? COPY_LEAD_SHARE * heat.shares() : 0);
        DataNodeState best = home;
        for (int i = 0; i < heat.candidateCount(); i++) {
            DataNodeState node = heat.candidate(i);
            double gain = gain(node, heat, hasCopy);
            if (node == home || gain <= least) { // The price is asked for only if it may matter.
                continue;
            }
            boolean there = isThere(node, id);
            if (!fits(nowMs, node, id, heat.block().lengthBytes(), there)) {
                continue;
            }
            double net = standing(nowMs, node, heat, pool, gain, there).net();
            if (net > least) {
                best = node;
                least = net;
            }
        }
        return best;
    }

    /** Another home for a block that is not in memory, nor on its way there. */
    private DataNodeState better(long nowMs, BlockHeat heat, DataNodeState home, int pool) {
        long id = heat.block().id();
        long lengthBytes = heat.block().lengthBytes();
        boolean copyAtHome = hasCopyAtHome(heat);
        Standing ofHome = standing(nowMs, home, heat, pool, gain(home, heat, copyAtHome), false);
        DataNodeState best = home;
        double most = Math.max(0, ofHome.net());
        for (int i = 0; i < heat.candidateCount(); i++) {
            DataNodeState node = heat.candidate(i);
            double gain = gain(node, heat, copyAtHome);
            if (node == home
                    || gain <= most) { // The gain costs no look at the DataNode, and the price only lessens it.
                continue;
            }
            boolean there = isThere(node, id);
            if (!fits(nowMs, node, id, lengthBytes, there)) {
                continue;
            }
            Standing standing = standing(nowMs, node, heat, pool, gain, there);
            boolean cheaper = ofHome.net() < 0 && standing.gain() > CHEAPER * standing.price();
            boolean roomier = home.freeBytes(pool) < lengthBytes && (there || node.freeBytes(pool) >= lengthBytes);
            boolean nearer = standing.gain() > ofHome.gain() + READER_LEAD;
            if ((cheaper || roomier || nearer) && standing.net() > most) {
                best = node;
                most = standing.net();
            }
        }
        return best;
    }

    /** Whether the block is in a DataNode's memory, or on its way there. */
    private static boolean isThere(DataNodeState node, long blockId) {
        Move open = node.moveQueue().open(blockId);
        return open != null
                ? open.isPromotion()
                : node.residents().holds(blockId) || node.residents().isPinned(blockId);
    }

    private static boolean hasRoom(DataNodeState node, long lengthBytes) {
        return node.canHold(lengthBytes) && node.roomBytes() >= lengthBytes;
    }

    /** Whether a block could be brought into a DataNode's memory, as far as is known; one that is there fits. */
    public boolean fits(long nowMs, DataNodeState node, long blockId, long lengthBytes) {
        return fits(nowMs, node, blockId, lengthBytes, isThere(node, blockId));
    }

    private static boolean fits(long nowMs, DataNodeState node, long blockId, long lengthBytes, boolean there) {
        return there
                ? node.canHold(lengthBytes)
                : hasRoom(node, lengthBytes) && !node.backoffTable().holdsBack(nowMs, blockId);
    }

    /** Whether a block would take the room of others at its home. */
    public boolean isContested(DataNodeState home, long blockId, long lengthBytes, int pool) {
        return home.freeBytes(pool) < lengthBytes && !isThere(home, blockId);
    }

    /** What speaks for a DataNode as the home of a block. */
    public Standing standing(long nowMs, DataNodeState node, BlockHeat heat, int pool) {
        double gain = gain(node, heat, hasCopyAtHome(heat));
        return standing(
                nowMs, node, heat, pool, gain, isThere(node, heat.block().id()));
    }

    private Standing standing(long nowMs, DataNodeState node, BlockHeat heat, int pool, double gain, boolean there) {
        long lengthBytes = heat.block().lengthBytes();
        if (there || node.freeBytes(pool) >= lengthBytes) {
            return new Standing(gain, 0, 1);
        }
        double price = node.roomPrices().readsPerByte(nowMs, node, pool, clusterState) * lengthBytes;
        return new Standing(gain, price, (double) (node.homedBytes() + lengthBytes) / Math.max(1, node.roomBytes()));
    }

    private static boolean hasCopyAtHome(BlockHeat heat) {
        DataNodeState home = heat.home();
        return home != null && home.residents().holds(heat.block().id());
    }

    /** @param copyAtHome what {@link #hasCopyAtHome} says, which is looked up once for all candidates */
    private double gain(DataNodeState node, BlockHeat heat, boolean copyAtHome) {
        double anywhere = OVER_THE_CHANNEL * clusterState.reach().share();
        if (copyAtHome) {
            // Those that read elsewhere do not find the copy, and those that do would find it elsewhere too.
            return heat.shareOf(node) + (node == heat.home() ? 0 : anywhere * heat.shareOf(heat.home()));
        }
        // One read says nothing of where the readers are.
        return anywhere * heat.shares() + (1 - anywhere) * Math.max(0, heat.shareOf(node) - 1);
    }
}
