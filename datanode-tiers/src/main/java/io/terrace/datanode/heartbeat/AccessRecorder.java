package io.terrace.datanode.heartbeat;

import io.terrace.channel.server.Peer;
import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where every read and write of a block on this DataNode is counted: in the figures, and in the heat of whoever wants to
 * know, a {@link Listener} for each placement service of the block's pool. Thread-safe.
 */
public final class AccessRecorder {

    /** A placement service's own table, and what to do when it has another block. */
    public interface Listener {
        /** Heat that has not been delivered. */
        HeatTable heat();

        /** The table has a block that it did not have before. */
        void blockAdded();
    }

    private final MetricRegistry metricRegistry;
    private final LongSupplier nanoClock;
    private final Supplier<@Nullable String> stockReader;
    private final ConcurrentHashMap<String, List<Listener>> listeners = new ConcurrentHashMap<>();
    private final LongAdder bytesServed = new LongAdder();

    /**
     * Counts into these figures.
     *
     * @param stockReader the host of the client that the calling thread serves over the DataNode's socket; null if it does not
     *     say
     */
    public AccessRecorder(
            MetricRegistry metricRegistry, LongSupplier nanoClock, Supplier<@Nullable String> stockReader) {
        this.stockReader = stockReader;
        this.metricRegistry = metricRegistry;
        this.nanoClock = nanoClock;
    }

    /** Tells this listener about the pool from now on. */
    public void listen(String pool, Listener listener) {
        listeners.computeIfAbsent(pool, p -> new CopyOnWriteArrayList<>()).add(listener);
    }

    /** Tells it no more. */
    public void unlisten(String pool, Listener listener) {
        listeners.getOrDefault(pool, List.of()).remove(listener);
    }

    /** A stock client began to read over the DataNode's socket. */
    public void stockReadBegan(String pool, long blockId, boolean fromMemory) {
        metricRegistry.increment(fromMemory ? Metric.READS_STOCK_MEMORY : Metric.READS_STOCK_REPLICA);
        heat(pool, blockId, 1, 0, 0, wantsReaders(pool) ? stockReader.get() : null);
    }

    /**
     * It ended, after so many bytes.
     *
     * @param tookNs to open and read the file
     */
    public void stockReadEnded(String pool, long blockId, long bytes, boolean fromMemory, long tookNs) {
        metricRegistry.add(fromMemory ? Metric.READS_STOCK_MEMORY_BYTES : Metric.READS_STOCK_REPLICA_BYTES, bytes);
        bytesServed.add(bytes);
        long nowNs = nanoClock.getAsLong();
        for (Listener listener : listeners.getOrDefault(pool, List.of())) {
            if (listener.heat().readEnded(blockId, bytes, fromMemory, tookNs, nowNs)) {
                listener.blockAdded();
            }
        }
    }

    /** A stock short-circuit client was passed a descriptor; that is one read of unknown length. */
    public void descriptorPassed(String pool, long blockId, boolean fromMemory) {
        metricRegistry.increment(fromMemory ? Metric.READS_DESCRIPTORS_MEMORY : Metric.READS_DESCRIPTORS_REPLICA);
        heat(pool, blockId, 1, 0, 0, Peer.THIS_HOST);
    }

    /**
     * A client reported what it read through a grant of an extent on this medium.
     *
     * @param reader the client's host; null if it is not known
     */
    public void granted(
            StorageTier medium, String pool, long blockId, long reads, long bytes, @Nullable String reader) {
        boolean fromMemory = medium == StorageTier.MEMORY;
        if (!fromMemory) {
            metricRegistry.add(Metric.READS_GRANTED_NVM, reads);
            metricRegistry.add(Metric.READS_GRANTED_NVM_BYTES, bytes);
        }
        metricRegistry.add(Metric.READS_GRANTED, reads);
        metricRegistry.add(Metric.READS_GRANTED_BYTES, bytes);
        bytesServed.add(bytes);
        heat(pool, blockId, reads, bytes, fromMemory ? bytes : 0, reader);
    }

    /** A replica was finalised. */
    public void written(String pool, long blockId, long bytes) {
        long nowNs = nanoClock.getAsLong();
        for (Listener listener : listeners.getOrDefault(pool, List.of())) {
            listener.heat().written(blockId, bytes, nowNs);
        }
    }

    /** Bytes served to anybody so far. */
    public long bytesServed() {
        return bytesServed.sum();
    }

    private boolean wantsReaders(String pool) {
        for (Listener listener : listeners.getOrDefault(pool, List.of())) {
            if (listener.heat().tellsReaders()) {
                return true;
            }
        }
        return false;
    }

    private void heat(
            String pool, long blockId, long reads, long bytes, long bytesFromMemory, @Nullable String reader) {
        long nowNs = nanoClock.getAsLong();
        for (Listener listener : listeners.getOrDefault(pool, List.of())) {
            if (listener.heat().read(blockId, reads, bytes, bytesFromMemory, nowNs, reader)) {
                listener.blockAdded();
            }
        }
    }
}
