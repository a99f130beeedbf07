package io.terrace.datanode.hdfs;

import io.terrace.channel.shm.SlotTable;
import io.terrace.datanode.extent.AddressSpace;
import io.terrace.datanode.extent.GrantLedger;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.extent.SharedSlots;
import io.terrace.datanode.extent.WatchedFiles;
import io.terrace.datanode.hdfs.dataset.PassedDescriptors;
import io.terrace.datanode.hdfs.dataset.StockMetrics;
import io.terrace.datanode.memory.MemoryDirectory;
import io.terrace.datanode.memory.MemoryTierListener;
import io.terrace.datanode.memory.PassedChecksums;
import io.terrace.datanode.memory.UnlinkedBytes;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.SecureRandom;
import java.util.Set;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.jspecify.annotations.Nullable;

/** The memory tier's own parts, wired: its directory, the slots by which clients find copies, and the extents. */
final class MemoryTier {

    /** An extent's address is a name until verbs maps it; far from what a JVM maps by itself. */
    private static final long REGION_BASE = 0x1000_0000_0000L;

    private final MemoryDirectory directory;
    private final @Nullable SlotTable slots;
    private final MemoryTierListener listener;
    private final PassedChecksums checksums;
    private final WatchedFiles files;
    private final LocalTier extents;
    private final UnlinkedBytes unlinkedBytes;
    private final long regionEnd;

    /**
     * An empty tier.
     *
     * @param path of its directory
     * @param parts closes what is opened here
     */
    MemoryTier(
            DataNode datanode,
            DataNodeConfig settings,
            Path path,
            PassedDescriptors descriptors,
            MetricRegistry metricRegistry,
            CloseStack parts)
            throws IOException {
        directory = parts.add(MemoryDirectory.open(path, settings.requireTmpfs()));
        slots = settings.channelDir() == null ? null : parts.add(slotTable(settings));
        listener = new MemoryTierListener(
                metricRegistry, descriptors::invalidate, new StockMetrics(datanode.getMetrics()));
        checksums = directory.checksums();
        files = new WatchedFiles((extent, truncate) -> checksums.remove(extent) && directory.remove(extent, truncate));
        extents = new LocalTier(
                new LocalTier.Limits(settings.capacityBytes(), settings.extentsMax(), settings.lentTimeoutNs()),
                new AddressSpace(REGION_BASE, settings.regionBytes(), settings.regionRestNs()),
                new GrantLedger(settings.grantLimits()),
                files,
                slots == null ? SharedSlots.NONE : new SharedSlots(slots),
                listener,
                descriptors::isHeld);
        long slotBytes = slots == null ? 0 : Files.size(slots.path());
        unlinkedBytes = new UnlinkedBytes(extents, directory::usedBytes, () -> slotBytes + checksums.bytes());
        regionEnd = REGION_BASE + settings.regionBytes();
        gauges(metricRegistry);
    }

    private SlotTable slotTable(DataNodeConfig settings) throws IOException {
        Path root = directory.root();
        Set<PosixFilePermission> mode = Files.getPosixFilePermissions(root);
        if (mode.add(PosixFilePermission.OTHERS_EXECUTE) | mode.add(PosixFilePermission.GROUP_EXECUTE)) {
            // Clients pass through to the links; they cannot list.
            Files.setPosixFilePermissions(root, mode);
        }
        Path path = root.resolve("slots");
        Files.deleteIfExists(path);
        int extents = settings.extentsMax() + (settings.nvmLocal() ? settings.nvmExtentsMax() : 0);
        return SlotTable.create(path, 2 * extents, new SecureRandom());
    }

    private void gauges(MetricRegistry metricRegistry) {
        metricRegistry.gauge(Metric.MEMORY_CAPACITY_BYTES, () -> extents.usage().capacityBytes());
        metricRegistry.gauge(Metric.MEMORY_USED_BYTES, () -> extents.usage().usedBytes());
        metricRegistry.gauge(Metric.MEMORY_RETIRING_BYTES, () -> extents.usage().retiringBytes());
        metricRegistry.gauge(Metric.MEMORY_KEPT_OPEN_BYTES, unlinkedBytes::bytes);
        metricRegistry.gauge(Metric.MEMORY_PINNED_BYTES, () -> extents.usage().pinnedBytes());
        metricRegistry.gauge(Metric.MEMORY_EXTENTS, () -> extents.usage().extents());
        metricRegistry.gauge(Metric.MEMORY_GRANTS, () -> extents.usage().grants());
    }

    /** Where the copies are. */
    MemoryDirectory directory() {
        return directory;
    }

    /** Where clients of this host find copies; null when there is no channel. */
    @Nullable
    SlotTable slots() {
        return slots;
    }

    /** Passes on what the tier tells. */
    MemoryTierListener listener() {
        return listener;
    }

    /** The checksums of copies whose descriptors are passed. */
    PassedChecksums checksums() {
        return checksums;
    }

    /** The files of the copies, which tell before one is removed. */
    WatchedFiles files() {
        return files;
    }

    /** The copies. */
    LocalTier extents() {
        return extents;
    }

    /** What stock clients keep open of removed copies. */
    UnlinkedBytes unlinkedBytes() {
        return unlinkedBytes;
    }

    /** Where addresses end. */
    long regionEnd() {
        return regionEnd;
    }
}
