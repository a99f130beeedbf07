package io.terrace.bench.simulation.fault;

import io.terrace.bench.simulation.cluster.ClusterHooks;
import io.terrace.bench.simulation.cluster.ClusterObserver.DataNodeObserver;
import io.terrace.bench.simulation.cluster.Host;
import io.terrace.bench.simulation.cluster.Replica;
import io.terrace.bench.simulation.cluster.SimulatedDataNode;
import io.terrace.bench.simulation.cluster.SimulatedNamespace;
import io.terrace.bench.simulation.cluster.SimulatedTmpfs;
import io.terrace.bench.simulation.cluster.SimulatedVolume;
import io.terrace.bench.simulation.cluster.SimulatedVolumes;
import io.terrace.bench.simulation.kernel.OsProcess;
import io.terrace.channel.shm.SlotTable;
import io.terrace.common.BlockKey;
import io.terrace.common.ControlSample;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentListener;
import io.terrace.datanode.extent.ExtentStore;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.GrantRecord;
import io.terrace.datanode.extent.RetireCause;
import io.terrace.datanode.extent.SlotAllocator;
import io.terrace.datanode.hdfs.volume.MoveStorage;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.datanode.writethrough.DraftFiles;
import io.terrace.placement.move.FirstReadSettings;
import io.terrace.placement.policy.PolicyFactory;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.state.HomeChoice;
import io.terrace.placement.state.NamespaceView;
import io.terrace.policy.api.PoolShare;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.ResultProto;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The hooks with at most one {@link Mutation} switched on; the others change nothing. */
public final class Mutations implements ClusterHooks {

    private static final long AHEAD_NS = 2_000_000_000L;
    private static final long BEHIND_NS = 3_600_000_000_000L;
    private static final String UNHEARD = "dn1";

    /** The first ones of each NameNode are made well. */
    private static final int POLICIES_UNTIL_ONE_THROWS = 7;

    private final @Nullable Mutation mutation;
    private int policiesMade;

    public Mutations(@Nullable Mutation mutation) {
        this.mutation = mutation;
    }

    private boolean is(Mutation one) {
        return mutation == one;
    }

    @Override
    public long moveBytesPerSecond(long bytes) {
        return is(Mutation.BUDGET_IGNORED) ? 0 : is(Mutation.BUDGET_NOT_REFILLED) ? 1 : bytes;
    }

    @Override
    public long volumeMoveBytesPerSecond(long bytes) {
        return is(Mutation.VOLUME_BUDGET_IGNORED) ? 0 : bytes;
    }

    @Override
    public PolicySpec policy(PolicySpec spec) {
        if (is(Mutation.POOL_MOST_NOT_CHECKED)) {
            return MutatedPools.of(spec, share -> new PoolShare(share.name(), share.share(), 1, share.lends()));
        }
        return is(Mutation.UNLENT_ROOM_TAKEN)
                ? MutatedPools.of(spec, share -> new PoolShare(share.name(), share.share(), share.most(), true))
                : spec;
    }

    @Override
    public PolicyFactory policies(PolicyFactory maker) {
        if (is(Mutation.GONE_BLOCK_STAYS_BOOKED)) {
            return (spec, tiers) -> new BookedForEver(maker.make(spec, tiers));
        }
        if (is(Mutation.POLICY_CANNOT_BE_MADE)) {
            return (spec, tiers) -> {
                if (++policiesMade % POLICIES_UNTIL_ONE_THROWS == 0) {
                    throw new IllegalStateException("a policy that cannot be made");
                }
                return maker.make(spec, tiers);
            };
        }
        return is(Mutation.PRICE_NOT_UPDATED) ? (spec, tiers) -> new StaleNextToLeave(maker.make(spec, tiers)) : maker;
    }

    @Override
    public HomeChoice.Factory homes(HomeChoice.Factory homes) {
        if (is(Mutation.COPY_HOPS)) {
            return clusterState -> MutatedHomes.hopping(homes.make(clusterState));
        }
        return is(Mutation.COPY_ORDERED_TWICE) ? clusterState -> MutatedHomes.unasked(homes.make(clusterState)) : homes;
    }

    @Override
    public ControlSample controlSample(ControlSample sample) {
        return is(Mutation.CONTROL_BLOCK_CLIMBS) ? ControlSample.NONE : sample;
    }

