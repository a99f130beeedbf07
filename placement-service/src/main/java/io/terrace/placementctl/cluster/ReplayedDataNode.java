package io.terrace.placementctl.cluster;

import io.terrace.common.StorageTier;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.Heartbeat.Residency;
import io.terrace.placement.heartbeat.Heartbeat.Result;
import io.terrace.placement.heartbeat.Heartbeat.TierState;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import it.unimi.dsi.fastutil.longs.Long2IntLinkedOpenHashMap;
import it.unimi.dsi.fastutil.longs.Long2LongOpenHashMap;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;

/** A DataNode of a replay: reports reads in sums, carries out orders at once, and tells of both with its next heartbeat. */
final class ReplayedDataNode {

    static final long NOTHING_DUE = Long.MAX_VALUE;

    private final int number;
    private final long capacityBytes;
    private final long periodMs;
    private final LongFunction<StampedBlock> blocks;
    private final LongOpenHashSet memory = new LongOpenHashSet();
    private final Long2IntLinkedOpenHashMap reads = new Long2IntLinkedOpenHashMap();
    private final Long2LongOpenHashMap bytesRead = new Long2LongOpenHashMap();
    private final Long2IntLinkedOpenHashMap writes = new Long2IntLinkedOpenHashMap();
    private final List<Residency> changes = new ArrayList<>();
    private final List<Result> results = new ArrayList<>();
    private long usedBytes;
    private long promotedBytes;
    private long promotions;
    private long sequence;
    private long dueMs = 0;
    private boolean full = true;

    ReplayedDataNode(int number, long capacityBytes, long periodMs, LongFunction<StampedBlock> blocks) {
        this.number = number;
        this.capacityBytes = capacityBytes;
        this.periodMs = periodMs;
        this.blocks = blocks;
    }

    boolean hasInMemory(long block) {
        return memory.contains(block);
    }

    void read(long nowMs, long block, long bytes) {
        reads.addTo(block, 1);
        bytesRead.addTo(block, bytes);
        due(nowMs);
    }

    void wrote(long nowMs, long block) {
        writes.addTo(block, 1);
        due(nowMs);
    }

    /** A heartbeat is to be sent within a period. */
    void due(long nowMs) {
        dueMs = Math.min(dueMs, nowMs + periodMs);
    }

    /** When the next heartbeat is to be sent. */
    long dueMs() {
        return dueMs;
    }

    long promotedBytes() {
        return promotedBytes;
    }

    long promotions() {
        return promotions;
    }

    Heartbeat heartbeat() {
        List<Heat> heat = new ArrayList<>(reads.size());
        reads.long2IntEntrySet().fastForEach(entry -> {
            StampedBlock block = blocks.apply(entry.getLongKey());
            boolean inMemory = memory.contains(block.id());
            long bytes = bytesRead.get(block.id());
            heat.add(new Heat(
                    block, StorageTier.DISK, inMemory, entry.getIntValue(), bytes, inMemory ? bytes : 0, 0, 0, 0));
        });
        writes.long2IntEntrySet().fastForEach(entry -> {
            StampedBlock block = blocks.apply(entry.getLongKey());
            int count = entry.getIntValue();
            heat.add(new Heat(
                    block, StorageTier.DISK, memory.contains(block.id()), 0, 0, 0, count, block.lengthBytes(), 0));
        });
        Heartbeat heartbeat = new Heartbeat(
                Integer.toString(number),
                "host" + number,
                9866,
                1,
                ++sequence,
                List.of(new TierState(StorageTier.MEMORY, capacityBytes, usedBytes, 0, 0, memory.size())),
                heat,
                List.copyOf(changes),
                full,
                List.copyOf(results),
                List.of(),
                0,
                true,
                Map.of(),
                false,
                "");
        reads.clear();
        bytesRead.clear();
        writes.clear();
        changes.clear();
        results.clear();
        full = false;
        dueMs = NOTHING_DUE;
        return heartbeat;
    }

    void take(long nowMs, HeartbeatAnswer answer) {
        for (MoveOrder order : answer.orders()) {
            MoveOutcome outcome = carryOut(order);
            results.add(new Result(
                    order.moveId(),
                    answer.epoch(),
                    outcome,
                    order.block(),
                    order.block().lengthBytes(),
                    0,
                    null));
            due(nowMs);
        }
    }

    private MoveOutcome carryOut(MoveOrder order) {
        StampedBlock block = order.block();
        if (!order.isPromotion()) {
            if (memory.remove(block.id())) {
                usedBytes -= block.lengthBytes();
                changes.add(new Residency(block, false, false));
            }
            return MoveOutcome.DONE;
        }
        if (usedBytes + block.lengthBytes() > capacityBytes) {
            return MoveOutcome.NO_ROOM;
        }
        if (memory.add(block.id())) {
            usedBytes += block.lengthBytes();
            promotedBytes += block.lengthBytes();
            promotions++;
            changes.add(new Residency(block, true, false));
        }
        return MoveOutcome.DONE;
    }
}
