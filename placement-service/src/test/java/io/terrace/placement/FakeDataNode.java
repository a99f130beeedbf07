package io.terrace.placement;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.HealthFinding;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.Heartbeat.Offer;
import io.terrace.placement.heartbeat.Heartbeat.ReadTime;
import io.terrace.placement.heartbeat.Heartbeat.Residency;
import io.terrace.placement.heartbeat.Heartbeat.Resized;
import io.terrace.placement.heartbeat.Heartbeat.Result;
import io.terrace.placement.heartbeat.Heartbeat.TierState;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.heartbeat.HeartbeatAnswer.OffersWanted;
import io.terrace.placement.heartbeat.Resize;
import io.terrace.placement.heartbeat.WriteThroughRules;
import io.terrace.protocol.HeartbeatLimits;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A DataNode in memory that carries out orders at once and reports them with its next heartbeat. */
public final class FakeDataNode {

    static final String PROMOTE = "PROMOTE";
    static final String DROP = "DROP";

    final String uuid;
    long capacityBytes;
    long incarnation = 1;
    long sequence;
    long bytesServed = 1L << 40;
    long descriptorsHeld;
    boolean omitsFigures;
    boolean serving = true;
    boolean takesVolumeMoves;
    String release = "";
    /** It refuses to have more memory than that. */
    long mostBytes = Long.MAX_VALUE;

    @Nullable
    Resized resized;

    boolean wantsFull = true;
    final Map<Long, StampedBlock> memory = new LinkedHashMap<>();
    final Map<Long, Boolean> pinned = new LinkedHashMap<>();
    final List<MoveOrder> orders = new ArrayList<>();
    Function<MoveOrder, MoveOutcome> carryOut = order -> null;
    /** Given the epoch; answers null where no result is sent. */
    BiFunction<Long, MoveOrder, @Nullable Result> carryOutVolumeMove = (epoch, order) -> null;

    /** Of the next heartbeat, and of others until the service takes them. */
    final List<Offer> offers = new ArrayList<>();
    /** Of the last answer. */
    List<OffersWanted> offersWanted = List.of();

    WriteThroughRules writeThroughRules = WriteThroughRules.NONE;

    private final List<Heat> heat = new ArrayList<>();
    private final List<ReadTime> readTimes = new ArrayList<>();
    private final List<Residency> changes = new ArrayList<>();
    private final List<Result> results = new ArrayList<>();
    private final List<HealthFinding> conditions = new ArrayList<>();

    FakeDataNode(String uuid, long capacityBytes) {
        this.uuid = uuid;
        this.capacityBytes = capacityBytes;
    }

    public FakeDataNode reads(StampedBlock block, long times) {
        boolean inMemory = memory.containsKey(block.id());
        long bytes = times * block.lengthBytes();
        heat.add(new Heat(block, StorageTier.DISK, inMemory, times, bytes, inMemory ? bytes : 0, 0, 0, 0));
        return this;
    }

    /** Stock clients begin to read: their bytes are reported as they end. */
    FakeDataNode stockReads(StampedBlock block, long times) {
        heat.add(new Heat(block, StorageTier.DISK, memory.containsKey(block.id()), times, 0, 0, 0, 0, 0));
        return this;
    }

    /** Short reads of a block from such a volume. */
    FakeDataNode shortReads(StampedBlock block, StorageTier volume, long times, long bytesOfEach) {
        heat.add(new Heat(block, volume, false, times, times * bytesOfEach, 0, 0, 0, 0));
        return this;
    }

    /** How long reads from a tier took, of all blocks. */
    FakeDataNode took(StorageTier tier, long reads, long bytes, long ns) {
        readTimes.add(new ReadTime(tier, reads, bytes, ns));
        return this;
    }

    /** Reads that took so long in all. */
    FakeDataNode timedReads(StampedBlock block, long times, long ns) {
        boolean inMemory = memory.containsKey(block.id());
        long bytes = times * block.lengthBytes();
        heat.add(new Heat(block, StorageTier.DISK, inMemory, times, bytes, inMemory ? bytes : 0, 0, 0, 0, times, ns));
        return this;
    }

    FakeDataNode writes(StampedBlock block) {
        heat.add(new Heat(block, StorageTier.DISK, false, 0, 0, 0, 1, block.lengthBytes(), 0));
        return this;
    }

    /** Both within one heartbeat, which has one entry for a block. */
    FakeDataNode writesAndReads(StampedBlock block) {
        long bytes = block.lengthBytes();
        heat.add(new Heat(block, StorageTier.DISK, false, 1, bytes, 0, 1, bytes, 0));
        return this;
    }

