package io.terrace.datanode.heartbeat;

import io.terrace.common.Quantity;
import io.terrace.conf.TerraceSettings;
import io.terrace.protocol.proto.DataNodeProtos.ConditionProto;
import io.terrace.protocol.proto.DataNodeProtos.ConditionProto.Severity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * What about this host an operator should know: whether the memory that was promised to the tier is there, stays there,
 * and is nobody else's too. Reads a few files below {@code /proc} and {@code /sys}; one that is not there is not talked
 * about.
 */
public final class HostDiagnostics {

    /**
     * What the DataNode's configuration says.
     *
     * @param capacityBytes the tier's capacity, as it is now
     * @param memoryDirectory of the tier, without symbolic links
     * @param memoryFileSystem the kind of file system of the memory directory
     * @param memoryFileSystemBytes its size
     * @param lockedMemoryBytes dfs.datanode.max.locked.memory
     * @param ramDiskVolumes RAM_DISK volumes, which LAZY_PERSIST writes to
     * @param grants whether clients can be granted anything: the channel directory is set
     * @param rdmaProblem why there is no RDMA although it is wanted; empty when there is, or it is not
     * @param nvmProblem why clients of this host do not read NVM although they should; empty when they do, or should not
     * @param duplicatesStay dfs.datanode.duplicate.replica.deletion is false
     */
    public record Facts(
            long capacityBytes,
            Path memoryDirectory,
            String memoryFileSystem,
            long memoryFileSystemBytes,
            long lockedMemoryBytes,
            int ramDiskVolumes,
            boolean grants,
            Supplier<String> rdmaProblem,
            Supplier<String> nvmProblem,
            boolean duplicatesStay) {

        /** The same where the tier was resized. */
        public Facts withCapacity(long bytes) {
            return new Facts(
                    bytes,
                    memoryDirectory,
                    memoryFileSystem,
                    memoryFileSystemBytes,
                    lockedMemoryBytes,
                    ramDiskVolumes,
                    grants,
                    rdmaProblem,
                    nvmProblem,
                    duplicatesStay);
        }
    }

    /** Such as {@code 5:memory:/system.slice/datanode.service}; another controller may share the hierarchy. */
    private static final Pattern MEMORY_CONTROLLER = Pattern.compile("\\d+:(?:[^:]*,)?memory(?:,[^:]*)?:/(.*)");

    /** Version 1 says "no limit" as a number of pages near 2^63. */
    private static final long NO_LIMIT = Long.MAX_VALUE / 2;

    private final Path root;

    /** Looks at the files below this root, which is {@code /} but for tests. */
    public HostDiagnostics(Path root) {
        this.root = root;
    }

    /** What stands out now. */
    public List<ConditionProto> look(Facts facts) {
        List<ConditionProto> found = new ArrayList<>();
        aboutMemory(facts, found);
        aboutSharing(facts, found);
        if (!facts.grants()) {
            found.add(condition(
                    "channel-off",
                    Severity.WARNING,
                    "Clients of this host get no grants; only stock readers are served from memory",
                    "set " + TerraceSettings.CHANNEL_DIR.key() + " for DataNodes and clients"));
        }
        if (facts.duplicatesStay()) {
            found.add(condition(
                    "duplicates-stay",
                    Severity.WARNING,
                    "dfs.datanode.duplicate.replica.deletion is false: no replica is moved between volumes, as two copies"
                            + " would stay after a crash",
                    "leave it at true"));
        }
        String rdmaProblem = facts.rdmaProblem().get();
        if (!rdmaProblem.isEmpty()) {
            found.add(condition(
                    "rdma-unavailable",
                    Severity.WARNING,
                    "RDMA is wanted and there is none, tcp serves: " + rdmaProblem,
                    "docs/rdma.md says what is needed; " + TerraceSettings.CHANNEL_VERBS_PORT_OFFSET.key()
                            + " = 0 asks for none"));
        }
        String nvmProblem = facts.nvmProblem().get();
        if (!nvmProblem.isEmpty()) {
            found.add(condition(
                    "nvm-local-unavailable",
                    Severity.WARNING,
                    "Clients of this host read NVM through stock HDFS: " + nvmProblem,
                    "repair what " + TerraceSettings.DATANODE_NVM_LOCAL_DIR.key() + " names, or take the key away"));
        }
        return found;
    }

