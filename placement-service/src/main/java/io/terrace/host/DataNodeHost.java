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

    /** The administrator's line for it in {@code /etc/fstab}, which terrace-host does not change; null where there is none. */
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
     * The administrator's own mount unit for the directory, which terrace-host does not change; null if there is none, or if
     * systemd uses ours. systemd prescribes the unit's name, so both have the same; of files with one name it uses the first.
     */
    @Nullable
    String ownUnit() {
        return Stream.of(
                        HostPlan.UNITS,
                        "/run/systemd/system/",
                        "/usr/local/lib/systemd/system/",
                        "/usr/lib/systemd/system/",
                        "/lib/systemd/system/")
                .map(units -> units + UnitName.ofMount(settings.memoryDir()))
                .filter(unit -> HostPlan.isThere(files, unit))
                .findFirst()
                .filter(unit -> HostPlan.isNotOurs(files, unit))
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
