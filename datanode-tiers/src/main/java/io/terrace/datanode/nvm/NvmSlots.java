package io.terrace.datanode.nvm;

import io.terrace.common.BlockKey;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.SlotAllocator;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.util.function.Predicate;

/**
 * Slots of extents on NVM: in the table that clients of this host map, which other hosts are told of too, where those clients
 * may open the file; else such as only other hosts are told of. Thread-safe.
 */
public final class NvmSlots implements SlotAllocator {

    private final SlotAllocator table;
    private final int tableSlots;
    private final SlotAllocator elsewhere;
    private final Predicate<BlockKey> opensHere;
    private final boolean wanted;
    private final MetricRegistry metricRegistry;

    /**
     * No slots yet.
     *
     * @param tableSlots how many the table has
     * @param elsewhere numbers its slots from there
     * @param opensHere whether clients of this host may open the file of a block
     * @param wanted whether the operator wants them to
     */
    public NvmSlots(
            SlotAllocator table,
            int tableSlots,
            SlotAllocator elsewhere,
            Predicate<BlockKey> opensHere,
            boolean wanted,
            MetricRegistry metricRegistry) {
        this.table = table;
        this.tableSlots = tableSlots;
        this.elsewhere = elsewhere;
        this.opensHere = opensHere;
        this.wanted = wanted;
        this.metricRegistry = metricRegistry;
    }

    /** Whether clients of this host see the slot in their table. */
    public boolean isInTable(int slot) {
        return slot >= 0 && slot < tableSlots;
    }

    @Override
    public int claim(BlockKey key) {
        int slot = opensHere.test(key) ? table.claim(key) : Extent.NO_SLOT;
        return slot == Extent.NO_SLOT ? elsewhere.claim(key) : slot;
    }

    @Override
    public long publish(int slot) {
        if (wanted && !isInTable(slot)) {
            metricRegistry.increment(Metric.NVM_LOCAL_NOT_SHOWN);
        }
        return of(slot).publish(slot);
    }

    @Override
    public void retire(int slot) {
        of(slot).retire(slot);
    }

    @Override
    public void free(int slot) {
        of(slot).free(slot);
    }

    private SlotAllocator of(int slot) {
        return isInTable(slot) ? table : elsewhere;
    }
}
