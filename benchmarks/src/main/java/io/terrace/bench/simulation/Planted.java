package io.terrace.bench.simulation;

import io.terrace.channel.BlockKey;
import io.terrace.channel.SlotTable;
import io.terrace.datanode.Extent;
import io.terrace.datanode.ExtentStore;
import io.terrace.datanode.GrantLedger;
import io.terrace.datanode.HeldGrant;
import io.terrace.datanode.ReplicaSource;
import io.terrace.datanode.RetireCause;
import io.terrace.datanode.Slots;
import io.terrace.datanode.TierEvents;
import io.terrace.placement.PlacementSettings;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.ResultProto;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The seams at which a {@link Plant} is put in: each method hands through what it is given, unless the plant that belongs
 * there is switched on. The code under simulation knows nothing of it.
 */
final class Planted {

    private static final long AHEAD_NS = 2_000_000_000L;
    private static final long BEHIND_NS = 3_600_000_000_000L;
    private static final String UNHEARD = "dn1";

    private final @Nullable Plant plant;

    Planted(@Nullable Plant plant) {
        this.plant = plant;
    }

    private boolean is(Plant one) {
        return plant == one;
    }

    PlacementSettings settings(PlacementSettings settings) {
        return is(Plant.BUDGET_IGNORED) ? settings.withMoveBytesPerSecond(0) : settings;
    }

    /** The clock by which housekeeping ends grants. */
    long housekeepingNs(long nowNs) {
        if (is(Plant.GRANTS_NEVER_OVERDUE)) {
            return nowNs - BEHIND_NS;
        }
        return is(Plant.FREED_BEFORE_LEASE_ENDED) ? nowNs + AHEAD_NS : nowNs;
    }

    LongSupplier clientClock(OsProcess process) {
        if (is(Plant.LEASE_NOT_CHECKED)) {
            long still = process.nanoTime();
            return () -> still;
        }
        return process::nanoTime;
    }

    boolean ignoresTokens() {
        return is(Plant.TOKEN_IGNORED);
    }

    boolean forgetsWhenSent() {
        return is(Plant.LOST_ACKNOWLEDGEMENT);
    }

    /** The replicas that leftovers are held against. */
    ReplicaSource leftoverSource(ReplicaSource source, TmpFs tmpFs) {
        return is(Plant.LEFTOVER_NOT_VERIFIED) ? PlantedSource.summedUpAnew(source, tmpFs::leftover) : source;
    }

    /** The block that the DataNode looks for when this one is asked for. */
    BlockKey asked(DataNode dataNode, BlockKey block) {
        if (is(Plant.STAMP_CHECK_SKIPPED)) {
            for (Extent extent : dataNode.tier().liveExtents()) {
                if (extent.key().blockId() == block.blockId()) {
                    return extent.key();
                }
            }
        }
        return block;
    }

    boolean sendsRevocations() {
        return !is(Plant.REVOCATION_NOT_SENT);
    }

    void revokeSent(DataNode dataNode, HeldGrant grant) {
        if (is(Plant.REVOKE_TAKEN_FOR_ACKNOWLEDGED)) {
            dataNode.tier()
                    .released(grant.peer(), grant.id(), dataNode.process().nanoTime());
        }
    }

    void unlink(TmpFs.Mount mount, String link) {
        if (!is(Plant.LINK_KEPT_AFTER_OPEN)) {
            mount.unlink(link);
        }
    }

    /** The stream of a stock reader is at its end. */
    void giveBack(DataNode dataNode, Extent extent) {
        dataNode.tier().giveBack(extent, dataNode.process().nanoTime());
        if (is(Plant.STREAM_GIVEN_BACK_TWICE)) {
            dataNode.tier().giveBack(extent, dataNode.process().nanoTime());
        }
    }

    /** What a DataNode's block report names of its finalised replicas. */
    List<Replica> reported(DataNode dataNode, List<Replica> finalised) {
        return is(Plant.COPIED_REPLICA_NOT_REPORTED)
                ? finalised.stream()
                        .filter(replica -> !dataNode.tier()
                                .isResident(new BlockKey(Namespace.POOL, replica.blockId, replica.stamp)))
                        .toList()
                : finalised;
    }

    LongConsumer changed(LongConsumer changed) {
        return is(Plant.CHANGE_UNNOTICED) ? blockId -> {} : changed;
    }

