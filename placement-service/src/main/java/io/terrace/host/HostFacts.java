package io.terrace.host;

import java.nio.file.Files;
import java.util.List;
import java.util.Optional;

/**
 * What a host has.
 *
 * @param cgroup version of the control groups: 1, 2, or 0 where there are none
 * @param memoryBytes of the host; 0 where it is not known
 * @param swap whether any is on
 * @param hugePages what {@code shmem_enabled} says for tmpfs without {@code huge=}; empty where the kernel has no huge pages for
 *     tmpfs
 * @param mounts of this process
 * @param systemd whether systemd runs the host
 */
record HostFacts(
        KernelVersion kernel,
        int cgroup,
        long memoryBytes,
        boolean swap,
        String hugePages,
        List<MountEntry> mounts,
        List<MountEntry> fstab,
        boolean systemd) {

    static HostFacts of(HostFiles files) {
        int cgroup = Files.exists(files.at("/sys/fs/cgroup/cgroup.controllers"))
                ? 2
                : Files.exists(files.at("/sys/fs/cgroup/memory")) ? 1 : 0;
        return new HostFacts(
                KernelVersion.of(files.text("/proc/sys/kernel/osrelease")),
                cgroup,
                kilobytes(files, "MemTotal:"),
                kilobytes(files, "SwapTotal:") > 0,
                chosen(files.text("/sys/kernel/mm/transparent_hugepage/shmem_enabled")),
                MountEntry.parse(files.lines("/proc/self/mounts")),
                MountEntry.parse(files.lines("/etc/fstab")),
                Files.isDirectory(files.at("/run/systemd/system")));
    }

    boolean canMountWithoutSwap() {
        return kernel.compareTo(KernelVersion.NOSWAP) >= 0;
    }

    private static long kilobytes(HostFiles files, String name) {
        Optional<String> line = files.after("/proc/meminfo", name);
        return line.map(text -> number(text.split("\\s+")[0]) * 1024).orElse(0L);
    }

    /** The word in brackets. */
    private static String chosen(String words) {
        int begin = words.indexOf('[');
        int end = words.indexOf(']');
        return begin >= 0 && end > begin ? words.substring(begin + 1, end) : "";
    }

    /** 0 for what is no number, such as {@code max}. */
    static long number(String text) {
        try {
            return Math.max(0, Long.parseLong(text.strip()));
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
