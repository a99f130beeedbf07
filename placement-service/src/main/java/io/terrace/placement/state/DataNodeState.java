package io.terrace.placement.state;

import io.terrace.common.StorageTier;
import io.terrace.common.TokenBucket;
import io.terrace.common.TokenBucket.Accrual;
import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.HealthFinding;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.Heartbeat.Resized;
import io.terrace.placement.heartbeat.Heartbeat.TierState;
import io.terrace.placement.heartbeat.HeartbeatSession;
import io.terrace.placement.heartbeat.ReportQuota;
import io.terrace.placement.heartbeat.Resize;
import io.terrace.policy.api.PlacementPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the service knows of one DataNode: who it is and how it is, its policy with the requests that were not looked at
 * yet, and its parts: {@link SelfReport}, {@link ResidentBlocks}, {@link HeartbeatSession}, {@link MoveQueue} and limits.
 * Owned by the engine's thread.
 */
public final class DataNodeState {
    private static final long TICK_MS = 1_000;

    private final String uuid;
    private final MoveSettings settings;
    private PlacementPolicy policy;
    private final TierLayout layout = TierLayout.memoryOverBase();
    private final List<MoveRequest> requests = new ArrayList<>();
    private final ResidentBlocks residents = new ResidentBlocks();
    private final HeartbeatSession session = new HeartbeatSession();
    private final SelfReport selfReport = new SelfReport();
    private final RoomPrices roomPrices = new RoomPrices();
    private final MoveQueue moveQueue;
    private final MoveQueue volumeMoves;
    private final TokenBucket volumeBudget;
    private final BackoffTable volumeBackoff = new BackoffTable();
    private final TokenBucket budget;
    private final BackoffTable backoffTable = new BackoffTable();
    private final BackoffTable refuted = new BackoffTable();
    private final ReportQuota reportQuota;

    private long firstMs;
    private long lastMs;
    private boolean idle;
    private long policyCapacityBytes;
    private long homedBytes;
    private long joined;
    private Consumer<DataNodeState> requesting = node -> {};
    private long tickedMs = Long.MIN_VALUE;
    private boolean expired;
    private @Nullable String leaving;
    private @Nullable Resize resize;

    public DataNodeState(String uuid, MoveSettings settings, PlacementPolicy policy, long nowMs) {
        this.uuid = uuid;
        this.settings = settings;
        this.firstMs = nowMs;
        this.lastMs = nowMs;
        this.policy = policy;
        this.moveQueue = new MoveQueue(settings.waiting());
        long budgetBytes = settings.bytesPerSecond();
        this.budget = new TokenBucket(budgetBytes, budgetBytes, Accrual.CAPPED, TimeUnit.MILLISECONDS, nowMs);
        this.volumeMoves = new MoveQueue(settings.volumes().waiting());
        long volumeBytes = settings.volumes().bytesPerSecond();
        this.volumeBudget = new TokenBucket(volumeBytes, volumeBytes, Accrual.CAPPED, TimeUnit.MILLISECONDS, nowMs);
        this.reportQuota = ReportQuota.from(nowMs);
    }

    /** Takes what the DataNode reports of itself; says whether it was restarted. */
    public boolean note(long nowMs, Heartbeat heartbeat) {
        boolean anew = session.received(heartbeat);
        selfReport.take(heartbeat);
        long sinceMs = Math.max(1, nowMs - lastMs);
        // What is read by descriptors that clients hold is in no figure. Looked for last: it is one of all figures.
        idle = !anew
                && heartbeat.bytesServed() * 1000 / sinceMs < settings.idleBytesPerSecond()
                && figures().getOrDefault(Metric.READS_DESCRIPTORS_HELD.id(), 0L) == 0;
        if (anew) {
            firstMs = nowMs;
        }
        lastMs = nowMs;
        expired = false;
        Resized resized = resized();
        if (anew || (resize != null && resized != null && resize.id() == resized.id())) {
            resize = null;
        }
        resizePolicy(nowMs);
        return anew;
    }

    /** Its memory is to have another size, until it restarts. */
    public void resize(Resize wanted) {
        resize = wanted;
    }

    /** The size that it was asked for and has not answered about; null if there is none. */
    public @Nullable Resize resize() {
        return resize;
    }

    /** What it said of the last change of size since it was started; null before the first. */
    public @Nullable Resized resized() {
        return selfReport.resized();
    }

    /** The same DataNode, as it last described itself, for another epoch: nothing is resident, and no move is open. */
    DataNodeState successor(PlacementPolicy itsPolicy) {
        DataNodeState next = new DataNodeState(uuid, settings, itsPolicy, lastMs);
        next.note(lastMs, silence());
        next.selfReport.takesVolumeMovesAs(selfReport);
        next.firstMs = firstMs;
        next.session.follow(session);
        return next;
    }

    /** A heartbeat with the state of the last one and without reports. */
    public Heartbeat silence() {
        return selfReport.silence(uuid, session);
    }

    /** Gives the policy what is not reserved for pins, by cache directives or by the service. */
    public void resizePolicy(long nowMs) {
        long room = Math.max(0, memory().capacityBytes() - residents.reservedBytes());
        if (room != policyCapacityBytes) {
            policyCapacityBytes = room;
            policy.resize(nowMs, memoryIndex(), room, this::request);
        }
    }

