package io.terrace.host;

import io.terrace.common.Quantity;
import io.terrace.conf.TerraceSettings;
import io.terrace.placement.heartbeat.HealthFinding.Severity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tmpfs of the memory tier: there, alone, large enough, the DataNode's, and not swapped. */
final class MemoryCheck {

    private MemoryCheck() {}

    static void run(DataNodeHost host, List<HostFinding> found) {
        long capacity = host.settings().capacityBytes();
        long memory = host.facts().memoryBytes();
        if (memory > 0 && capacity > memory) {
            found.add(HostFinding.first(
                    "memory-too-little",
                    Severity.ERROR,
                    "the host has " + Quantity.bytes(memory) + " of memory, the tier's capacity is "
                            + Quantity.bytes(capacity),
                    "lower " + TerraceSettings.DATANODE_MEMORY_CAPACITY.key()));
        }
        MountEntry mount = host.mounted();
        link(host, mount, found);
        fstab(host, found);
        unit(host, found);
        if (mount == null) {
            notMounted(host, found);
        } else if (!mount.type().equals("tmpfs")) {
            found.add(HostFinding.first(
                    "memory-not-tmpfs",
                    Severity.ERROR,
                    mount.directory() + " is a mount of " + mount.type() + ", which is not memory",
                    "unmount it, or name another directory in " + TerraceSettings.DATANODE_MEMORY_DIR.key()));
        } else {
            mounted(host, mount, found);
        }
        HostCheck.above(
                host,
                host.settings().memoryDir(),
                "memory-open",
                "the DataNode stays stock",
                TerraceSettings.DATANODE_MEMORY_DIR,
                found);
        swap(host, mount, found);
        if (host.facts().hugePages().equals("deny")) {
            found.add(HostFinding.other(
                    "memory-huge-denied",
                    Severity.WARNING,
                    "the kernel gives tmpfs no huge pages, whatever the mount says",
                    "echo never >/sys/kernel/mm/transparent_hugepage/shmem_enabled"));
        }
    }

    /** systemd refuses a mount unit whose path has a symbolic link. */
    private static void link(DataNodeHost host, @Nullable MountEntry mount, List<HostFinding> found) {
        Path directory = host.settings().memoryDir();
        if (!host.memoryDir().equals(directory)) {
            found.add(HostFinding.first(
                    "memory-link",
                    mount == null ? Severity.ERROR : Severity.WARNING,
                    directory + " leads to " + host.memoryDir()
                            + " by a symbolic link, and systemd mounts nothing there",
                    "set " + TerraceSettings.DATANODE_MEMORY_DIR.key() + " to " + host.memoryDir()));
        }
    }

    /** What the mount will be after a boot. */
    private static void fstab(DataNodeHost host, List<HostFinding> found) {
        MountEntry line = host.fstab();
        long memory = host.facts().memoryBytes();
        if (line != null && !host.wanted().isMadeBy(line, host.settings().capacityBytes(), memory)) {
            found.add(HostFinding.first(
                    "memory-fstab",
                    Severity.ERROR,
                    "the line of /etc/fstab for " + line.directory()
                            + " makes no tmpfs that is large enough and the DataNode's alone: the DataNode is stock after"
                            + " the next boot",
                    "replace it by: " + host.wanted().fstabLine()));
        } else if (line != null && !host.wanted().isMadeBy(line, host.wanted().sizeBytes(), memory)) {
            found.add(HostFinding.other(
                    "memory-fstab",
                    Severity.WARNING,
                    "the line of /etc/fstab for " + line.directory() + " makes a tmpfs of less than the "
                            + Quantity.bytes(host.wanted().sizeBytes()) + " that the tier needs",
                    "replace it by: " + host.wanted().fstabLine()));
        } else if (host.needsFstab()) {
            found.add(HostFinding.other(
                    "memory-fstab",
                    Severity.WARNING,
                    "systemd does not run here, so nothing is mounted at the next boot",
                    "add to /etc/fstab: " + host.wanted().fstabLine()));
        }
    }

    /** What the administrator's own unit mounts. */
    private static void unit(DataNodeHost host, List<HostFinding> found) {
        String path = host.ownUnit();
        if (path == null) {
            return;
        }
        MountEntry unit =
                MountEntry.ofUnit(host.settings().memoryDir(), host.files().text(path));
        long memory = host.facts().memoryBytes();
        if (host.wanted().isMadeBy(unit, host.wanted().sizeBytes(), memory)) {
            return;
        }
        boolean fits = host.wanted().isMadeBy(unit, host.settings().capacityBytes(), memory);
        String remedy = "set Type=tmpfs and Options=" + host.wanted().options()
                + " in it, or delete it: terrace-host prepare then writes one";
        found.add(
                fits
                        ? HostFinding.other(
                                "memory-unit",
                                Severity.WARNING,
                                path + ", which terrace-host did not write, makes a tmpfs of less than the "
                                        + Quantity.bytes(host.wanted().sizeBytes()) + " that the tier needs",
                                remedy)
                        : HostFinding.first(
                                "memory-unit",
                                Severity.ERROR,
                                path + ", which terrace-host did not write, makes no tmpfs that is large"
                                        + " enough and the DataNode's alone: the DataNode is stock after the next boot",
                                remedy));
    }

