package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.SimulatedDataNode;
import io.terrace.bench.simulation.cluster.SimulatedNameNode;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeatProto;
import java.util.HashMap;
import java.util.Map;

/**
 * Compares the reads that a NameNode counts in its epoch with those in the heartbeats it received, each counted once.
 */
final class ServiceHeatChecks {

    private record Sender(String dataNode, long incarnation) {}

    private record Beat(Sender sender, String nameNode, long sequence) {}

    private static final class Epoch {
        final long number;
        final Map<Sender, Long> lastSequences = new HashMap<>();
        long reads;

        Epoch(long number) {
            this.number = number;
        }
    }

    private final Map<Beat, Long> sent = new HashMap<>();
    private final Map<SimulatedNameNode, Epoch> epochs = new HashMap<>();

    /** A DataNode is about to send this. */
    void composed(SimulatedDataNode dataNode, String nameNode, HeartbeatRequestProto request) {
        long reads = 0;
        for (HeatProto heat : request.getHeatList()) {
            reads += heat.getReads();
        }
        Sender sender = new Sender(dataNode.host().name, request.getIncarnation());
        sent.put(new Beat(sender, nameNode, request.getSequence()), reads);
    }

    /** A NameNode answered this, perhaps not for the first time. */
    void answered(SimulatedNameNode nameNode, Heartbeat heartbeat, HeartbeatAnswer answer) {
        if (!answer.active()) {
            return;
        }
        Epoch epoch = epochs.get(nameNode);
        if (epoch == null || epoch.number != answer.epoch()) {
            epoch = new Epoch(answer.epoch());
            epochs.put(nameNode, epoch);
        }
        Sender sender = new Sender(heartbeat.node(), heartbeat.incarnation());
        if (heartbeat.sequence() > epoch.lastSequences.getOrDefault(sender, -1L)) {
            epoch.lastSequences.put(sender, heartbeat.sequence());
            epoch.reads += sent.getOrDefault(new Beat(sender, nameNode.process().name(), heartbeat.sequence()), 0L);
        }
        Violation.unless(
                nameNode.readsCounted() == epoch.reads,
                Invariant.HEAT_COUNTED_ONCE,
                "%s counts %d reads in epoch %d, and was sent %d",
                nameNode.process().name(),
                nameNode.readsCounted(),
                answer.epoch(),
                epoch.reads);
    }
}
