package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.SimulatedDataNode;
import io.terrace.bench.simulation.cluster.SimulatedNameNode;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.report.HotBlock;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeatProto;
import java.util.HashMap;
import java.util.Map;

/**
 * Compares the reads that a NameNode counts, active or not, with those in the heartbeats it received, each counted once.
 */
final class ServiceHeatChecks {

    private static final int MOST_BLOCKS = 100;

    /** What is remembered is looked at with one of so many heartbeats. */
    private static final long EVERY = 4;

    private record Sender(String dataNode, long incarnation) {}

    private record Beat(Sender sender, String nameNode, long sequence) {}

    private static final class Received {
        final Map<Sender, Long> lastSequences = new HashMap<>();
        long reads;
    }

    private final Map<Beat, Map<Long, Long>> sent = new HashMap<>();
    /** Reads of each block that each NameNode was told of; by two of its processes, if the first one's answer was lost. */
    private final Map<String, Map<Long, Long>> told = new HashMap<>();

    private final Map<SimulatedNameNode, Received> received = new HashMap<>();

    /** A DataNode is about to send this. */
    void composed(SimulatedDataNode dataNode, String nameNode, HeartbeatRequestProto request) {
        Map<Long, Long> blocks = new HashMap<>();
        for (HeatProto heat : request.getHeatList()) {
            blocks.merge(heat.getBlock().getBlockId(), heat.getReads(), Long::sum);
        }
        Sender sender = new Sender(dataNode.host().name, request.getIncarnation());
        sent.put(new Beat(sender, nameNode, request.getSequence()), blocks);
    }

    /** A NameNode answered this, perhaps not for the first time. */
    void answered(SimulatedNameNode nameNode, Heartbeat heartbeat, HeartbeatAnswer answer) {
        Received all = received.computeIfAbsent(nameNode, one -> new Received());
        Sender sender = new Sender(heartbeat.node(), heartbeat.incarnation());
        if (heartbeat.sequence() > all.lastSequences.getOrDefault(sender, -1L)) {
            all.lastSequences.put(sender, heartbeat.sequence());
            String name = nameNode.process().name();
            Map<Long, Long> known = told.computeIfAbsent(name, one -> new HashMap<>());
            sent.getOrDefault(new Beat(sender, name, heartbeat.sequence()), Map.of())
                    .forEach((block, reads) -> {
                        all.reads += reads;
                        known.merge(block, reads, Long::sum);
                    });
        }
        Violation.unless(
                nameNode.readsCounted() == all.reads,
                Invariant.HEAT_COUNTED_ONCE,
                "%s counts %d reads, and was sent %d by epoch %d",
                nameNode.process().name(),
                nameNode.readsCounted(),
                all.reads,
                answer.epoch());
        if (heartbeat.sequence() % EVERY == 0) {
            checkRemembered(nameNode);
        }
    }

    /** What was in the journal before a restart counts once, beside what came since. */
    private void checkRemembered(SimulatedNameNode nameNode) {
        String name = nameNode.process().name();
        for (HotBlock hot : nameNode.placement().reports().top(nameNode.nowMs(), MOST_BLOCKS)) {
            long id = hot.block().id();
            long most = told.getOrDefault(name, Map.of()).getOrDefault(id, 0L);
            Violation.unless(
                    hot.reads() <= most,
                    Invariant.HEAT_COUNTED_ONCE,
                    "%s remembers %d reads of block %d, and was ever told of %d",
                    name,
                    hot.reads(),
                    id,
                    most);
        }
    }
}
