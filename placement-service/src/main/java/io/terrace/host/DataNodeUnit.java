package io.terrace.host;

import java.nio.file.Files;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The DataNode as a service of systemd, and the control group in which it runs. */
record DataNodeUnit(String name) {

    /** How distributions call it. */
    private static final List<String> NAMES =
            List.of("hadoop-hdfs-datanode.service", "hdfs-datanode.service", "hadoop-datanode.service");

    private static final List<String> DIRECTORIES =
            List.of("/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system");

    /** The one that is installed; null where the DataNode is started otherwise. */
    static @Nullable DataNodeUnit installed(HostFiles files) {
        return NAMES.stream()
                .filter(name -> DIRECTORIES.stream().anyMatch(dir -> Files.exists(files.at(dir + "/" + name))))
                .findFirst()
                .map(DataNodeUnit::new)
                .orElse(null);
    }

    /** Where our additions to it stand. */
    String dropIn() {
        return "/etc/systemd/system/" + name + ".d/terrace.conf";
    }

    /** Bytes that the running service may use; 0 where there is no limit, or it does not run. */
    long memoryLimitBytes(HostFiles files, int cgroup) {
        long limit = HostFacts.number(
                files.text(cgroup == 2 ? group() + "/memory.max" : group("memory") + "/memory.limit_in_bytes"));
        // Version 1 says "no limit" as a number of pages near 2^63.
        return limit > Long.MAX_VALUE / 2 ? 0 : limit;
    }

    /** Whether pages of the running service stay in memory although the host swaps. */
    boolean neverSwaps(HostFiles files) {
        return files.text(group() + "/memory.swap.max").strip().equals("0");
    }

    /** Bytes that the running service may lock; null where there is no limit, or it does not run. */
    @Nullable
    Long memlockBytes(HostFiles files) {
        String limit = Stream.of(group(), group("systemd"))
                .flatMap(group -> files.lines(group + "/cgroup.procs").stream())
                .findFirst()
                .flatMap(pid -> files.after("/proc/" + pid.strip() + "/limits", "Max locked memory"))
                .map(line -> line.split("\\s+")[0])
                .orElse("unlimited");
        return Objects.equals(limit, "unlimited") ? null : HostFacts.number(limit);
    }

    private String group() {
        return "/sys/fs/cgroup/system.slice/" + name;
    }

    /** @param controller of version 1 */
    private String group(String controller) {
        return "/sys/fs/cgroup/" + controller + "/system.slice/" + name;
    }
}
