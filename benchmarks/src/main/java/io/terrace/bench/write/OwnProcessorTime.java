package io.terrace.bench.write;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** Processor time of this process, user and system, with all that the JVM does beside. */
final class OwnProcessorTime {
    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    long ns() {
        return system.getProcessCpuTime();
    }
}
