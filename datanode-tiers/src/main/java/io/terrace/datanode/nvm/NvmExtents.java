package io.terrace.datanode.nvm;

import io.terrace.common.BlockId;
import io.terrace.common.BlockKey;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.GrantRecord;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The replicas on NVM that clients may be granted as they are. A replica becomes one after a stock reader
 * opened it, once it was verified in the background; it stops being one when it changes, moves, goes, or a memory copy of
 * it is there.
 *
 * <p>The life of its extents is that of memory copies, kept by a {@link LocalTier} of its own, whose room is a number of
 * extents: they take no memory. Bounded: {@value #MOST_WAITING} replicas wait for verification, more are passed over.
 * Thread-safe; nothing but {@link #turn} and the verification, which runs on the executor, reads or waits.
 */
public final class NvmExtents {

    static final int MOST_WAITING = 1024;
    static final long UNFIT_NS = TimeUnit.MINUTES.toNanos(10);
    private static final int MOST_UNFIT = 4096;

    private final LocalTier tier;
    private final LocalTier memory;
    private final NvmReplica.Look replicas;
    private final NvmAdmission admission;
    private final Executor verifier;
    private final boolean servesThisHost;
    private final MetricRegistry metricRegistry;
    private final LongSupplier nanoClock;

    /** Whether there was ever a replica to link. Set before the first link is made. */
    private volatile boolean mayHaveLinks;

    /** Links of extents that nobody reads go with the change that ends them. */
    private volatile boolean removesAtOnce = true;

    private final Set<BlockId> waiting = new HashSet<>();
    /** Until when they are not looked at again; the oldest is forgotten where there are too many. */
    private final Map<BlockKey, Long> unfit = new LinkedHashMap<>();

    /**
     * None yet.
     *
     * @param tier of NVM, owned by this
     * @param memory asked whether it has a copy, and which pools are served
     * @param source verified against, and told what is corrupt
     * @param unreadNs an extent that nobody read for so long makes way for another
     * @param verifier one thread
     */
    public NvmExtents(
            LocalTier tier,
            LocalTier memory,
            NvmReplica.Look replicas,
            ReplicaSource source,
            NvmLinks links,
            TokenBucket tokenBucket,
            long unreadNs,
            Executor verifier,
            MetricRegistry metricRegistry,
            LongSupplier nanoClock) {
        this.tier = tier;
        this.memory = memory;
        this.replicas = replicas;
        this.servesThisHost = links.servesThisHost();
        this.admission =
                new NvmAdmission(tier, memory, source, links, tokenBucket, unreadNs, metricRegistry, nanoClock);
        this.verifier = verifier;
        this.metricRegistry = metricRegistry;
        this.nanoClock = nanoClock;
    }

    /**
     * Stock passed the descriptor of this block's replica, wherever that is, to a reader of this host, who may be granted it
     * the next time. Does not block.
     */
    public void descriptorPassed(String pool, long blockId) {
        if (servesThisHost) {
            read(pool, blockId);
        }
    }

    /** A stock reader opened the replica of this block, wherever that is. Does not block. */
    public void read(String pool, long blockId) {
        NvmReplica replica = replicas.onNvm(pool, blockId);
        if (replica == null
                || replica.block().lengthBytes() <= 0
                || !memory.serves(pool)
                || tier.isResident(replica.key())
                || memory.isResident(replica.key())) {
            return;
        }
        BlockId block = new BlockId(pool, blockId);
        synchronized (this) {
            if (isUnfit(replica.key()) || waiting.contains(block)) {
                return;
            }
            if (waiting.size() >= MOST_WAITING) {
                metricRegistry.increment(Metric.NVM_NOT_ADMITTED);
                return;
            }
            waiting.add(block);
        }
        try {
            verifier.execute(() -> admit(block));
        } catch (RejectedExecutionException e) {
            // Shutting down.
            removeWaiting(block);
        }
    }

    private void admit(BlockId block) {
        try {
            NvmReplica replica = replicas.onNvm(block.pool(), block.id());
            if (replica == null || !memory.serves(block.pool())) {
                return;
            }
            mayHaveLinks = true;
            switch (admission.run(replica)) {
                case ADMITTED -> {}
                case NOT_NOW -> metricRegistry.increment(Metric.NVM_NOT_ADMITTED);
                case UNFIT -> {
                    metricRegistry.increment(Metric.NVM_NOT_ADMITTED);
                    markUnfit(replica.key());
                }
            }
        } finally {
            removeWaiting(block);
        }
    }

    /**
     * The replica of this block changes or is about to: it is not granted as it was from now on. Its link goes at once if
     * nobody has a grant, so that stock need not copy the bytes to change them.
     *
     * @return whether there may be a link of it, or was one
     */
    public boolean changed(String pool, long blockId) {
        if (!mayHaveLinks) {
            return false;
        }
        long nowNs = nanoClock.getAsLong();
        Extent extent = tier.changed(pool, blockId, nowNs);
        if (extent != null && removesAtOnce) {
            // That one alone: others may be on a volume that hangs, and whoever changes this replica would wait for it.
            tier.sweep(extent, nowNs);
        }
        return true;
    }

    /** The removal of a link may wait for a device from now on, so it is left to the turns, and never made by a change. */
    public void removeInTurns() {
        removesAtOnce = false;
    }

    /** Memory has a copy of it. Called under the memory tier's lock, so its link is left to the next turn. */
    public void superseded(BlockKey key) {
        tier.changed(key.pool(), key.blockId(), nanoClock.getAsLong());
    }

    /** The pool leaves this DataNode. */
    public void poolGone(String pool) {
        tier.changedAll(pool, RetireCause.POOL_GONE, nanoClock.getAsLong());
    }

    /**
     * One turn of its thread, which may wait for a volume: what the memory tier does not serve is not served here either.
     *
     * @param revoker tells the holder of a grant to stop
     * @return the work done
     */
    public int turn(long nowNs, Consumer<GrantRecord> revoker) {
        for (String pool : livePools()) {
            if (!memory.serves(pool)) {
                tier.changedAll(pool, RetireCause.SWITCHED_OFF, nowNs);
            }
        }
        int work = 0;
        for (GrantRecord grant = tier.grants().nextRevocation();
                grant != null;
                grant = tier.grants().nextRevocation()) {
            revoker.accept(grant);
            work++;
        }
        return work + tier.sweep(nowNs);
    }

    /** Nothing is granted from now on. Links go as their grants end: nobody adopts them, as a later process does copies. */
    public void close() {
        long nowNs = nanoClock.getAsLong();
        livePools().forEach(pool -> tier.changedAll(pool, RetireCause.SWITCHED_OFF, nowNs));
        tier.close(nowNs);
    }

    private Set<String> livePools() {
        return tier.liveExtents().stream().map(extent -> extent.key().pool()).collect(Collectors.toSet());
    }

    private synchronized void removeWaiting(BlockId block) {
        waiting.remove(block);
    }

    private synchronized boolean isUnfit(BlockKey key) {
        Long untilNs = unfit.get(key);
        if (untilNs != null && untilNs - nanoClock.getAsLong() <= 0) {
            unfit.remove(key);
            return false;
        }
        return untilNs != null;
    }

    private synchronized void markUnfit(BlockKey key) {
        if (unfit.size() >= MOST_UNFIT) {
            unfit.remove(unfit.keySet().iterator().next());
        }
        unfit.put(key, nanoClock.getAsLong() + UNFIT_NS);
    }
}