    /** From now on another policy decides, which knows nothing yet. */
    public void policy(long nowMs, PlacementPolicy successor) {
        policy = successor;
        requests.clear();
        policy.resize(nowMs, memoryIndex(), policyCapacityBytes, this::request);
    }

    /**
     * It is one of the cluster from now on.
     *
     * @param number of those that joined
     * @param listener is told whenever its policy requests a move and had requested none
     */
    void joins(long number, Consumer<DataNodeState> listener) {
        joined = number;
        requesting = listener;
        if (!requests.isEmpty()) {
            listener.accept(this);
        }
    }

    /** Which of the DataNodes that joined it is. */
    long joined() {
        return joined;
    }

    /** Takes a request of its policy. */
    public void request(long blockId, long sizeBytes, int from, int to) {
        if (requests.isEmpty()) {
            requesting.accept(this);
        }
        requests.add(new MoveRequest(blockId, sizeBytes, from, to));
    }

    public TierLayout layout() {
        return layout;
    }

    private int memoryIndex() {
        return layout.indexOf(StorageTier.MEMORY);
    }

    /** Index of the tier that a block is in, as far as is known. */
    public int tierOf(long blockId) {
        return residents.holds(blockId) ? memoryIndex() : layout.base();
    }

    /** Whether a block of that size could be brought into its memory, perhaps in the place of others. */
    public boolean canHold(long lengthBytes) {
        return isServing() && !expired && leaving == null && memory().capacityBytes() >= lengthBytes;
    }

    /** Bytes that the policy may fill. */
    public long roomBytes() {
        return policyCapacityBytes;
    }

    /** Bytes of its memory that blocks of a pool could take without one leaving, moves under way included. */
    long freeBytes(int pool) {
        long free = policy.freeBytes(memoryIndex(), pool);
        return free == PlacementPolicy.UNKNOWN ? memory().freeBytes() : free;
    }

    /** The block of a pool that would leave its memory next; {@link PlacementPolicy#NO_OBJECT} where that is not known. */
    long nextToLeave(int pool) {
        return policy.nextToLeave(memoryIndex(), pool);
    }

    RoomPrices roomPrices() {
        return roomPrices;
    }

    /** Bytes of the blocks whose home it is, as far as their heat is kept. */
    long homedBytes() {
        return homedBytes;
    }

    /** So many more bytes of blocks have it as their home. */
    void homed(long bytes) {
        homedBytes += bytes;
    }

    /** Whether its policy was not told the time for a second. */
    public boolean isTickDue(long nowMs) {
        return tickedMs == Long.MIN_VALUE || nowMs - tickedMs >= TICK_MS;
    }

    /** Tells its policy the time. */
    public void tick(long nowMs) {
        tickedMs = nowMs;
        policy.tick(nowMs, this::request);
    }

    public boolean isLive() {
        return !expired;
    }

    /** It was silent for too long. */
    public void expire() {
        expired = true;
    }

    /** It is decommissioned or enters maintenance, for this reason, so nothing new goes there; null once it stays. */
    public void leaving(@Nullable String why) {
        leaving = why;
    }

    /** Why it leaves; null while it is in service. */
    public @Nullable String leaving() {
        return leaving;
    }

    public String uuid() {
        return uuid;
    }

    /** What operators call it. */
    public String name() {
        return selfReport.name();
    }

    /** Of Terrace; empty if it does not say. */
    public String release() {
        return selfReport.release();
    }

    public long firstMs() {
        return firstMs;
    }

    public long lastMs() {
        return lastMs;
    }

    public boolean isServing() {
        return selfReport.isServing();
    }

    public boolean isIdle() {
        return idle;
    }

    public TierState memory() {
        return selfReport.memory();
    }

    public List<TierState> tiers() {
        return selfReport.tiers();
    }

    public List<HealthFinding> conditions() {
        return selfReport.conditions();
    }

    public Map<String, Long> figures() {
        return selfReport.figures();
    }

    public PlacementPolicy policy() {
        return policy;
    }

    /** Requests of its policy that were not looked at yet. */
    public List<MoveRequest> requests() {
        return requests;
    }

    public ResidentBlocks residents() {
        return residents;
    }

    public HeartbeatSession session() {
        return session;
    }

    public MoveQueue moveQueue() {
        return moveQueue;
    }

    /** The open moves between its volumes. */
    public MoveQueue volumeMoves() {
        return volumeMoves;
    }

    /** Whether it may be asked to move replicas between its volumes. */
    public boolean takesVolumeMoves() {
        return selfReport.takesVolumeMoves() && isServing() && !expired && leaving == null;
    }

    /** Bytes of moves between volumes; a second of it is saved up. */
    public TokenBucket volumeBudget() {
        return volumeBudget;
    }

    /** Blocks whose moves between volumes failed recently. */
    public BackoffTable volumeBackoff() {
        return volumeBackoff;
    }

    /** Bytes of promotions; a second of it is saved up. */
    public TokenBucket budget() {
        return budget;
    }

    /** Blocks whose moves failed recently. */
    public BackoffTable backoffTable() {
        return backoffTable;
    }

    public ReportQuota reportQuota() {
        return reportQuota;
    }

    /** Blocks that it reported, and of which the NameNode says that it holds no replica. */
    public BackoffTable refuted() {
        return refuted;
    }
}
