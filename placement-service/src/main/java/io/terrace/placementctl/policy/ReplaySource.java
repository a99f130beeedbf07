package io.terrace.placementctl.policy;

import io.terrace.common.FailureReason;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.simulate.AccessLogTrace;
import io.terrace.placementctl.simulate.RuleAssignments;
import io.terrace.policy.replay.Trace;
import io.terrace.policy.replay.TraceReader;
import io.terrace.protocol.proto.AdminProtos.PolicyResponseProto;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What simulations replay: the service's log of accesses, or a trace in a file.
 *
 * @param logged the log of accesses; null for a trace in a file
 * @param now the policy in force and the memory of the DataNodes; null where no service was asked
 * @param rules to be asked while the connection to the service is open
 */
record ReplaySource(Trace accesses, @Nullable AccessLogTrace logged, @Nullable PolicyResponseProto now, Rules rules) {

    /** Finds out which rules of a policy hold for the objects of the simulation, and which are of like directories. */
    @FunctionalInterface
    interface Rules {
        RuleAssignments of(PolicySpec policy) throws Refused, Unreachable;
    }

    /** A trace in a file, without a service. It has no paths, so no rules by path take part. */
    static ReplaySource of(Path file) throws Refused {
        Trace accesses = read(file);
        return new ReplaySource(accesses, null, null, policy -> RuleAssignments.byName(accesses));
    }

    /**
     * What a service knows.
     *
     * @param file a trace in place of the log of accesses; null for the log
     * @param lastMs so much of the log
     */
    static ReplaySource of(AdminClient client, @Nullable Path file, long lastMs)
            throws Refused, Unreachable, IOException {
        PolicyResponseProto now = PolicyShowCommand.inForce(client);
        if (file != null) {
            Trace accesses = read(file);
            return new ReplaySource(accesses, null, now, policy -> RuleAssignments.byName(accesses));
        }
        long fromMs = System.currentTimeMillis() - lastMs;
        AccessLogTrace logged = AccessLogTrace.fetch(client, fromMs);
        Trace accesses = logged.trace();
        return new ReplaySource(
                accesses,
                logged,
                now,
                policy -> RuleAssignments.fetch(client, fromMs, policy.text(), accesses, logged.numbers()));
    }

    private static Trace read(Path file) throws Refused {
        try {
            return TraceReader.read(file, AccessLogTrace.MOST_ROWS);
        } catch (IOException e) {
            throw new Refused("the trace " + file + " cannot be read: " + FailureReason.of(e));
        }
    }

    /** The policy in force. */
    PolicySpec inForce() throws Refused {
        if (now == null || !now.hasText()) {
            throw new Refused("the policy in force is for those who may change placement; name a file instead");
        }
        return PolicyText.inForce(now.getText());
    }

    /** Bytes a second that all DataNodes may move together; 0 where there is no limit, or none is known. */
    long moveBytesPerSecond() {
        return now == null ? 0 : now.getMoveBytesPerSecond() * now.getDataNodes();
    }
}
