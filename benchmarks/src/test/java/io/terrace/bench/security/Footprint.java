package io.terrace.bench.security;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/**
 * What a process holds.
 *
 * @param bytes of its heap, and of direct buffers beside it
 * @param descriptors open files and sockets
 */
record Footprint(long bytes, long descriptors) {

    /** Of this one, without its garbage. */
    static Footprint ofThisProcess() {
        System.gc();
        long heapBytes =
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        long directBytes = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        long descriptors = ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class)
                .getOpenFileDescriptorCount();
        return new Footprint(heapBytes + directBytes, descriptors);
    }

    /** What it holds more than it did. */
    Footprint less(Footprint before) {
        return new Footprint(bytes - before.bytes, descriptors - before.descriptors);
    }
}
