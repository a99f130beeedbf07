package io.terrace.placement;

import io.terrace.common.StorageTier;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.Heartbeat.Residency;
import io.terrace.placement.heartbeat.Heartbeat.Result;
import io.terrace.placement.heartbeat.Heartbeat.TierState;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.state.DataNodeState;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.ResidentBlocks.Resident;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What would be in the memory of a DataNode if the orders of a {@link ShadowRun} were carried out. Carries out orders
 * at once and reports them with the next heartbeat. Owned by the engine's thread.
 */
final class ShadowDataNode {

    private final Map<Long, Residency> memory = new LinkedHashMap<>();
    private final ArrayDeque<Residency> changes = new ArrayDeque<>();
    private final List<Result> results = new ArrayList<>();
    private final int entriesPerHeartbeat;
    private final int mostBlocks;
    private long usedBytes;
    private long peakBytes;
    private long capacityBytes;
    private long incarnation;
    private long sequence;
    private boolean full = true;

    /**
     * Begins with what the real one has.
     *
     * @param mostBlocks in memory; of more, what the real one says is not taken, as by the loop itself
     */
    ShadowDataNode(DataNodeState real, int entriesPerHeartbeat, int mostBlocks) {
        this.entriesPerHeartbeat = entriesPerHeartbeat;
        this.mostBlocks = mostBlocks;
        this.incarnation = real.session().incarnation();
        for (Resident resident : real.residents().all()) {
            put(new Residency(resident.block, true, resident.pinnedThere));
        }
    }

    int size() {
        return memory.size();
    }

    boolean holds(long blockId) {
        return memory.containsKey(blockId);
    }

    long peakBytes() {
        return peakBytes;
    }

    private boolean isFullFor(StampedBlock block) {
        return memory.size() >= mostBlocks && !holds(block.id());
    }

    private void put(Residency entry) {
        Residency before = memory.put(entry.block().id(), entry);
        usedBytes += entry.block().lengthBytes()
                - (before == null ? 0 : before.block().lengthBytes());
        peakBytes = Math.max(peakBytes, usedBytes);
    }

    private void remove(StampedBlock block) {
        Residency before = memory.remove(block.id());
        if (before != null) {
            usedBytes -= before.block().lengthBytes();
            changes.add(new Residency(before.block(), false, false));
        }
    }

    /** What the real DataNode's memory took or lost without an order of the service. */
    private void follow(DataNodeState real, Heartbeat heartbeat) {
        if (heartbeat.incarnation() != incarnation) {
            incarnation = heartbeat.incarnation();
            memory.clear();
            usedBytes = 0;
            changes.clear();
            results.clear();
            full = true;
        }
        for (Residency change : heartbeat.residency()) {
            Move open = real.moveQueue().open(change.block().id());
            if (change.resident() && change.pinned()) {
                if (!isFullFor(change.block())) {
                    put(change);
                    changes.add(change);
                }
            } else if (!change.resident() && (open == null || open.isPromotion())) {
                remove(change.block());
            }
        }
    }

    /** The heartbeat that it would have sent in place of the real one. */
    Heartbeat translated(DataNodeState real, Heartbeat heartbeat) {
        follow(real, heartbeat);
        List<TierState> tiers = new ArrayList<>();
        for (TierState tier : heartbeat.tiers()) {
            boolean isMemory = tier.tier() == StorageTier.MEMORY;
            capacityBytes = isMemory ? tier.capacityBytes() : capacityBytes;
            tiers.add(
                    isMemory ? new TierState(StorageTier.MEMORY, capacityBytes, usedBytes, 0, 0, memory.size()) : tier);
        }
        full |= changes.size() > mostBlocks; // A full report is shorter.
        boolean first = full;
        if (full) {
            changes.clear();
            changes.addAll(memory.values());
            full = false;
        }
        List<Residency> residency = new ArrayList<>();
        while (!changes.isEmpty() && residency.size() < entriesPerHeartbeat) {
            residency.add(changes.remove());
        }
        Heartbeat translated = new Heartbeat(
                heartbeat.node(),
                heartbeat.host(),
                heartbeat.transferPort(),
                incarnation,
                ++sequence,
                tiers,
                heartbeat.heat().stream().map(this::translated).toList(),
                residency,
                first,
                List.copyOf(results),
                List.of(),
                heartbeat.bytesServed(),
                heartbeat.serving(),
                Map.of(),
                false,
                heartbeat.release());
        results.clear();
        return translated;
    }

    private Heat translated(Heat heat) {
        boolean inMemory = holds(heat.block().id());
        return new Heat(
                heat.block(),
                heat.replica(),
                inMemory,
                heat.reads(),
                heat.bytesRead(),
                inMemory ? heat.bytesRead() : 0,
                heat.writes(),
                heat.bytesWritten(),
                heat.ageMs());
    }

    void carryOut(HeartbeatAnswer answer) {
        full |= answer.fullWanted();
        for (MoveOrder order : answer.orders()) {
            StampedBlock block = order.block();
            MoveOutcome outcome = order.isPromotion() ? promote(block) : drop(block);
            results.add(new Result(order.moveId(), answer.epoch(), outcome, block, block.lengthBytes(), 0, null));
        }
    }

    private MoveOutcome promote(StampedBlock block) {
        if (!holds(block.id())) {
            if (usedBytes + block.lengthBytes() > capacityBytes || isFullFor(block)) {
                return MoveOutcome.NO_ROOM;
            }
            Residency entry = new Residency(block, true, false);
            put(entry);
            changes.add(entry);
        }
        return MoveOutcome.DONE;
    }

    private MoveOutcome drop(StampedBlock block) {
        Residency there = memory.get(block.id());
        if (there != null && there.pinned()) {
            return MoveOutcome.PINNED;
        }
        remove(block);
        return MoveOutcome.DONE;
    }
}
