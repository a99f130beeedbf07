package io.terrace.bench.simulation.cluster;

import io.terrace.bench.simulation.kernel.OsProcess;
import io.terrace.channel.shm.SlotTable;
import io.terrace.common.BlockKey;
import io.terrace.common.ControlSample;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.ExtentListener;
import io.terrace.datanode.extent.ExtentStore;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.GrantRecord;
import io.terrace.datanode.extent.SlotAllocator;
import io.terrace.datanode.hdfs.volume.MoveStorage;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.datanode.writethrough.DraftFiles;
import io.terrace.placement.move.FirstReadSettings;
import io.terrace.placement.policy.PolicyFactory;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.state.HomeChoice;
import io.terrace.placement.state.NamespaceView;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The places in the simulated cluster where a mutation can inject a bug. Without one, each method returns its argument
 * or does what its name says. The code under simulation does not know them.
 */
public interface ClusterHooks {

    /** The rate of moves that the service is told to keep. */
    long moveBytesPerSecond(long bytes);

    /** The rate of moves between volumes that the service is told to keep. */
    long volumeMoveBytesPerSecond(long bytes);

    /** The policy file as the service reads it. */
    PolicySpec policy(PolicySpec spec);

    /** The maker of the policies of one service. */
    PolicyFactory policies(PolicyFactory maker);

    /** How one service chooses homes. */
    HomeChoice.Factory homes(HomeChoice.Factory homes);

    /** The control sample that the service is told to keep. */
    ControlSample controlSample(ControlSample sample);

    /** The bounds of copies before first reads that the service is told to keep. */
    FirstReadSettings firstReads(FirstReadSettings firstReads);

    /** The namespace as the service sees it. */
    NamespaceView view(NamespaceView view);

    /** Whether the NameNode is told of a replica that moved. */
    boolean reportsMoves();

    /** Whether a deletion ends a move of the replica. */
    boolean deletionsEndMoves();

    /** The files and locks as a move between volumes uses them. */
    MoveStorage<Replica, SimulatedVolume> moveStorage(MoveStorage<Replica, SimulatedVolume> storage);

    /** The clock by which housekeeping ends grants. */
    long housekeepingNs(long nowNs);

    LongSupplier clientClock(OsProcess process);

    boolean ignoresTokens();

    boolean forgetsWhenSent();

    /** The replicas that leftovers are verified against. */
    ReplicaSource leftoverSource(ReplicaSource source, SimulatedTmpfs simulatedTmpfs);

    /** The block that the DataNode looks for when this one is asked for. */
    BlockKey asked(SimulatedDataNode dataNode, BlockKey block);

    boolean sendsRevocations();

    void revokeSent(SimulatedDataNode dataNode, GrantRecord grant);

    void unlink(SimulatedTmpfs.Mount mount, String link);

    /** The stream of a stock reader is at its end. */
    void giveBack(SimulatedDataNode dataNode, Extent extent);

    /** The finalised replicas that a DataNode's block report contains. */
    List<Replica> reported(SimulatedDataNode dataNode, List<Replica> finalised);

    LongConsumer changed(LongConsumer changed);

    /** The messages that are sent for a heartbeat. */
    List<HeartbeatRequestProto> heartbeat(Host from, HeartbeatRequestProto heartbeat);

    /** The heartbeat as the service of this epoch receives it. */
    HeartbeatRequestProto taken(HeartbeatRequestProto heartbeat, long epoch);

    /** The answer as the DataNode receives it. */
    HeartbeatResponseProto answer(HeartbeatResponseProto answer, long highestEpoch);

    /** The files of the memory directory. */
    ExtentStore files(ExtentStore files);

    /** The files of copies whose blocks are being written. */
    DraftFiles drafts(DraftFiles drafts);

    /** The files as the tier uses them. */
    ExtentStore store(
            OsProcess process, GrantLedger ledger, ClusterObserver.DataNodeObserver observer, ExtentStore store);

    SlotAllocator slots(SlotTable table, SlotAllocator slotAllocator);

    ExtentListener events(ExtentListener events);

    ReplicaSource source(ReplicaSource source, SimulatedVolumes simulatedVolumes);

    /** The replicas that the scrub compares copies with. */
    ReplicaSource scrubbed(ReplicaSource source, SimulatedDataNode dataNode);
}
