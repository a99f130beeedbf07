package io.terrace.host;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An image of a host with a DataNode, whose user is the one of this test. */
final class HostFixture {

    /** Options of a mount as prepare makes it, as the kernel shows them. */
    static final String GOOD = "rw,size=4400000k,mode=711,noswap,huge=within_size";

    static final String UNIT = "hadoop-hdfs-datanode.service";
    static final String MEMORY = "/mnt/terrace-memory";
    static final String MOUNT_UNIT = "/etc/systemd/system/mnt-terrace\\x2dmemory.mount";
    static final String DROP_IN = "/etc/systemd/system/" + UNIT + ".d/terrace.conf";

    private final Path root;
    private final Path conf;
    private final int uid;
    private final int gid;
    private String properties = "";

    HostFixture(Path dir) throws IOException {
        root = Files.createDirectory(dir.resolve("root"));
        conf = Files.createDirectory(dir.resolve("conf"));
        uid = (Integer) Files.getAttribute(root, "unix:uid");
        gid = (Integer) Files.getAttribute(root, "unix:gid");
        file("/etc/passwd", "daemon:x:99999:1::/:/bin/false\nhdfs:x:" + uid + ":" + gid + "::/:/bin/false\n");
        file("/proc/meminfo", "MemTotal:       67108864 kB\nSwapTotal:             0 kB\n");
        file("/proc/self/mounts", "/dev/vda / ext4 rw 0 0\n");
        kernel("6.8.0-45-generic").cgroup(2);
        property("terrace.datanode.memory.dir", MEMORY);
        property("terrace.datanode.memory.capacity", "4g");
        property("terrace.channel.dir", "/var/lib/terrace/channel");
    }

    int uid() {
        return uid;
    }

    HostFixture file(String path, String text) throws IOException {
        Path file = root.resolve(path.substring(1));
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        return this;
    }

    HostFixture kernel(String release) throws IOException {
        return file("/proc/sys/kernel/osrelease", release + "\n")
                .file("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "always within_size [never] deny\n");
    }

    HostFixture cgroup(int version) throws IOException {
        Files.deleteIfExists(root.resolve("sys/fs/cgroup/cgroup.controllers"));
        Files.createDirectories(root.resolve("sys/fs/cgroup/memory"));
        return version == 2 ? file("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n") : this;
    }

    HostFixture swap() throws IOException {
        return file("/proc/meminfo", "MemTotal:       67108864 kB\nSwapTotal:       1048576 kB\n");
    }

    HostFixture unit() throws IOException {
        return file("/usr/lib/systemd/system/" + UNIT, "[Service]\nExecStart=/usr/bin/hdfs datanode\n");
    }

    HostFixture mounted(String type, String options) throws IOException {
        directory(MEMORY, 0711);
        return file(
                "/proc/self/mounts",
                "/dev/vda / ext4 rw 0 0\nterrace " + MEMORY + " " + type + " " + options + " 0 0\n");
    }

    HostFixture fstab(String type, String options) throws IOException {
        return file("/etc/fstab", "# local\ntmpfs " + MEMORY + " " + type + " " + options + " 0 0\n");
    }

    HostFixture directory(String path, int mode) throws IOException {
        Path directory = Files.createDirectories(root.resolve(path.substring(1)));
        Files.setAttribute(directory, "unix:mode", mode);
        return this;
    }

    HostFixture property(String key, String value) throws IOException {
        properties += "<property><name>" + key + "</name><value>" + value + "</value></property>\n";
        Files.writeString(conf.resolve("hdfs-site.xml"), "<configuration>\n" + properties + "</configuration>\n");
        return this;
    }

    String text(String path) {
        return new HostFiles(root).text(path);
    }

    /** @param code how it must exit; what it printed is returned, errors too */
    String run(int code, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--root", root.toString(), "--conf", conf.toString()));
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        int exit = TerraceHost.run(out, out, all.toArray(String[]::new));
        if (exit != code) {
            throw new AssertionError("exit code " + exit + " instead of " + code + ": " + said);
        }
        return said.toString();
    }
}