    private static void notMounted(DataNodeHost host, List<HostFinding> found) {
        Path directory = host.settings().memoryDir();
        MountEntry holding =
                MountEntry.holding(host.facts().mounts(), directory).orElse(null);
        if (holding != null && holding.type().equals("tmpfs")) {
            found.add(HostFinding.prepared(
                    "memory-shared",
                    Severity.WARNING,
                    directory + " is not a mount point: whoever writes to " + holding.directory()
                            + " takes memory from the tier"));
        } else {
            found.add(HostFinding.prepared(
                    "memory-not-mounted",
                    Severity.ERROR,
                    directory + " is not mounted"
                            + (holding == null ? "" : ": files there would be on " + holding.type())));
        }
        Path there = host.files().at(directory);
        if (hasFiles(there)) {
            boolean serves = holding != null
                    && holding.type().equals("tmpfs")
                    && Files.exists(there.resolve(RemoveCommand.LOCK));
            found.add(HostFinding.first(
                    "memory-hides-files",
                    serves ? Severity.NOTE : Severity.ERROR,
                    directory + " has files, which a mount would hide",
                    "stop the DataNode and move or delete them"));
        } else if (Files.exists(there) && !Files.isDirectory(there)) {
            found.add(HostFinding.first(
                    "memory-no-directory",
                    Severity.ERROR,
                    directory + " is no directory, so nothing can be mounted there",
                    "move or delete it, or name a directory in " + TerraceSettings.DATANODE_MEMORY_DIR.key()));
        }
    }

    private static void mounted(DataNodeHost host, MountEntry mount, List<HostFinding> found) {
        MemoryMount wanted = host.wanted();
        long size = MemoryMount.sizeBytes(mount, host.facts().memoryBytes());
        if (mount.has("ro")) {
            found.add(HostFinding.prepared(
                    "memory-read-only", Severity.ERROR, mount.directory() + " is mounted read-only"));
        }
        if (size < wanted.sizeBytes()) {
            found.add(HostFinding.prepared(
                    "memory-tmpfs-small",
                    size < host.settings().capacityBytes() ? Severity.ERROR : Severity.WARNING,
                    "the tmpfs has " + Quantity.bytes(size) + "; the tier's capacity is "
                            + Quantity.bytes(host.settings().capacityBytes()) + ", which needs "
                            + Quantity.bytes(wanted.sizeBytes())));
        }
        FileOwner owner = FileOwner.of(host.files().at(mount.directory()));
        if (owner != null && !owner.isOnly(host.owner())) {
            found.add(HostFinding.prepared(
                    "memory-owner", Severity.ERROR, mount.directory() + owner.notOnly(host.owner())));
        } else if (owner != null && !owner.othersPass()) {
            found.add(HostFinding.other(
                    "memory-owner",
                    Severity.NOTE,
                    mount.directory() + " has mode " + Integer.toOctalString(owner.mode())
                            + ": clients of other users read through stock HDFS",
                    "chmod 0" + Integer.toOctalString(MemoryMount.MODE) + " " + mount.directory()
                            + ", if they are to read from memory"));
        }
        if (wanted.huge() && mount.value("huge") == null) {
            found.add(HostFinding.prepared(
                    "memory-huge",
                    Severity.NOTE,
                    "the tmpfs has pages of 4 KB; reads of large pages are faster (huge=" + MemoryMount.HUGE + ")"));
        }
    }

    private static void swap(DataNodeHost host, @Nullable MountEntry mount, List<HostFinding> found) {
        boolean kept = mount != null && mount.has("noswap");
        DataNodeUnit unit = host.unit();
        if (!host.facts().swap() || kept || unit != null && unit.neverSwaps(host.files())) {
            return;
        }
        String text = "swap is on, so copies in memory may be written to disk";
        if (mount == null && host.wanted().noswap()) {
            found.add(HostFinding.prepared("memory-swap", Severity.WARNING, text));
        } else if (mount != null && host.wanted().noswap()) {
            found.add(HostFinding.other(
                    "memory-swap",
                    Severity.WARNING,
                    text,
                    "stop the DataNode, umount " + mount.directory()
                            + ", terrace-host prepare: a mount gets noswap only when it" + " is made"));
        } else if (host.needsSwapLimit()) {
            boolean written = unit != null && host.files().text(unit.dropIn()).contains(HostPlan.NO_SWAP);
            found.add(
                    written
                            ? HostFinding.other(
                                    "memory-swap", Severity.WARNING, text, "restart the DataNode: " + HostPlan.NO_SWAP)
                            : HostFinding.prepared("memory-swap", Severity.WARNING, text));
        } else {
            found.add(
                    HostFinding.other(
                            "memory-swap",
                            Severity.WARNING,
                            text,
                            "turn swap off. tmpfs has noswap from Linux " + KernelVersion.NOSWAP
                                    + ", and MemorySwapMax= needs control groups of version 2 and a DataNode that systemd starts"));
        }
    }

    private static boolean hasFiles(Path directory) {
        try (var files = Files.list(directory)) {
            return files.findAny().isPresent();
        } catch (IOException notThere) {
            return false;
        }
    }
}
