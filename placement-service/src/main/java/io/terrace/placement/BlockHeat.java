package io.terrace.placement;

import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.policyfile.Rule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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

    private static final long NEVER = Long.MIN_VALUE;

    private StampedBlock block;
    private long reads;
    private long bytesRead;
    private long bytesFromMemory;
    private long writes;
    private long lastMs;
    private Node[] nodes = {};
    private float[] shares = {};
    private @Nullable Node home;
    private NameView.@Nullable Verdict excluded;
    private @Nullable PolicySpec ruledBy;
    private @Nullable Rule rule;
    private long ruledMs;
    private long confirmedMs = NEVER;

    BlockHeat(StampedBlock block, long nowMs) {
        this.block = block;
        this.lastMs = nowMs;
    }

    public StampedBlock block() {
        return block;
    }

    /** A DataNode that alone speaks of it has the same content with another length. */
    void measured(StampedBlock again) {
        block = again;
        doubt();
    }

    /** Reads since the block is known. */
    public long reads() {
        return reads;
    }

    public long bytesRead() {
        return bytesRead;
    }

    /** The part of {@link #bytesRead} that was served from memory. */
    public long bytesFromMemory() {
        return bytesFromMemory;
    }

    public long writes() {
        return writes;
    }

    public long lastMs() {
        return lastMs;
    }

    /** The DataNode where its accesses count and its memory copy would be. */
    @Nullable
    Node home() {
        return home;
    }

    void settleAt(@Nullable Node node) {
        home = node;
    }

    /** A DataNode says that it has a copy, so it is the home until the NameNode says otherwise. */
    void claim(Node node) {
        home = node;
        doubt();
    }

    /** Whether a DataNode's reads count here, or it is the home. */
    boolean speaks(Node node) {
        return home == node || indexOf(node) >= 0;
    }

    /** Whether another DataNode's reads count here, or another one is the home. */
    boolean hasSpeakerBeside(Node node) {
        if (home != null && home != node) {
            return true;
        }
        for (Node speaker : nodes) {
            if (speaker != node) {
                return true;
            }
        }
        return false;
    }

    /** The DataNodes whose reads count here, and the home. */
    List<Node> speakers() {
        List<Node> speakers = new ArrayList<>(Arrays.asList(nodes));
        if (home != null && indexOf(home) < 0) {
            speakers.add(home);
        }
        return speakers;
    }

    /** Whether the NameNode said of late that all who speak here hold the block; see {@link Witnesses}. */
    boolean isConfirmed(long nowMs) {
        return confirmedMs != NEVER && nowMs - confirmedMs < Witnesses.VALID_MS;
    }

    void confirm(long nowMs) {
        confirmedMs = nowMs;
    }

    void doubt() {
        confirmedMs = NEVER;
    }

    /** Why the block can never be promoted, if so. */
    NameView.@Nullable Verdict excluded() {
        return excluded;
    }

    void exclude(NameView.Verdict why) {
        excluded = why;
    }

    /** The same heat on the DataNodes of another loop; those that are unknown there are left out. */
    BlockHeat copied(Function<Node, @Nullable Node> there) {
        BlockHeat copy = new BlockHeat(block, lastMs);
        copy.reads = reads;
        copy.bytesRead = bytesRead;
        copy.bytesFromMemory = bytesFromMemory;
        copy.writes = writes;
        copy.excluded = excluded;
        copy.confirmedMs = confirmedMs;
        for (int i = 0; i < nodes.length; i++) {
            Node node = there.apply(nodes[i]);
            if (node != null) {
                int slot = copy.slot(node); // May give the arrays a new slot, so it comes before they are read.
                copy.shares[slot] = shares[i];
            }
        }
        copy.home = home == null ? null : there.apply(home);
        return copy;
    }

    /** Whether it was looked up which rule of a policy its path matches. */
    boolean isRuledBy(PolicySpec spec) {
        return ruledBy == spec;
    }

    /** The rule that it matched when that was last looked up; null when it matched none. */
    @Nullable
    Rule rule() {
        return rule;
    }

    long ruledMs() {
        return ruledMs;
    }

    void rule(long nowMs, PolicySpec by, @Nullable Rule found) {
        ruledBy = by;
        rule = found;
        ruledMs = nowMs;
    }

    void record(long nowMs, Node node, Heartbeat.Heat heat, long halfLifeMs) {
        reads += heat.reads();
        bytesRead += heat.bytesRead();
        bytesFromMemory += heat.bytesReadFromMemory();
        writes += heat.writes();
        decay(nowMs, halfLifeMs);
        if (heat.reads() > 0) {
            int slot = slot(node); // May give the arrays a new slot, so it comes before they are read.
            shares[slot] += heat.reads();
        }
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

    private int slot(Node node) {
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

    /** Drops what a DataNode contributed that is gone for good, or that holds no replica. */
    void forget(Node node) {
        int i = indexOf(node);
        if (i >= 0) {
            int last = nodes.length - 1;
            nodes[i] = nodes[last];
            shares[i] = shares[last];
            nodes = Arrays.copyOf(nodes, last);
            shares = Arrays.copyOf(shares, last);
        }
        if (home == node) {
            home = null;
        }
    }

    /** Decayed reads on all DataNodes. */
    public double heat(long nowMs, long halfLifeMs) {
        float sum = 0;
        for (float share : shares) {
            sum += share;
        }
        return sum * Math.pow(0.5, (double) Math.max(0, nowMs - lastMs) / halfLifeMs);
    }

    int nodeCount() {
        return nodes.length;
    }

    Node node(int index) {
        return nodes[index];
    }

    /** Decayed reads as of {@link #lastMs}; shares of one block compare with each other only. */
    float share(int index) {
        return shares[index];
    }

    float shareOf(@Nullable Node node) {
        int i = node == null ? -1 : indexOf(node);
        return i < 0 ? 0 : shares[i];
    }

    private int indexOf(Node node) {
        for (int i = 0; i < nodes.length; i++) {
            if (nodes[i] == node) {
                return i;
            }
        }
        return -1;
    }
}
