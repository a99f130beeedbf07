package io.terrace.bench.simulation.cluster;

import io.terrace.channel.Grant;
import io.terrace.channel.server.Peer;
import io.terrace.datanode.extent.ExtentListener;
import io.terrace.datanode.extent.ExtentStore;
import io.terrace.datanode.extent.SlotAllocator;
import io.terrace.datanode.heartbeat.AccessRecorder;
import io.terrace.datanode.memory.LeftoverFiles;
import io.terrace.datanode.writethrough.DraftFiles;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.policy.PolicyFactory;
import io.terrace.placement.state.HomeChoice;
import io.terrace.placement.state.NamespaceView;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;

/** Receives the events of the simulated cluster, to check them. Times of processes are by their own clocks. */
public interface ClusterObserver {

    /** Begins to observe a DataNode process. */
    DataNodeObserver watch(SimulatedDataNode dataNode);

    /** A process is dead and holds nothing any more. */
    void died(SimulatedDataNode dataNode);

    void granted(SimulatedDataNode dataNode, Peer peer, Grant grant);

    void leased(SimulatedClient client, SimulatedDataNode dataNode, Grant grant, byte[] token, long askedNs);

    void renewed(SimulatedClient client, SimulatedDataNode dataNode, long grantId, long endsNs);

    void ended(SimulatedDataNode dataNode, long grantId);

    /** A client is about to use what it read through a grant. */
    void used(SimulatedClient client, SimulatedDataNode dataNode, long grantId);

    /** A DataNode is about to send this. */
    void composed(SimulatedDataNode dataNode, int nameNode, HeartbeatRequestProto request);

    /** A DataNode received this answer; returns the one that it is to process. */
    HeartbeatResponseProto answered(SimulatedDataNode dataNode, int nameNode, HeartbeatResponseProto response);

    /** The namespace as the service of a NameNode looks into it. */
    NamespaceView view(SimulatedNameNode nameNode, NamespaceView view);

    /** The maker of the policies of a NameNode's service. */
    PolicyFactory policies(SimulatedNameNode nameNode, PolicyFactory maker);

    /** How a NameNode's service chooses homes. */
    HomeChoice.Factory homes(SimulatedNameNode nameNode, HomeChoice.Factory homes);

    /** Some moves of a NameNode may have ended. */
    void movesEnded(SimulatedNameNode nameNode);

    /** A NameNode answered a heartbeat: perhaps one that it had answered before, with the same orders. */
    void answered(SimulatedNameNode nameNode, Heartbeat heartbeat, HeartbeatAnswer answer);

    /** Wraps the files, slots and events of one DataNode process's memory tier. */
    interface DataNodeObserver {

        ExtentStore files(ExtentStore files);

        /** The files of copies whose blocks are being written; an extent begins when one is adopted. */
        DraftFiles drafts(DraftFiles drafts);

        SlotAllocator slots(SlotAllocator slots);

        ExtentListener events(ExtentListener events);

        /** The leftovers of an earlier process; an extent begins when one is adopted. */
        LeftoverFiles leftovers(SimulatedTmpfs.Mount mount);

        /** Counts every read. */
        AccessRecorder.Listener heat();

        /** The heartbeat had heat of this block, of which no replica was left. */
        void heatWithoutReplica(long blockId);

        void granted(long session, long grantId);

        /** A scrub that began then is over. */
        void scrubbed(long begunNs);

        /** The housekeeping had its turn. */
        void turned();
    }
}