    @Override
    public FirstReadSettings firstReads(FirstReadSettings firstReads) {
        if (is(Mutation.VAIN_BOUND_IGNORED)) {
            return new FirstReadSettings(1, Long.MAX_VALUE, firstReads.withinMs(), firstReads.blocksAhead());
        }
        return is(Mutation.FIRST_READ_AWAITED_FOR_EVER)
                ? new FirstReadSettings(
                        firstReads.vainShare(), firstReads.atFirstBytes(), Long.MAX_VALUE / 4, firstReads.blocksAhead())
                : firstReads;
    }

    @Override
    public NamespaceView view(NamespaceView view) {
        if (is(Mutation.PIN_NOT_LOOKED_AT_AGAIN)) {
            return new PinsSeenOnce(view);
        }
        return is(Mutation.DELETED_BLOCK_STAYS_COUNTED) ? new UndeletedBlocks(view) : view;
    }

    @Override
    public boolean reportsMoves() {
        return !is(Mutation.MOVE_NOT_REPORTED);
    }

    @Override
    public boolean deletionsEndMoves() {
        return !is(Mutation.DELETE_OVERTAKEN);
    }

    @Override
    public MoveStorage<Replica, SimulatedVolume> moveStorage(MoveStorage<Replica, SimulatedVolume> storage) {
        return mutation == null ? storage : MutatedMoveStorage.of(mutation, storage);
    }

    @Override
    public long housekeepingNs(long nowNs) {
        if (is(Mutation.GRANTS_NEVER_OVERDUE)) {
            return nowNs - BEHIND_NS;
        }
        return is(Mutation.FREED_BEFORE_LEASE_ENDED) ? nowNs + AHEAD_NS : nowNs;
    }

    @Override
    public LongSupplier clientClock(OsProcess process) {
        if (is(Mutation.LEASE_NOT_CHECKED)) {
            long still = process.nanoTime();
            return () -> still;
        }
        return process::nanoTime;
    }

    @Override
    public boolean ignoresTokens() {
        return is(Mutation.TOKEN_IGNORED);
    }

    @Override
    public boolean forgetsWhenSent() {
        return is(Mutation.LOST_ACKNOWLEDGEMENT);
    }

    @Override
    public ReplicaSource leftoverSource(ReplicaSource source, SimulatedTmpfs simulatedTmpfs) {
        return is(Mutation.LEFTOVER_NOT_VERIFIED)
                ? MutatedSource.withChecksumsOf(source, simulatedTmpfs::leftover)
                : source;
    }

    @Override
    public BlockKey asked(SimulatedDataNode dataNode, BlockKey block) {
        if (is(Mutation.STAMP_CHECK_SKIPPED)) {
            for (Extent extent : dataNode.tier().liveExtents()) {
                if (extent.key().blockId() == block.blockId()) {
                    return extent.key();
                }
            }
        }
        return block;
    }

    @Override
    public boolean sendsRevocations() {
        return !is(Mutation.REVOCATION_NOT_SENT);
    }

    @Override
    public void revokeSent(SimulatedDataNode dataNode, GrantRecord grant) {
        if (is(Mutation.REVOKE_TAKEN_FOR_ACKNOWLEDGED)) {
            dataNode.tier()
                    .grants()
                    .released(grant.peer(), grant.id(), dataNode.process().nanoTime());
        }
    }

    @Override
    public void unlink(SimulatedTmpfs.Mount mount, String link) {
        if (!is(Mutation.LINK_KEPT_AFTER_OPEN)) {
            mount.unlink(link);
        }
    }

    @Override
    public void giveBack(SimulatedDataNode dataNode, Extent extent) {
        dataNode.tier().giveBack(extent, dataNode.process().nanoTime());
        if (is(Mutation.STREAM_GIVEN_BACK_TWICE)) {
            dataNode.tier().giveBack(extent, dataNode.process().nanoTime());
        }
    }

    @Override
    public List<Replica> reported(SimulatedDataNode dataNode, List<Replica> finalised) {
        return is(Mutation.COPIED_REPLICA_NOT_REPORTED)
                ? finalised.stream()
                        .filter(replica -> !dataNode.tier()
                                .isResident(new BlockKey(SimulatedNamespace.POOL, replica.blockId, replica.stamp)))
                        .toList()
                : finalised;
    }

    @Override
    public LongConsumer changed(LongConsumer changed) {
        return is(Mutation.CHANGE_UNNOTICED) ? blockId -> {} : changed;
    }

