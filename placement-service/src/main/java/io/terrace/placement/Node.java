package io.terrace.placement;

import io.terrace.placement.Heartbeat.Condition;
import io.terrace.placement.Heartbeat.Medium;
import io.terrace.placement.Heartbeat.TierState;
import io.terrace.policy.Policy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the service knows of one DataNode: its tiers, what is resident in its memory, its policy with the wishes that
 * were not looked at yet, its open moves and its budget. Owned by the loop's thread.
 */
final class Node {

    /** Indexes of the two tiers that a DataNode's policy places blocks in. */
    static final int MEMORY = 0;

    static final int HOME = 1;

    /** Differences between its word and ours heal within this time. */
    static final long FULL_REPORT_MS = 600_000;

    private static final TierState NO_MEMORY = new TierState(Medium.MEMORY, 0, 0, 0, 0, 0);

    /** A memory copy, and the bytes it served since it is here. */
    static final class Resident {
        final StampedBlock block;
        final long sinceMs;
        boolean pinnedThere;
        long bytesServed;

        Resident(StampedBlock block, long sinceMs, boolean pinnedThere) {
            this.block = block;
            this.sinceMs = sinceMs;
            this.pinnedThere = pinnedThere;
        }
    }

    /** A policy's wish; {@code toMemory} or down again. */
    record Wish(long blockId, long sizeBytes, boolean toMemory) {}

    private final String uuid;
    private final PlacementSettings settings;
    private Policy policy;
    private final List<Wish> wishes = new ArrayList<>();
    private final Map<Long, Resident> residents = new HashMap<>();
    private final Map<Long, StampedBlock> pins = new HashMap<>();
    private final Agenda agenda;
    private final MoveBudget budget;
    private final BackOff backOff = new BackOff();
    private final BackOff doubts = new BackOff();
    private final Allowances allowances;

    private String host = "";
    private int transferPort;
    private long incarnation;
    private long sequence = -1;
    private long firstMs;
    private long lastMs;
    private boolean serving;
    private boolean idle;
    private final Set<Long> unreported = new HashSet<>();
    private boolean fullSeen;
    private long fullMs;
    private List<TierState> tiers = List.of();
    private TierState memory = NO_MEMORY;
    private List<Condition> conditions = List.of();
    private Map<String, Long> figures = Map.of();
    private long pinnedThereBytes;
    private long pinnedHereBytes;
    private long policyCapacityBytes;
    private boolean expired;
    private @Nullable HeartbeatAnswer lastAnswer;

    Node(String uuid, PlacementSettings settings, Policy policy, long nowMs) {
        this.uuid = uuid;
        this.settings = settings;
        this.firstMs = nowMs;
        this.lastMs = nowMs;
        this.policy = policy;
        this.agenda = new Agenda(settings.movesWaiting());
        this.budget = new MoveBudget(settings.moveBytesPerSecond());
        this.allowances = Allowances.from(nowMs);
    }

    /** Takes the DataNode's word on itself; says whether it was started anew. */
    boolean note(long nowMs, Heartbeat heartbeat) {
        boolean anew = heartbeat.incarnation() != incarnation;
        long sinceMs = Math.max(1, nowMs - lastMs);
        idle = !anew && heartbeat.bytesServed() * 1000 / sinceMs < settings.idleBytesPerSecond();
        if (anew) {
            fullSeen = false;
            unreported.clear();
            firstMs = nowMs;
        }
        incarnation = heartbeat.incarnation();
        sequence = heartbeat.sequence();
        host = heartbeat.host();
        transferPort = heartbeat.transferPort();
        lastMs = nowMs;
        expired = false;
        serving = heartbeat.serving();
        tiers = List.copyOf(heartbeat.tiers());
        memory = tiers.stream()
                .filter(tier -> tier.medium() == Medium.MEMORY)
                .findFirst()
                .orElse(NO_MEMORY);
        conditions = List.copyOf(heartbeat.conditions());
        figures = Map.copyOf(heartbeat.figures());
        resizePolicy(nowMs);
        return anew;
    }

    /** A heartbeat that says what the last one said of the DataNode itself, and no news. */
    Heartbeat silence() {
        return new Heartbeat(
                uuid,
                host,
                transferPort,
                incarnation,
                sequence,
                tiers,
                List.of(),
                List.of(),
                false,
                List.of(),
                List.of(),
                Long.MAX_VALUE / 1000,
                serving,
                Map.of());
    }

