package io.terrace.host;

import io.terrace.placement.heartbeat.HealthFinding;
import io.terrace.placement.heartbeat.HealthFinding.Severity;

/** What is wrong with a host, and who mends it. The ids are those of {@code placementctl doctor} where it says the same. */
record HostFinding(HealthFinding finding, MendedBy mendedBy) {

    enum MendedBy {
        /** {@code terrace-host prepare}. */
        PREPARE,
        /** The administrator, before anything is prepared. */
        ADMINISTRATOR_FIRST,
        /** The administrator, at any time. */
        ADMINISTRATOR
    }

    /** What prepare mends needs no other remedy. */
    static HostFinding prepared(String id, Severity severity, String text) {
        return new HostFinding(new HealthFinding(id, severity, text, "terrace-host prepare"), MendedBy.PREPARE);
    }

    static HostFinding first(String id, Severity severity, String text, String remedy) {
        return new HostFinding(new HealthFinding(id, severity, text, remedy), MendedBy.ADMINISTRATOR_FIRST);
    }

    static HostFinding other(String id, Severity severity, String text, String remedy) {
        return new HostFinding(new HealthFinding(id, severity, text, remedy), MendedBy.ADMINISTRATOR);
    }

    String id() {
        return finding.id();
    }

    Severity severity() {
        return finding.severity();
    }
}
