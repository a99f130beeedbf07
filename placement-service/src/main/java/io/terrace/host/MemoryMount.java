package io.terrace.host;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;

/**
 * The tmpfs that the memory tier should have.
 *
 * @param sizeBytes a little more than the tier's capacity, for the table of slots and the last page of each copy
 * @param noswap whether the kernel knows {@code noswap}
 * @param huge whether tmpfs can have huge pages
 */
record MemoryMount(Path directory, long sizeBytes, UserAccount owner, boolean noswap, boolean huge) {

    /** What the mounts that {@code prepare} makes or proposes are of. */
    static final String SOURCE = "terrace";

    static final String HUGE = "within_size";

    /** Clients pass through the directory, and nobody but the DataNode writes to it. */
    static final int MODE = 0711;

    private static final int OCTAL = 8;
    private static final long MEGABYTE = 1L << 20;

    static MemoryMount of(HostSettings settings, HostFacts facts, UserAccount owner) {
        long more = settings.capacityBytes() / 100 + 64 * MEGABYTE;
        long megabytes = (settings.capacityBytes() + more + MEGABYTE - 1) / MEGABYTE;
        return new MemoryMount(
                settings.memoryDir(),
                megabytes * MEGABYTE,
                owner,
                facts.canMountWithoutSwap(),
                !facts.hugePages().isEmpty());
    }

    /** For {@code mount -o}. */
    String options() {
        List<String> options = new ArrayList<>();
        options.add("size=" + sizeBytes / MEGABYTE + "m");
        options.add("mode=0" + Integer.toOctalString(MODE));
        options.add("uid=" + owner.uid());
        options.add("gid=" + owner.gid());
        if (noswap) {
            options.add("noswap");
        }
        if (huge) {
            options.add("huge=" + HUGE);
        }
        return String.join(",", options);
    }

    /** The line of {@code /etc/fstab} for it. */
    String fstabLine() {
        return SOURCE + " " + MountEntry.escaped(directory) + " tmpfs " + options() + " 0 0";
    }

    /** Whether a line of {@code /etc/fstab} makes a tmpfs of at least so many bytes that is the DataNode's alone. */
    boolean isMadeBy(MountEntry line, long leastBytes, long memoryBytes) {
        String uid = line.value("uid");
        String mode = line.value("mode");
        return line.type().equals("tmpfs")
                && (owner.name().equals(uid) || Integer.toString(owner.uid()).equals(uid))
                && mode != null
                && mode.matches("[0-7]{3,4}")
                && !FileOwner.othersWrite(Integer.parseInt(mode, OCTAL))
                && sizeBytes(line, memoryBytes) >= leastBytes;
    }

    /** Whether {@code prepare} made a mount, or its line of {@code /etc/fstab} did. */
    static boolean isOurs(MountEntry mount) {
        return mount.type().equals("tmpfs") && mount.source().equals(SOURCE);
    }

    /** Those of a mount that is there which are to be others, and can be changed while it is used. */
    List<String> toRemount(MountEntry mount, long memoryBytes) {
        List<String> options = new ArrayList<>();
        if (mount.has("ro")) {
            options.add("rw");
        }
        if (sizeBytes(mount, memoryBytes) < sizeBytes) {
            options.add("size=" + sizeBytes / MEGABYTE + "m");
        }
        if (huge && mount.value("huge") == null) {
            options.add("huge=" + HUGE);
        }
        return options;
    }

    /** The size of a tmpfs; half of the host's memory where none was given, as the kernel has it. */
    static long sizeBytes(MountEntry mount, long memoryBytes) {
        String size = mount.value("size");
        if (size == null) {
            return memoryBytes / 2;
        }
        if (size.matches("\\d{1,4}%")) {
            return memoryBytes / 100 * Integer.parseInt(size.substring(0, size.length() - 1));
        }
        try {
            return TraditionalBinaryPrefix.string2long(size.toLowerCase(Locale.ROOT));
        } catch (IllegalArgumentException unknown) {
            return memoryBytes / 2;
        }
    }
}
