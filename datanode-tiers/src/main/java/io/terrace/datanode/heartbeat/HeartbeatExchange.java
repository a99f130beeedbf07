package io.terrace.datanode.heartbeat;

import io.terrace.common.BlockVersion;
import io.terrace.common.LogThrottle;
import io.terrace.common.StorageTier;
import io.terrace.compat.Release;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.memory.ResidencyListener;
import io.terrace.datanode.move.EpochFence;
import io.terrace.datanode.move.MoveOrderExecutor;
import io.terrace.datanode.write.ClientSpeeds;
import io.terrace.datanode.writethrough.WriteThroughRules;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.HeartbeatLimits;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.ProtoConverter;
import io.terrace.protocol.proto.DataNodeProtos.ConditionProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderProto;
import io.terrace.protocol.proto.DataNodeProtos.ResidencyProto;
import io.terrace.protocol.proto.DataNodeProtos.ResizedProto;
import io.terrace.protocol.proto.DataNodeProtos.ResultProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import io.terrace.protocol.proto.DataNodeProtos.TierStateProto;
import io.terrace.protocol.proto.DataNodeProtos.VolumeMoveProto;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one placement service is told and what it orders: makes each heartbeat, takes each answer. Whoever owns it sends.
 *
 * <p>A heartbeat whose answer was lost may have arrived: it is sent again as it was, under its number, so that the service
 * counts it once and repeats the orders that were lost. What a refused one carried is carried by the next. {@link
 * #compose}, {@link #delivered}, {@link #failed} and {@link #refused} are called by one thread in turns; heat, residency
 * and results come from any thread.
 */
public final class HeartbeatExchange implements AccessRecorder.Listener, ResidencyListener {

    /** Where the replica of a block lives and which it is; null when it is gone. */
    public interface ReplicaLook {
        @Nullable
        Seen look(String pool, long blockId);

        /** A replica and its tier. */
        record Seen(BlockVersion block, StorageTier tier) {}
    }

    /**
     * The parts of the DataNode that all links share.
     *
     * @param resizeOrders that change the size of the tier
     * @param otherTiers what is told of tiers besides memory
     * @param clientSpeeds how fast clients write to this DataNode
     * @param writeThroughRules which files get copies in memory while they are written
     * @param offers the oldest replicas, for services that ask
     */
    public record Shared(
            NodeIdentity identity,
            LocalTier tier,
            ResizeOrders resizeOrders,
            MoveOrderExecutor orders,
            EpochFence epochFence,
            AccessRecorder accessRecorder,
            ReplicaLook replicas,
            Supplier<List<TierStateProto>> otherTiers,
            Supplier<List<ConditionProto>> conditions,
            ClientSpeeds clientSpeeds,
            WriteThroughRules writeThroughRules,
            ReplicaOffers offers,
            MetricRegistry metricRegistry,
            int heatBlocks) {}

    private static final Logger LOG = LoggerFactory.getLogger(HeartbeatExchange.class);
    private static final String RELEASE = Release.of(HeartbeatExchange.class).toString();
    private static final int MOST_RESULTS = 16_384;
    private static final int MOST_CHANGES = 65_536;

    private final String pool;
    private final Shared shared;
    private final Runnable sendSoon;
    private final HeatTable heat;
    private final ResidencyLog residency = new ResidencyLog(MOST_CHANGES);
    private final BlockingQueue<ResultProto> results = new LinkedBlockingQueue<>(MOST_RESULTS);
    private final LogThrottle outrankedLog = new LogThrottle(TimeUnit.MINUTES.toNanos(10));

    private final HeatReport heatReport;
    private final SpeedReport speedReport;
    private final FigureReport figureReport;

    private long sequence;
    private long bytesServedDelivered;
    private long bytesServedSent;
    private List<ResultProto> sentResults = List.of();
    private @Nullable HeartbeatRequestProto unanswered;
    /** Whether the service asked for offers. */
    private boolean offersWanted;
    /** Of the heartbeat without an answer. */
    private List<ReplicaOffers.Offer> sentOffers = List.of();

    private @Nullable ConditionProto outranked;

    /**
     * A link that has told nothing yet.
     *
     * @param sendSoon called when there is something to tell before the next regular heartbeat
     */
    public HeartbeatExchange(String pool, Shared shared, Runnable sendSoon) {
        this.pool = pool;
        this.shared = shared;
        this.sequence = shared.identity().firstSequence();
        this.sendSoon = sendSoon;
        this.bytesServedDelivered = shared.accessRecorder().bytesServed();
        this.heat = new HeatTable(shared.heatBlocks());
        this.heatReport = new HeatReport(pool, heat, shared.replicas(), shared.tier());
        this.speedReport = new SpeedReport(shared.clientSpeeds());
        this.figureReport = new FigureReport(shared.metricRegistry());
    }

    @Override
    public HeatTable heat() {
        return heat;
    }

    /** A page of heat does not wait for the regular heartbeat. Less does: all DataNodes of a busy cluster have some at any time. */
    @Override
    public void blockAdded() {
        if (hasPageOfHeat()) {
            sendSoon.run();
        }
    }

    private boolean hasPageOfHeat() {
        return heat.size() >= Math.min(HeartbeatLimits.ENTRIES, shared.heatBlocks() / 2);
    }

    @Override
    public void residency(BlockVersion block, boolean resident, boolean pinned) {
        if (block.key().pool().equals(pool)) {
            residency.add(new ResidencyLog.Entry(block, resident, pinned));
            sendSoon.run();
        }
    }

    /** The next heartbeat, or the last one again while it is without an answer. */
    public HeartbeatRequestProto compose(long nowNs) {
        HeartbeatRequestProto request = unanswered;
        if (request == null) {
            boolean composed = false;
            try {
                request = composeNew(nowNs);
                composed = true;
            } finally {
                if (!composed) {
                    takeBack();
                }
            }
            unanswered = request;
        }
        return request;
    }

    private HeartbeatRequestProto composeNew(long nowNs) {
        NodeIdentity identity = shared.identity();
        HeartbeatRequestProto.Builder request = HeartbeatRequestProto.newBuilder()
                .setBlockPoolId(pool)
                .setDatanodeUuid(identity.datanodeUuid())
                .setHostName(identity.hostName())
                .setTransferPort(identity.transferPort())
                .setIncarnation(identity.incarnation())
                .setSequence(sequence++)
                .setRelease(RELEASE)
                .setServing(shared.tier().serves(pool))
                .addTiers(memory())
                .addAllTiers(shared.otherTiers().get());
        long rules = shared.writeThroughRules().id(pool);
        if (rules != 0) {
            request.setWriteThroughRules(rules);
        }
        ResizedProto resized = shared.resizeOrders().last(pool);
        if (resized != null) {
            request.setResized(resized);
        }
        if (shared.orders().takesVolumeMoves()) {
            request.setTakesVolumeMoves(true);
        }
        heatReport.addTo(request, nowNs);
        addResidency(request);
        if (offersWanted) {
            sentOffers = shared.offers().addTo(request, pool);
        }
        List<ResultProto> page = new ArrayList<>();
        sentResults = page;
        results.drainTo(page, HeartbeatLimits.ENTRIES);
        request.addAllResults(page);
        bytesServedSent = shared.accessRecorder().bytesServed();
        request.setBytesServed(bytesServedSent - bytesServedDelivered);
        speedReport.addTo(request);
        shared.metricRegistry().add(Metric.HEAT_DROPPED, heat.takeDropped());
        List<ConditionProto> conditions = new ArrayList<>(shared.conditions().get());
        if (outranked != null) {
            conditions.add(outranked);
        }
        boolean moveEnded = !page.isEmpty();
        figureReport.addTo(request, conditions, moveEnded, nowNs);
        return request.build();
    }

    /**
     * The heartbeat was answered.
     *
     * @return how long the service wants the next regular one to be away, in milliseconds; 0 leaves it to the DataNode
     */
    public int delivered(HeartbeatResponseProto response, long nowNs) {
        shared.metricRegistry().increment(Metric.HEARTBEATS);
        unanswered = null;
        heatReport.delivered();
        sentResults = List.of();
        bytesServedDelivered = bytesServedSent;
        speedReport.delivered();
        outranked = null;
        figureReport.delivered(response);
        offersTaken(response.hasOffersTaken() || !response.getActive() ? response.getOffersTaken() : sentOffers.size());
        offersWanted = false;
        if (!response.getActive()) {
            shared.epochFence().silent(pool, this);
        } else if (shared.epochFence().accept(pool, response.getEpoch())) {
            shared.tier().serve(pool, shared.epochFence().says(pool, this, response.getServe()), nowNs);
            heatReport.compare(response.getControlPercent());
            heat.tellReaders(response.getReadersWanted());
            offersWanted = shared.offers().ask(nowNs, pool, response.getOffersWantedList());
            if (response.getFullResidencyWanted()) {
                residency.wantFull();
            }
            if (response.hasResize() && shared.resizeOrders().take(pool, response.getResize())) {
                sendSoon.run();
            }
            if (response.hasWriteThroughRules()) {
                shared.writeThroughRules().take(pool, response.getWriteThroughRules());
            } else {
                shared.writeThroughRules().forget(pool);
            }
            for (OrderProto order : response.getOrdersList()) {
                take(ProtoConverter.order(order), response.getEpoch(), nowNs);
            }
            for (VolumeMoveProto move : response.getVolumeMovesList()) {
                take(ProtoConverter.order(move), response.getEpoch(), nowNs);
            }
        } else {
            outranked(response, nowNs);
        }
        return response.getHeartbeatIntervalMs();
    }

    private void offersTaken(int first) {
        shared.offers().looked(pool, sentOffers, Math.min(first, sentOffers.size()));
        sentOffers = List.of();
    }

    /** Of a service whose epoch is not the highest, off alone is obeyed. */
    private void outranked(HeartbeatResponseProto response, long nowNs) {
        shared.metricRegistry().increment(Metric.HEARTBEATS_OUTRANKED);
        if (!shared.epochFence().says(pool, this, response.getServe())) {
            shared.tier().serve(pool, false, nowNs);
        }
        ConditionProto condition = ConditionProto.newBuilder()
                .setId("placement-outranked")
                .setSeverity(ConditionProto.Severity.ERROR)
                .setText("Of this placement service off alone is obeyed: its epoch " + response.getEpoch()
                        + " is below " + shared.epochFence().highest(pool) + ", which was seen before")
                .setRemedy("if no other NameNode is active, as when the namespace was restored from a backup, restart"
                        + " the DataNode")
                .build();
        outranked = condition;
        if (outrankedLog.next(nowNs) != null) {
            LOG.warn("Block pool {}: {}; {}", pool, condition.getText(), condition.getRemedy());
        }
    }

    /** No answer came; whether the heartbeat arrived is not known. */
    public void failed() {
        shared.epochFence().silent(pool, this);
        shared.metricRegistry().increment(Metric.HEARTBEATS_FAILED);
    }

    /** The service refused the heartbeat and took nothing from it. */
    public void refused() {
        shared.epochFence().silent(pool, this);
        shared.metricRegistry().increment(Metric.HEARTBEATS_FAILED);
        unanswered = null;
        takeBack();
        offersWanted = false;
    }

    /** The next heartbeat carries what this one did, or should have. */
    private void takeBack() {
        figureReport.refused();
        heatReport.refused();
        sentResults.forEach(results::offer);
        sentResults = List.of();
        residency.wantFull();
        offersTaken(0);
    }

    /** The service is not asked any more, so what it said last does not count. */
    public void end() {
        shared.epochFence().silent(pool, this);
        offersTaken(0);
    }

    /** Whether the next heartbeat should not wait for its regular time. */
    public boolean hasUnsent() {
        return hasPageOfHeat() || residency.hasUnsent() || !results.isEmpty();
    }

    private void take(MoveOrder order, long epoch, long nowNs) {
        shared.orders().take(pool, epoch, order, nowNs, result -> {
            // A result that does not fit is lost; the service asks again or gives up after its own deadline.
            results.offer(ProtoConverter.result(order, epoch, result));
            sendSoon.run();
        });
    }

    private void addResidency(HeartbeatRequestProto.Builder request) {
        // No copy comes or goes meanwhile, so no change is lost between the list of everything and what follows it.
        ResidencyLog.Page page = shared.tier()
                .withoutChanges(() -> residency.isFullWanted()
                        ? residency.begin(everything(), HeartbeatLimits.ENTRIES)
                        : residency.next(HeartbeatLimits.ENTRIES));
        request.setFullResidency(page.full());
        for (ResidencyLog.Entry entry : page.entries()) {
            request.addResidency(ResidencyProto.newBuilder()
                    .setBlock(ProtoConverter.block(entry.block()))
                    .setResident(entry.resident())
                    .setPinned(entry.pinned()));
        }
    }

    private List<ResidencyLog.Entry> everything() {
        List<ResidencyLog.Entry> everything = new ArrayList<>();
        for (Extent extent : shared.tier().liveExtents()) {
            if (extent.key().pool().equals(pool)) {
                everything.add(new ResidencyLog.Entry(extent.version(), true, extent.isPinned()));
            }
        }
        return everything;
    }

    /** All name services share the tier. Each plans with what it is told, so it is told of the room that others leave it. */
    private TierStateProto memory() {
        LocalTier.Usage usage = shared.tier().usageWithoutOthers(pool);
        return TierStateProto.newBuilder()
                .setTier(TierProto.MEMORY)
                .setCapacityBytes(usage.capacityBytes())
                .setUsedBytes(usage.usedBytes())
                .setRetiringBytes(usage.retiringBytes())
                .setPinnedBytes(usage.pinnedBytes())
                .setExtents(usage.extents())
                .build();
    }
}