    private void aboutMemory(Facts facts, List<ConditionProto> found) {
        if (!facts.memoryFileSystem().equals("tmpfs")
                && !facts.memoryFileSystem().equals("ramfs")) {
            found.add(condition(
                    "memory-not-tmpfs",
                    Severity.WARNING,
                    "The memory tier is on " + facts.memoryFileSystem() + ", which is not memory",
                    "mount a tmpfs and name it in " + TerraceSettings.DATANODE_MEMORY_DIR.key()));
        } else if (facts.memoryFileSystemBytes() > 0 && facts.memoryFileSystemBytes() < facts.capacityBytes()) {
            found.add(condition(
                    "memory-tmpfs-small",
                    Severity.ERROR,
                    "The tmpfs has " + Quantity.bytes(facts.memoryFileSystemBytes()) + ", the tier's capacity is "
                            + Quantity.bytes(facts.capacityBytes()),
                    "mount it with a larger size=, or lower " + TerraceSettings.DATANODE_MEMORY_CAPACITY.key()
                            + " (placementctl resize, until a restart)"));
        }
        long memoryBytes = kilobytes("proc/meminfo", "MemTotal:");
        if (memoryBytes > 0 && facts.capacityBytes() > memoryBytes) {
            found.add(condition(
                    "memory-too-little",
                    Severity.ERROR,
                    "The host has " + Quantity.bytes(memoryBytes) + " of memory, the tier's capacity is "
                            + Quantity.bytes(facts.capacityBytes()),
                    "lower " + TerraceSettings.DATANODE_MEMORY_CAPACITY.key()
                            + " (placementctl resize, until a restart)"));
        }
        long cgroupBytes = cgroupLimitBytes();
        if (cgroupBytes > 0 && cgroupBytes < facts.capacityBytes()) {
            found.add(condition(
                    "memory-cgroup-small",
                    Severity.ERROR,
                    "The DataNode's control group may use " + Quantity.bytes(cgroupBytes)
                            + "; tmpfs pages are charged to it, and the tier's capacity is "
                            + Quantity.bytes(facts.capacityBytes()),
                    "raise MemoryMax= of the service (MemoryLimit= with control groups of version 1) by the tier's"
                            + " capacity"));
        }
        if (kilobytes("proc/meminfo", "SwapTotal:") > 0 && !neverSwapped(facts.memoryDirectory())) {
            found.add(condition(
                    "memory-swap",
                    Severity.WARNING,
                    "Swap is on, so copies in memory may be written to disk",
                    "turn swap off, mount the tmpfs with noswap where the kernel has it, or set MemorySwapMax=0 for the DataNode's"
                            + " service; terrace-host check says which"));
        }
        long memlockBytes = memlockBytes();
        if (memlockBytes >= 0 && memlockBytes < facts.capacityBytes()) {
            found.add(condition(
                    "memory-memlock",
                    Severity.NOTE,
                    "The DataNode may lock " + memlockBytes + " bytes; registering extents for RDMA needs "
                            + facts.capacityBytes(),
                    "raise LimitMEMLOCK= of the service before RDMA is used"));
        }
    }

    private static void aboutSharing(Facts facts, List<ConditionProto> found) {
        if (facts.ramDiskVolumes() > 0) {
            found.add(condition(
                    "memory-lazy-persist",
                    Severity.WARNING,
                    "RAM_DISK volumes for LAZY_PERSIST use memory beside the tier",
                    "let the two capacities add up to what the host can spare"));
        }
        if (facts.lockedMemoryBytes() > 0) {
            found.add(condition(
                    "memory-locked",
                    Severity.WARNING,
                    "dfs.datanode.max.locked.memory gives stock's cache " + facts.lockedMemoryBytes()
                            + " bytes beside the tier; cache directives are served by the tier, within that limit",
                    "set it to 0, which leaves directives the tier, unless LAZY_PERSIST needs it"));
        }
    }

