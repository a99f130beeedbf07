package io.terrace.host;

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

    /** The mount on the memory tier's directory itself; null where there is none. */
    @Nullable
    MountEntry mounted() {
        return MountEntry.holding(facts.mounts(), settings.memoryDir())
                .filter(mount -> mount.directory().equals(settings.memoryDir()))
                .orElse(null);
    }

    /** Whether the administrator has a line for it in {@code /etc/fstab}, which we leave to him. */
    boolean inFstab() {
        return facts.fstab().stream().anyMatch(mount -> mount.directory().equals(settings.memoryDir()));
    }

    boolean wantsRdma() {
        return settings.verbsPort() > 0;
    }

    /** Whether only a limit of the DataNode's service can keep the tier's pages from being swapped. */
    boolean needsSwapLimit() {
        return !facts.canMountWithoutSwap() && facts.cgroup() == 2 && unit != null;
    }
}