    /** Gives the policy what is not reserved for pins, by cache directives or by the service. */
    void resizePolicy(long nowMs) {
        long room = Math.max(0, memory.capacityBytes() - pinnedThereBytes - pinnedHereBytes);
        if (room != policyCapacityBytes) {
            policyCapacityBytes = room;
            policy.resize(nowMs, MEMORY, room, this::wish);
        }
    }

    /** From now on another policy decides, which knows nothing yet. */
    void obey(long nowMs, Policy successor) {
        policy = successor;
        wishes.clear();
        policy.resize(nowMs, MEMORY, policyCapacityBytes, this::wish);
    }

    void wish(long blockId, long sizeBytes, int fromTier, int toTier) {
        wishes.add(new Wish(blockId, sizeBytes, toTier == MEMORY));
    }

    /** Whether a block of that size could be brought into its memory, perhaps in the place of others. */
    boolean canHold(long lengthBytes) {
        return serving && !expired && memory.capacityBytes() >= lengthBytes;
    }

    void reside(Resident resident) {
        Resident before = residents.put(resident.block.id(), resident);
        if (before != null && before.pinnedThere) {
            pinnedThereBytes -= before.block.lengthBytes();
        }
        if (resident.pinnedThere) {
            pinnedThereBytes += resident.block.lengthBytes();
        }
    }

    @Nullable
    Resident leave(long blockId) {
        Resident gone = residents.remove(blockId);
        if (gone != null && gone.pinnedThere) {
            pinnedThereBytes -= gone.block.lengthBytes();
        }
        return gone;
    }

    /** Reserves room for a block that the service pins here. */
    void pin(StampedBlock block) {
        StampedBlock before = pins.put(block.id(), block);
        pinnedHereBytes += block.lengthBytes() - (before == null ? 0 : before.lengthBytes());
    }

    void unpin(long blockId) {
        StampedBlock before = pins.remove(blockId);
        pinnedHereBytes -= before == null ? 0 : before.lengthBytes();
    }

    /** Whether it may not be evicted: pinned by the service, or there by a cache directive. */
    boolean isPinned(long blockId) {
        Resident resident = residents.get(blockId);
        return pins.containsKey(blockId) || (resident != null && resident.pinnedThere);
    }

    boolean isLive() {
        return !expired;
    }

    /** It was silent for too long. */
    void expire() {
        expired = true;
    }

    boolean answersAgain(Heartbeat heartbeat) {
        return heartbeat.incarnation() == incarnation && heartbeat.sequence() <= sequence && lastAnswer != null;
    }

    @Nullable
    HeartbeatAnswer lastAnswer() {
        return lastAnswer;
    }

    void answered(HeartbeatAnswer answer) {
        lastAnswer = answer;
    }

    /** Whether the last answer asked for everything that is resident; true before the first one. */
    boolean owedFull() {
        return lastAnswer == null || lastAnswer.fullWanted();
    }

    /** Whether its next heartbeat is to report everything: at first, and now and then, whatever went wrong before. */
    boolean owesFull(long nowMs) {
        return !fullSeen || nowMs - fullMs > FULL_REPORT_MS;
    }

    /** The first page of a full report is here. */
    void fullBegins(long nowMs) {
        fullSeen = true;
        fullMs = nowMs;
        unreported.clear();
        unreported.addAll(residents.keySet());
    }

    /** What is resident as far as is known and did not stand in the full report that is under way. */
    Set<Long> unreported() {
        return unreported;
    }

    String uuid() {
        return uuid;
    }

    String host() {
        return host;
    }

    int transferPort() {
        return transferPort;
    }

    /** What operators call it. */
    String name() {
        return host + ":" + transferPort;
    }

    long incarnation() {
        return incarnation;
    }

    long firstMs() {
        return firstMs;
    }

    long lastMs() {
        return lastMs;
    }

    boolean isServing() {
        return serving;
    }

    boolean isIdle() {
        return idle;
    }

    TierState memory() {
        return memory;
    }

    List<TierState> tiers() {
        return tiers;
    }

    List<Condition> conditions() {
        return conditions;
    }

    Map<String, Long> figures() {
        return figures;
    }

    Policy policy() {
        return policy;
    }

    List<Wish> wishes() {
        return wishes;
    }

    Map<Long, Resident> residents() {
        return residents;
    }

    long pinnedBytes() {
        return pinnedThereBytes + pinnedHereBytes;
    }

    Agenda agenda() {
        return agenda;
    }

    MoveBudget budget() {
        return budget;
    }

    /** Blocks whose moves failed of late. */
    BackOff backOff() {
        return backOff;
    }

    Allowances allowances() {
        return allowances;
    }

    /** Blocks that it spoke of and holds no replica of. */
    BackOff doubts() {
        return doubts;
    }
}