    @Override
    public List<HeartbeatRequestProto> heartbeat(Host from, HeartbeatRequestProto heartbeat) {
        if (is(Mutation.ONE_DATANODE_UNHEARD) && from.name.equals(UNHEARD)) {
            return List.of();
        }
        if (is(Mutation.HEAT_LOST_ON_THE_WAY) && heartbeat.getHeatCount() > 1) {
            return List.of(heartbeat.toBuilder()
                    .clearHeat()
                    .addHeat(heartbeat.getHeat(0))
                    .build());
        }
        if (is(Mutation.OFFERS_NOT_SENT)) {
            return List.of(heartbeat.toBuilder().clearOffers().build());
        }
        if (is(Mutation.HEARTBEAT_COUNTED_TWICE)) {
            return List.of(numbered(heartbeat, 0), numbered(heartbeat, 1));
        }
        return List.of(heartbeat);
    }

    @Override
    public HeartbeatRequestProto taken(HeartbeatRequestProto heartbeat, long epoch) {
        if (!is(Mutation.STALE_RESULT_APPLIED)) {
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

    @Override
    public HeartbeatResponseProto answer(HeartbeatResponseProto answer, long highestEpoch) {
        if (is(Mutation.RULES_NOT_TOLD) && answer.hasWriteThroughRules()) {
            HeartbeatResponseProto.Builder untold = answer.toBuilder();
            untold.getWriteThroughRulesBuilder().clearRules();
            return untold.build();
        }
        return is(Mutation.EPOCH_NOT_FENCED) && answer.getActive()
                ? answer.toBuilder()
                        .setEpoch(Math.max(answer.getEpoch(), highestEpoch))
                        .build()
                : answer;
    }

    @Override
    public ExtentStore files(ExtentStore files) {
        if (is(Mutation.FAILURE_NOT_PLANNED)) {
            return MutatedStore.throwing(files);
        }
        return is(Mutation.FILE_KEPT_WHEN_FREED) ? MutatedStore.kept(files) : files;
    }

    @Override
    public DraftFiles drafts(DraftFiles drafts) {
        return is(Mutation.DRAFT_KEPT) ? new KeptDrafts(drafts) : drafts;
    }

    @Override
    public ExtentStore store(OsProcess process, GrantLedger ledger, DataNodeObserver observer, ExtentStore store) {
        if (is(Mutation.GRANTED_WHILE_FREED)) {
            return MutatedStore.granting(process, ledger, observer, store);
        }
        return is(Mutation.RETIRING_BYTES_NOT_COUNTED) ? MutatedStore.late(process, store) : store;
    }

    @Override
    public SlotAllocator slots(SlotTable table, SlotAllocator slotAllocator) {
        if (is(Mutation.SLOT_SEQUENCE_UNCHANGED)) {
            return MutatedSlots.sameSequence(table, slotAllocator);
        }
        return is(Mutation.SLOT_LIVE_TOO_LONG) ? MutatedSlots.liveTooLong(slotAllocator) : slotAllocator;
    }

    @Override
    public ExtentListener events(ExtentListener events) {
        return is(Mutation.UNPIN_NOT_TOLD) ? new PinsOnly(events) : events;
    }

    @Override
    public ReplicaSource source(ReplicaSource source, SimulatedVolumes simulatedVolumes) {
        if (is(Mutation.PUBLISHED_BEFORE_VERIFIED)) {
            return MutatedSource.withChecksumsOf(source, blockId -> {
                Replica stored = simulatedVolumes.find(blockId);
                return stored == null ? null : stored.data.content();
            });
        }
        if (is(Mutation.REPLICA_DELETED_AFTER_COPY)) {
            return MutatedSource.deletedOnceCopied(source, simulatedVolumes::remove);
        }
        if (is(Mutation.CHECKSUMS_MISREAD)) {
            return MutatedSource.withChecksumsOf(source, blockId -> {
                Replica stored = simulatedVolumes.find(blockId);
                return stored == null ? null : otherThan(stored.data.content());
            });
        }
        return is(Mutation.CHANGE_NOT_LOOKED_FOR) ? MutatedSource.neverChanged(source) : source;
    }

    private static byte[] otherThan(byte[] content) {
        byte[] other = content.clone();
        other[0] ^= 1;
        return other;
    }

    @Override
    public ReplicaSource scrubbed(ReplicaSource source, SimulatedDataNode dataNode) {
        if (is(Mutation.SCRUB_VERIFIES_NOTHING)) {
            return MutatedSource.withChecksumsOf(source, dataNode::copied);
        }
        return is(Mutation.FILES_LEFT_OPEN) ? MutatedSource.neverClosed(source) : source;
    }

    /** Reports pins that begin, but none that ends. */
    private static final class PinsOnly implements ExtentListener {

        private final ExtentListener events;
        private final Set<Extent> pinned = new HashSet<>();

        PinsOnly(ExtentListener events) {
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