    /** What is really sent when a heartbeat is sent. */
    List<HeartbeatRequestProto> heartbeat(Host from, HeartbeatRequestProto heartbeat) {
        if (is(Plant.ONE_DATANODE_UNHEARD) && from.name.equals(UNHEARD)) {
            return List.of();
        }
        if (is(Plant.HEAT_LOST_ON_THE_WAY) && heartbeat.getHeatCount() > 1) {
            return List.of(heartbeat.toBuilder()
                    .clearHeat()
                    .addHeat(heartbeat.getHeat(0))
                    .build());
        }
        if (is(Plant.HEARTBEAT_COUNTED_TWICE)) {
            return List.of(numbered(heartbeat, 0), numbered(heartbeat, 1));
        }
        return List.of(heartbeat);
    }

    /** The heartbeat as the service of this epoch takes it. */
    HeartbeatRequestProto taken(HeartbeatRequestProto heartbeat, long epoch) {
        if (!is(Plant.STALE_RESULT_APPLIED)) {
            return heartbeat;
        }
        HeartbeatRequestProto.Builder relabelled = heartbeat.toBuilder();
        for (ResultProto.Builder result : relabelled.getResultsBuilderList()) {
            result.setEpoch(epoch);
        }
        return relabelled.build();
    }

    private static HeartbeatRequestProto numbered(HeartbeatRequestProto heartbeat, int which) {
        return heartbeat.toBuilder()
                .setSequence(2 * heartbeat.getSequence() + which)
                .build();
    }

    /** The answer as the DataNode takes it. */
    HeartbeatResponseProto answer(HeartbeatResponseProto answer, long highestEpoch) {
        return is(Plant.EPOCH_NOT_FENCED) && answer.getActive()
                ? answer.toBuilder()
                        .setEpoch(Math.max(answer.getEpoch(), highestEpoch))
                        .build()
                : answer;
    }

    /** The files of the memory directory. */
    ExtentStore files(ExtentStore files) {
        if (is(Plant.FAILURE_NOT_PLANNED)) {
            return PlantedStore.throwing(files);
        }
        return is(Plant.FILE_KEPT_WHEN_FREED) ? PlantedStore.kept(files) : files;
    }

    /** The files as the tier has them. */
    ExtentStore store(OsProcess process, GrantLedger ledger, TierWatch watch, ExtentStore store) {
        if (is(Plant.GRANTED_WHILE_FREED)) {
            return PlantedStore.granting(process, ledger, watch, store);
        }
        return is(Plant.RETIRING_BYTES_NOT_COUNTED) ? PlantedStore.late(process, store) : store;
    }

    Slots slots(SlotTable table, Slots slots) {
        if (is(Plant.SLOT_SEQUENCE_UNCHANGED)) {
            return PlantedSlots.sameSequence(table, slots);
        }
        return is(Plant.SLOT_LIVE_TOO_LONG) ? PlantedSlots.liveTooLong(slots) : slots;
    }

    TierEvents events(TierEvents events) {
        return is(Plant.UNPIN_NOT_TOLD) ? new PinsOnly(events) : events;
    }

    ReplicaSource source(ReplicaSource source, Disks disks) {
        if (is(Plant.PUBLISHED_BEFORE_VERIFIED)) {
            return PlantedSource.summedUpAnew(source, blockId -> {
                Replica stored = disks.find(blockId);
                return stored == null ? null : stored.data.content();
            });
        }
        if (is(Plant.REPLICA_DELETED_AFTER_COPY)) {
            return PlantedSource.deletedOnceCopied(source, disks::remove);
        }
        return is(Plant.CHANGE_TAKEN_FOR_CORRUPTION) ? PlantedSource.neverChanged(source) : source;
    }

    /** The replicas that the scrub holds copies against. */
    ReplicaSource scrubbed(ReplicaSource source, DataNode dataNode) {
        if (is(Plant.SCRUB_VERIFIES_NOTHING)) {
            return PlantedSource.summedUpAnew(source, dataNode::copied);
        }
        return is(Plant.FILES_LEFT_OPEN) ? PlantedSource.neverClosed(source) : source;
    }

    /** Tells of pins that begin, and of none that ends. */
    private static final class PinsOnly implements TierEvents {

        private final TierEvents events;
        private final Set<Extent> pinned = new HashSet<>();

        PinsOnly(TierEvents events) {
            this.events = events;
        }

        @Override
        public void resident(Extent extent, boolean pinned) {
            if (pinned) {
                this.pinned.add(extent);
            }
            events.resident(extent, this.pinned.contains(extent));
        }

        @Override
        public void gone(Extent extent, RetireCause cause) {
            pinned.remove(extent);
            events.gone(extent, cause);
        }

        @Override
        public void pinned(boolean more) {
            if (more) {
                events.pinned(true);
            }
        }

        @Override
        public void housekeepingWanted() {
            events.housekeepingWanted();
        }
    }
}
