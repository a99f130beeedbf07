package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.SimulatedNameNode;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.metrics.Metric;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.move.FirstReadSettings;
import io.terrace.placement.report.ReplicaReport;
import io.terrace.placement.state.Move;
import io.terrace.protocol.MoveOrder;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

/** Whether copies before first reads cost no more than they may: bytes in vain, and the time for which they are kept. */
final class AheadChecks {

    /** A service has a turn between two looks at a copy that are so far apart. */
    private static final long LOOK_MS = 500;

    /** It gives a copy up once a second. A process that stood still has one look in that time. */
    private static final int MOST_LOOKS = 5;

    private record Copy(String dataNode, long blockId) {}

    private static final class Looks {
        private int count;
        private long latestMs = Long.MIN_VALUE;
    }

    /** What a service did in an epoch. */
    private static final class Seen {
        private final long epoch;
        private final long vainBefore;
        private final long copiedBefore;
        private final Map<Copy, Looks> copies = new HashMap<>();

        Seen(SimulatedNameNode nameNode) {
            epoch = nameNode.placement().epoch();
            vainBefore = vainBytes(nameNode);
            copiedBefore = nameNode.value(Metric.PLACEMENT_PROMOTED_BYTES);
        }
    }

    private final Map<SimulatedNameNode, Seen> seen = new HashMap<>();

    private static long vainBytes(SimulatedNameNode nameNode) {
        return nameNode.value(Metric.PLACEMENT_FIRST_READ_VAIN_BYTES)
                + nameNode.value(Metric.PLACEMENT_READ_AHEAD_VAIN_BYTES);
    }

    /** A service answers a heartbeat. */
    void answered(SimulatedNameNode nameNode, Heartbeat heartbeat, HeartbeatAnswer answer) {
        FirstReadSettings settings = nameNode.simulatedCluster().firstReads();
        if (!settings.isOn() || !nameNode.placement().isActive()) {
            return;
        }
        Seen before = seen.get(nameNode);
        if (before == null || before.epoch != nameNode.placement().epoch()) {
            before = new Seen(nameNode);
            seen.put(nameNode, before);
        }
        checkBytes(nameNode, before, settings);
        for (MoveOrder order : answer.orders()) {
            for (Move move : nameNode.placement().reports().moves(Set.of(order.moveId()))) {
                if (move.cause().isAhead()) {
                    before.copies.put(new Copy(heartbeat.node(), order.block().id()), new Looks());
                }
            }
        }
        checkTimes(nameNode, before, settings);
    }

    private static void checkBytes(SimulatedNameNode nameNode, Seen before, FirstReadSettings settings) {
        long vain = vainBytes(nameNode) - before.vainBefore;
        long copied = nameNode.value(Metric.PLACEMENT_PROMOTED_BYTES) - before.copiedBefore;
        Violation.unless(
                vain <= Math.max(settings.atFirstBytes(), settings.vainShare() * copied),
                Invariant.VAIN_BYTES_BOUNDED,
                "%s copied %d bytes in vain, of %d",
                nameNode.process().name(),
                vain,
                copied);
    }

    private static void checkTimes(SimulatedNameNode nameNode, Seen before, FirstReadSettings settings) {
        long nowMs = nameNode.nowMs();
        Iterator<Map.Entry<Copy, Looks>> copies = before.copies.entrySet().iterator();
        while (copies.hasNext()) {
            Map.Entry<Copy, Looks> entry = copies.next();
            Looks looks = entry.getValue();
            if (looks.latestMs != Long.MIN_VALUE && nowMs - looks.latestMs < LOOK_MS) {
                continue;
            }
            looks.latestMs = nowMs;
            Copy copy = entry.getKey();
            ReplicaReport replica = nameNode.placement().reports().block(nowMs, copy.blockId, 0).replicas().stream()
                    .filter(each -> each.node().equals(copy.dataNode))
                    .findFirst()
                    .orElse(null);
            if (replica == null || replica.heldForMs() == 0) {
                copies.remove();
            } else if (!replica.inMemory()
                    || !nameNode.placement().operatorState().mayMove()
                    || replica.residentSinceMs() < settings.withinMs()) {
                looks.count = 0;
            } else {
                looks.count++;
                Violation.unless(
                        looks.count < MOST_LOOKS,
                        Invariant.COPY_AHEAD_RELEASED,
                        "%s keeps block %d on %s, which nobody reads",
                        nameNode.process().name(),
                        copy.blockId,
                        copy.dataNode);
            }
        }
    }
}
