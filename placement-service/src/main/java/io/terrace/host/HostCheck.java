package io.terrace.host;

import io.terrace.placement.heartbeat.HealthFinding.Severity;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What a host lacks for its DataNode, the worst first. */
final class HostCheck {

    private HostCheck() {}

    static List<HostFinding> run(DataNodeHost host) {
        List<HostFinding> found = new ArrayList<>();
        MemoryCheck.run(host, found);
        LimitsCheck.run(host, found);
        ChannelCheck.run(host, found);
        PortCheck.run(host, found);
        found.sort(Comparator.comparing(HostFinding::severity).reversed());
        return found;
    }

    static boolean hasProblem(List<HostFinding> found) {
        return found.stream().anyMatch(finding -> finding.severity() == Severity.ERROR);
    }
}
