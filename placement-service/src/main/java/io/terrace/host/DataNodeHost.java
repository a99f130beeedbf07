package io.terrace.host;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A host and the DataNode that is to run on it.
 *
 * @param owner the user of the DataNode
 * @param unit its service; null where systemd does not start it
 */
record DataNodeHost(
        HostFiles files, HostFacts facts, HostSettings settings, UserAccount owner, @Nullable DataNodeUnit unit) {

    /** The mount that the memory tier should have. */
    MemoryMount wanted() {
        return MemoryMount.of(settings, facts, owner);
    }

    /** The memory tier's directory without symbolic links, as the kernel names mounts. */
    Path memoryDir() {
        return files.real(settings.memoryDir());
    }

    /** The mount on the memory tier's directory itself; null where there is none. */
    @Nullable
    MountEntry mounted() {
        Path directory = memoryDir();
        return MountEntry.holding(facts.mounts(), directory)
                .filter(mount -> mount.directory().equals(directory))
                .orElse(null);
    }

    /** The administrator's line for it in {@code /etc/fstab}, which we leave to him; null where there is none. */
    @Nullable
    MountEntry fstab() {
        return facts.fstab().stream()
                .filter(mount -> mount.directory().equals(settings.memoryDir()))
                .findFirst()
                .orElse(null);
    }

    boolean inFstab() {
        return fstab() != null;
    }

    /** Our unit that mounts the memory tier. */
    String mountUnitFile() {
        return HostPlan.UNITS + UnitName.ofMount(settings.memoryDir());
    }

    /**
     * The administrator's own unit that mounts the directory, which we leave to him; null where there is none, or ours.
     * systemd forces the name of such a unit, so his is the file that we would write, or one that ours would hide.
     */
    @Nullable
    String ownUnit() {
        return Stream.of(HostPlan.UNITS, "/usr/lib/systemd/system/", "/lib/systemd/system/")
                .map(units -> units + UnitName.ofMount(settings.memoryDir()))
                .filter(unit -> HostPlan.isNotOurs(files, unit))
                .findFirst()
                .orElse(null);
    }

    /** Whether the administrator's line or unit makes the mount, not a unit of ours. */
    boolean mountedByAdministrator() {
        return inFstab() || ownUnit() != null;
    }

    /** Whether nothing mounts the tier at a boot: our unit is systemd's, which does not run here. */
    boolean needsFstab() {
        return files.isLive() && !facts.systemd() && !inFstab();
    }

    boolean wantsRdma() {
        return settings.verbsPort() > 0;
    }

    /** Whether only a limit of the DataNode's service can keep the tier's pages from being swapped. */
    boolean needsSwapLimit() {
        return !facts.canMountWithoutSwap() && facts.cgroup() == 2 && unit != null;
    }
}
