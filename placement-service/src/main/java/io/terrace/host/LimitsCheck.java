package io.terrace.host;

import io.terrace.common.Quantity;
import io.terrace.placement.heartbeat.HealthFinding.Severity;
import java.util.List;

/** What the DataNode's service may use: memory of its control group, which tmpfs pages count against, and locked memory. */
final class LimitsCheck {

    private LimitsCheck() {}

    static void run(DataNodeHost host, List<HostFinding> found) {
        DataNodeUnit unit = host.unit();
        if (unit == null) {
            if (host.wantsRdma() && !host.files().text(HostPlan.LIMITS).contains("memlock")) {
                found.add(HostFinding.prepared(
                        "memory-memlock",
                        Severity.WARNING,
                        "RDMA registers the tier's memory, and " + HostPlan.LIMITS
                                + " does not let the DataNode's user lock any"));
            }
            return;
        }
        long limit = unit.memoryLimitBytes(host.files(), host.facts().cgroup());
        if (limit > 0 && limit < host.settings().capacityBytes()) {
            found.add(HostFinding.other(
                    "memory-cgroup-small",
                    Severity.ERROR,
                    unit.name() + " may use " + Quantity.bytes(limit)
                            + "; the tier's pages count against it, and the tier's capacity is "
                            + Quantity.bytes(host.settings().capacityBytes()),
                    "systemctl set-property " + unit.name() + " MemoryMax=<its heap and "
                            + host.wanted().sizeBytes() + " more>"));
        }
        Long memlock = unit.memlockBytes(host.files());
        if (host.wantsRdma() && memlock != null && memlock < host.settings().capacityBytes()) {
            boolean written = host.files().text(unit.dropIn()).contains(HostPlan.MEMLOCK);
            String text =
                    "RDMA registers the tier's memory, and " + unit.name() + " may lock only " + memlock + " bytes";
            found.add(
                    written
                            ? HostFinding.other("memory-memlock", Severity.WARNING, text, "restart the DataNode")
                            : HostFinding.prepared("memory-memlock", Severity.WARNING, text));
        }
    }
}