    long usedBytes() {
        return memory.values().stream().mapToLong(StampedBlock::lengthBytes).sum();
    }

    void arrives(StampedBlock block, boolean isPinned) {
        memory.put(block.id(), block);
        pinned.put(block.id(), isPinned);
        changes.add(new Residency(block, true, isPinned));
    }

    void leaves(StampedBlock block) {
        memory.remove(block.id());
        pinned.remove(block.id());
        changes.add(new Residency(block, false, false));
    }

    void restarts() {
        incarnation++;
        sequence = 0;
        memory.clear();
        pinned.clear();
        changes.clear();
        results.clear();
        heat.clear();
        wantsFull = true;
    }

    void result(Result result) {
        results.add(result);
    }

    void result(MoveOrder order, long epoch, MoveOutcome outcome) {
        results.add(new Result(
                order.moveId(), epoch, outcome, order.block(), order.block().lengthBytes(), 1, null));
    }

    /** The next heartbeat; what it carries is forgotten. Of changes that are too many for it the rest follows. */
    Heartbeat heartbeat() {
        if (wantsFull) {
            changes.clear();
            memory.values().forEach(block -> changes.add(new Residency(block, true, pinned.get(block.id()))));
        }
        List<Residency> page = changes.subList(0, Math.min(HeartbeatLimits.ENTRIES, changes.size()));
        List<Residency> residency = List.copyOf(page);
        page.clear();
        long pinnedBytes = memory.values().stream()
                .filter(block -> pinned.get(block.id()))
                .mapToLong(StampedBlock::lengthBytes)
                .sum();
        Heartbeat heartbeat = new Heartbeat(
                uuid,
                "host-" + uuid,
                9866,
                incarnation,
                ++sequence,
                List.of(new TierState(StorageTier.MEMORY, capacityBytes, usedBytes(), 0, pinnedBytes, memory.size())),
                List.copyOf(heat),
                residency,
                wantsFull,
                List.copyOf(results),
                omitsFigures ? null : conditions,
                bytesServed,
                serving,
                omitsFigures ? null : Map.of(Metric.READS_DESCRIPTORS_HELD.id(), descriptorsHeld),
                takesVolumeMoves,
                release,
                resized,
                List.copyOf(readTimes),
                List.copyOf(offers),
                writeThroughRules.id());
        heat.clear();
        readTimes.clear();
        results.clear();
        return heartbeat;
    }

    /** One exchange with the service; orders of the answer are carried out. */
    public HeartbeatAnswer beat(PlacementEngine placement, long nowMs) {
        HeartbeatAnswer answer = placement.heartbeat(nowMs, heartbeat());
        take(answer);
        return answer;
    }

    void take(HeartbeatAnswer answer) {
        Resize resize = answer.resize();
        if (resize != null && (resized == null || resized.id() != resize.id())) {
            String refusal = resize.capacityBytes() > mostBytes ? "too much" : null;
            resized = new Resized(resize.id(), resize.capacityBytes(), 1, refusal);
            capacityBytes = refusal == null ? resize.capacityBytes() : capacityBytes;
        }
        wantsFull = answer.fullWanted();
        WriteThroughRules told = answer.writeThroughRules();
        writeThroughRules = told == null ? WriteThroughRules.NONE : told.rules().isEmpty() ? writeThroughRules : told;
        offersWanted = answer.offersWanted();
        offers.subList(0, answer.offersTaken()).clear();
        for (MoveOrder order : answer.orders()) {
            orders.add(order);
            if (order.isVolumeMove()) {
                Result result = carryOutVolumeMove.apply(answer.epoch(), order);
                if (result != null) {
                    results.add(result);
                }
                continue;
            }
            MoveOutcome forced = carryOut.apply(order);
            MoveOutcome outcome = forced != null ? forced : perform(order);
            if (outcome != MoveOutcome.LOST) {
                result(order, answer.epoch(), outcome);
            }
        }
    }

    private MoveOutcome perform(MoveOrder order) {
        StampedBlock block = order.block();
        if (!order.isPromotion()) {
            if (pinned.getOrDefault(block.id(), false)) {
                return MoveOutcome.PINNED;
            }
            leaves(block);
            return MoveOutcome.DONE;
        }
        if (memory.containsKey(block.id())) {
            return MoveOutcome.DONE;
        }
        if (usedBytes() + block.lengthBytes() > capacityBytes) {
            return MoveOutcome.NO_ROOM;
        }
        arrives(block, false);
        return MoveOutcome.DONE;
    }

    List<String> orderKinds() {
        return orders.stream().map(FakeDataNode::kind).toList();
    }

    static String kind(MoveOrder order) {
        return order.isPromotion() ? PROMOTE : DROP;
    }
}
