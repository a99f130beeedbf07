package io.terrace.placement.state;

import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What was read of one block, where, and how recently. Reads decay by half in each half-life; each DataNode's share
 * decays alike, so shares compare. Keeps the {@value #MOST_NODES} DataNodes that read it last.
 *
 * <p>About {@value HeatMap#BYTES_PER_BLOCK} bytes with its entry in {@link HeatMap}. Owned by one thread.
 */
public final class BlockHeat {

    static final int MOST_NODES = 4;

    /**
     * How long an answer of the NameNode is good: that those who report a block hold it, and which DataNodes hold it. Another
     * DataNode that reports the block has it asked anew, and so has an order that the NameNode finds to be in vain.
     */
    public static final long CONFIRMED_MS = 3_600_000;

    private static final long NEVER = Long.MIN_VALUE;
    private static final DataNodeState[] NOBODY = {};

    private StampedBlock block;
    private long reads;
    private long bytesRead;
    private long bytesFromMemory;
    private long lastMs;
    private DataNodeState[] nodes = NOBODY;
    private float[] shares = {};
    /** When it became known, in tenths of a second modulo 2^31, shifted left; the last bit says that it was remembered. */
    private int knownSince;

    private @Nullable DataNodeState home;
    /** Those that the NameNode named; none before it was asked. */
    private DataNodeState[] holders = NOBODY;

    private long locatedMs = NEVER;
    private NamespaceView.@Nullable Verdict excluded;
    private @Nullable PolicySpec ruledBy;
    private @Nullable PathRule rule;
    private long ruledMs;
    private long confirmedMs = NEVER;

    BlockHeat(StampedBlock block, long nowMs) {
        this.block = block;
        this.lastMs = nowMs;
        this.knownSince = (int) (nowMs / 100) << 1;
    }

    public StampedBlock block() {
        return block;
    }

    /** The one DataNode that reports it has the same content with another length. */
    void measured(StampedBlock again) {
        if (home != null) {
            home.homed(again.lengthBytes() - block.lengthBytes());
        }
        block = again;
        doubt();
    }

    /** Reads since the block is known. */
    public long reads() {
        return reads;
    }

    /** How long all {@link #reads} took, to a tenth of a second; -1 where some were counted before the block was known here. */
    public long knownForMs(long nowMs) {
        return isRemembered() ? -1 : 100L * (((int) (nowMs / 100) << 1) - knownSince >>> 1);
    }

    private boolean isRemembered() {
        return (knownSince & 1) != 0;
    }

    public long bytesRead() {
        return bytesRead;
    }

    /** The part of {@link #bytesRead} that was served from memory. */
    public long bytesFromMemory() {
        return bytesFromMemory;
    }

    public long lastMs() {
        return lastMs;
    }

    /** The DataNode where its accesses count and its memory copy would be. */
    @Nullable
    public DataNodeState home() {
        return home;
    }

    public void home(@Nullable DataNodeState node) {
        if (node != home) {
            if (home != null) {
                home.homed(-block.lengthBytes());
            }
            if (node != null) {
                node.homed(block.lengthBytes());
            }
            home = node;
        }
    }

    /** A DataNode says that it has a copy, so it is the home until the NameNode says otherwise. */
    public void claim(DataNodeState node) {
        home(node);
        doubt();
    }

    /** The home has a copy now, which that part of the reads that others served will find. */
    public void arrived(double reach) {
        DataNodeState at = home;
        if (at == null) {
            return;
        }
        int slot = slot(at); // May replace the arrays, so it is called before they are read.
        for (int i = 0; i < shares.length; i++) {
            if (i != slot) {
                shares[slot] += (float) (reach * shares[i]);
                shares[i] *= (float) (1 - reach);
            }
        }
    }

    /** Whether it is known which DataNodes hold the block, as far as the NameNode's answer is still good. */
    public boolean isLocated(long nowMs) {
        return locatedMs != NEVER && nowMs - locatedMs < CONFIRMED_MS;
    }

    /**
     * The NameNode named the holders of the block.
     *
     * @param named those of them that are known here
     */
    public void locate(long nowMs, List<DataNodeState> named) {
        holders = named.toArray(NOBODY);
        locatedMs = nowMs;
    }

    /** The NameNode says that this DataNode holds the block: where it was not among the holders, they are not known any more. */
    public void heldBy(DataNodeState node) {
        if (holders.length > 0 && !Arrays.asList(holders).contains(node)) {
            unlocate();
        }
    }

    /** DataNodes that could be the home: the holders, or, where they are not known, those whose reads count here. */
    int candidateCount() {
        return holders.length > 0 ? holders.length : nodes.length;
    }

    DataNodeState candidate(int index) {
        return holders.length > 0 ? holders[index] : nodes[index];
    }

    /** Whether a DataNode's reads count here, or it is the home. */
    public boolean isReportedBy(DataNodeState node) {
        return home == node || indexOf(node) >= 0;
    }

    /** Whether another DataNode's reads count here, or another one is the home. */
    public boolean isReportedByOthers(DataNodeState node) {
        if (home != null && home != node) {
            return true;
        }
        for (DataNodeState reporter : nodes) {
            if (reporter != node) {
                return true;
            }
        }
        return false;
    }

    /** The DataNodes whose reads count here, and the home. */
    public List<DataNodeState> reporters() {
        List<DataNodeState> reporters = new ArrayList<>(Arrays.asList(nodes));
        if (home != null && indexOf(home) < 0) {
            reporters.add(home);
        }
        return reporters;
    }

    /** Whether the NameNode said recently that all who report here hold the block. */
    public boolean isConfirmed(long nowMs) {
        return confirmedMs != NEVER && nowMs - confirmedMs < CONFIRMED_MS;
    }

    public void confirm(long nowMs) {
        confirmedMs = nowMs;
    }

    public void doubt() {
        confirmedMs = NEVER;
    }

    /** Why the block can never be promoted, if so. */
    public NamespaceView.@Nullable Verdict excluded() {
        return excluded;
    }

    public void exclude(NamespaceView.Verdict why) {
        excluded = why;
    }

    /** The same heat on the DataNodes of another loop; those that are unknown there are left out. */
    public BlockHeat copied(Function<DataNodeState, @Nullable DataNodeState> there) {
        BlockHeat copy = new BlockHeat(block, lastMs);
        copy.reads = reads;
        copy.bytesRead = bytesRead;
        copy.bytesFromMemory = bytesFromMemory;
        copy.knownSince = knownSince;
        copy.excluded = excluded;
        copy.confirmedMs = confirmedMs;
        for (int i = 0; i < nodes.length; i++) {
            DataNodeState node = there.apply(nodes[i]);
            if (node != null) {
                int slot = copy.slot(node); // May replace the arrays, so it is called before they are read.
                copy.shares[slot] = shares[i];
            }
        }
        copy.home(home == null ? null : there.apply(home));
        return copy;
    }

    /** Whether it was looked up which rule of a policy its path matches. */
    public boolean isRuledBy(PolicySpec spec) {
        return ruledBy == spec;
    }

    /** The rule that it matched when that was last looked up; null when it matched none. */
    @Nullable
    public PathRule rule() {
        return rule;
    }

    public long ruledMs() {
        return ruledMs;
    }

    public void rule(long nowMs, PolicySpec by, @Nullable PathRule found) {
        // A reference that is stored anew, though it is the same, is one more card for the collector to look at.
        if (ruledBy != by) {
            ruledBy = by;
        }
        if (rule != found) {
            rule = found;
        }
        ruledMs = nowMs;
    }

    public void record(long nowMs, DataNodeState node, Heartbeat.Heat heat, long halfLifeMs) {
        reads += heat.reads();
        bytesRead += heat.bytesRead();
        bytesFromMemory += heat.bytesReadFromMemory();
        decay(nowMs, halfLifeMs);
        if (heat.reads() > 0) {
            int slot = slot(node); // May replace the arrays, so it is called before they are read.
            shares[slot] += heat.reads();
        }
    }

    /**
     * Adds what was counted before it was known here. That is done once: a block may be asked for more than once before it is
     * known again.
     *
     * @param before its reads, of bytes, of which so many came from memory
     * @return whether this was the first time
     */
    public boolean remember(long before, long bytes, long fromMemory) {
        if (isRemembered()) {
            return false;
        }
        knownSince |= 1;
        reads += before;
        bytesRead += bytes;
        bytesFromMemory += fromMemory;
        return true;
    }

    /**
     * Adds decayed reads of a DataNode from before; they are left out where others take all places.
     *
     * @param atMs the time as of which they are decayed
     */
    public void remember(DataNodeState node, float share, long atMs, long halfLifeMs) {
        if (indexOf(node) < 0 && nodes.length == MOST_NODES) {
            return;
        }
        int slot = slot(node); // May replace the arrays, so it is called before they are read.
        shares[slot] += share * (float) Math.pow(0.5, (double) Math.max(0, lastMs - atMs) / halfLifeMs);
        doubt();
    }

    /** Puts other objects in the place of the DataNodes; those without one are left out. */
    void rebind(Function<DataNodeState, @Nullable DataNodeState> there) {
        DataNodeState heirOfHome = home == null ? null : there.apply(home);
        for (DataNodeState node : nodes.clone()) {
            DataNodeState heir = there.apply(node);
            if (heir == null) {
                forget(node);
            } else {
                nodes[indexOf(node)] = heir;
            }
        }
        home(heirOfHome);
        unlocate();
        excluded = null;
        doubt();
    }

    private void decay(long nowMs, long halfLifeMs) {
        if (nowMs > lastMs) {
            float factor = (float) Math.pow(0.5, (double) (nowMs - lastMs) / halfLifeMs);
            for (int i = 0; i < shares.length; i++) {
                shares[i] *= factor;
            }
            lastMs = nowMs;
        }
    }

    private int slot(DataNodeState node) {
        int least = 0;
        for (int i = 0; i < nodes.length; i++) {
            if (nodes[i] == node) {
                return i;
            }
            if (shares[i] < shares[least]) {
                least = i;
            }
        }
        if (nodes.length < MOST_NODES) {
            least = nodes.length;
            nodes = Arrays.copyOf(nodes, least + 1);
            shares = Arrays.copyOf(shares, least + 1);
        }
        nodes[least] = node;
        shares[least] = 0;
        return least;
    }

    /** Drops what a DataNode contributed that holds no replica; who holds one is not known any more. */
    public void forget(DataNodeState node) {
        forget(Set.of(node));
        unlocate();
    }

    /** Drops what DataNodes contributed that are gone for good; who holds the block stays known where none of them did. */
    void forget(Set<DataNodeState> gone) {
        for (int i = nodes.length - 1; i >= 0; i--) {
            if (gone.contains(nodes[i])) {
                int last = nodes.length - 1;
                nodes[i] = nodes[last];
                shares[i] = shares[last];
                nodes = Arrays.copyOf(nodes, last);
                shares = Arrays.copyOf(shares, last);
            }
        }
        if (home != null && gone.contains(home)) {
            home(null);
        }
        for (DataNodeState holder : holders) {
            if (gone.contains(holder)) {
                unlocate();
                return;
            }
        }
    }

    private void unlocate() {
        holders = NOBODY;
        locatedMs = NEVER;
    }

    /** Decayed reads on all DataNodes. */
    public double heat(long nowMs, long halfLifeMs) {
        return shares() * Math.pow(0.5, (double) Math.max(0, nowMs - lastMs) / halfLifeMs);
    }

    public int nodeCount() {
        return nodes.length;
    }

    public DataNodeState node(int index) {
        return nodes[index];
    }

    /** Decayed reads on all DataNodes as of {@link #lastMs}. */
    double shares() {
        double sum = 0;
        for (float share : shares) {
            sum += share;
        }
        return sum;
    }

    /** Decayed reads as of {@link #lastMs}; shares of one block compare with each other only. */
    public float share(int index) {
        return shares[index];
    }

    public float shareOf(@Nullable DataNodeState node) {
        int i = node == null ? -1 : indexOf(node);
        return i < 0 ? 0 : shares[i];
    }

    private int indexOf(DataNodeState node) {
        for (int i = 0; i < nodes.length; i++) {
            if (nodes[i] == node) {
                return i;
            }
        }
        return -1;
    }
}
