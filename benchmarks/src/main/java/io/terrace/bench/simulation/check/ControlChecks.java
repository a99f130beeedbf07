package io.terrace.bench.simulation.check;

import io.terrace.bench.simulation.cluster.SimulatedNameNode;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.common.ControlSample;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.state.Move;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.Move.Volumes;
import io.terrace.protocol.MoveOrder;
import java.util.Set;

/** Whether heat moves a block of the control sample into a faster tier. Operators, pins and rules may. */
final class ControlChecks {

    private ControlChecks() {}

    /** A service answers a heartbeat. */
    static void answered(SimulatedNameNode nameNode, HeartbeatAnswer answer) {
        ControlSample sample = nameNode.simulatedCluster().policy().sample();
        for (MoveOrder order : answer.orders()) {
            if (sample.arm(order.block().id()) == ControlSample.Arm.CONTROL) {
                for (Move move : nameNode.placement().reports().moves(Set.of(order.moveId()))) {
                    Volumes volumes = move.volumes();
                    boolean climbs = volumes == null ? move.isPromotion() : volumes.isUp();
                    Violation.unless(
                            !climbs || (move.cause() != Cause.POLICY && move.cause() != Cause.HEAT),
                            Invariant.CONTROL_STAYS,
                            "%s orders %s, of the control sample: %s",
                            nameNode.process().name(),
                            order,
                            move.cause());
                }
            }
        }
    }
}