    private long kilobytes(String file, String name) {
        String line = line(file, name);
        if (line == null) {
            return -1;
        }
        String[] words = line.substring(name.length()).trim().split("\\s+");
        return number(words[0]) * 1024;
    }

    /** The soft limit in bytes; -1 when it is not known or there is none. */
    private long memlockBytes() {
        String name = "Max locked memory";
        String line = line("proc/self/limits", name);
        return line == null ? -1 : number(line.substring(name.length()).trim().split("\\s+")[0]);
    }

    /** Whether the tier stays in memory although the host swaps: by its mount, or by a control group. */
    private boolean neverSwapped(Path memoryDirectory) {
        String[] mount = read(root.resolve("proc/self/mounts"))
                .lines()
                .map(line -> line.split(" "))
                .filter(words -> words.length > 3 && memoryDirectory.startsWith(words[1].replace("\\040", " ")))
                // The deepest, and of several on one directory the last.
                .reduce((one, next) -> next[1].length() >= one[1].length() ? next : one)
                .orElse(null);
        return (mount != null && List.of(mount[3].split(",")).contains("noswap"))
                || groups(unified()).stream()
                        .anyMatch(group -> text(group, "memory.swap.max").equals("0"))
                || neverSwappedByVersion1();
    }

    /** Version 1 swaps a group by its own swappiness, and not at all where memory and swap together have the limit of memory. */
    private boolean neverSwappedByVersion1() {
        List<Path> groups = groups(memoryController());
        return (!groups.isEmpty() && text(groups.get(0), "memory.swappiness").equals("0"))
                || groups.stream().anyMatch(group -> {
                    String limit = text(group, "memory.limit_in_bytes");
                    long bytes = number(limit);
                    return bytes >= 0 && bytes < NO_LIMIT && limit.equals(text(group, "memory.memsw.limit_in_bytes"));
                });
    }

    /** The least limit of the process's control groups; -1 when there is none. */
    private long cgroupLimitBytes() {
        return LongStream.concat(
                        groups(unified()).stream().mapToLong(group -> number(text(group, "memory.max"))),
                        groups(memoryController()).stream()
                                .mapToLong(group -> number(text(group, "memory.limit_in_bytes"))))
                .filter(limit -> limit >= 0 && limit < NO_LIMIT)
                .min()
                .orElse(-1);
    }

    /** Where a hierarchy of control groups is, and the path of the process's group in it. */
    private record Hierarchy(Path top, String path) {}

    /** That of version 2. */
    private @Nullable Hierarchy unified() {
        String line = line("proc/self/cgroup", "0::/");
        return line == null ? null : new Hierarchy(root.resolve("sys/fs/cgroup"), line.substring("0::/".length()));
    }

    /** That of version 1 for memory. */
    private @Nullable Hierarchy memoryController() {
        return read(root.resolve("proc/self/cgroup"))
                .lines()
                .map(MEMORY_CONTROLLER::matcher)
                .filter(Matcher::matches)
                .findFirst()
                .map(line -> new Hierarchy(root.resolve("sys/fs/cgroup/memory"), line.group(1)))
                .orElse(null);
    }

    /** The process's control group and those above it; in a container only those above are there. */
    private static List<Path> groups(@Nullable Hierarchy hierarchy) {
        List<Path> groups = new ArrayList<>();
        if (hierarchy != null) {
            Path group = hierarchy.top.resolve(hierarchy.path).normalize();
            while (group != null && group.startsWith(hierarchy.top)) {
                if (Files.isDirectory(group)) {
                    groups.add(group);
                }
                group = group.getParent();
            }
        }
        return groups;
    }

    private static String text(Path group, String file) {
        return read(group.resolve(file)).trim();
    }

    private @Nullable String line(String file, String start) {
        return read(root.resolve(file))
                .lines()
                .filter(line -> line.startsWith(start))
                .findFirst()
                .orElse(null);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text.toLowerCase(Locale.ROOT));
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    private static ConditionProto condition(String id, Severity severity, String text, String remedy) {
        return ConditionProto.newBuilder()
                .setId(id)
                .setSeverity(severity)
                .setText(text)
                .setRemedy(remedy)
                .build();
    }
}
