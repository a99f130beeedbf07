package io.terrace.bench.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files of a host that {@code terrace-host} reads, in a directory. Its DataNode runs as the user of this process, and swap is
 * on.
 *
 * @param root the image
 * @param conf the directory with {@code hdfs-site.xml}
 * @param kernel as {@code uname -r} prints it
 * @param cgroup version of the control groups, 1 or 2
 */
record HostImage(Path root, Path conf, String kernel, int cgroup) {
    static final String SERVICE = "hadoop-hdfs-datanode.service";
    static final String MOUNT = "mnt-terrace\\x2dmemory.mount";

    private static final String MEMORY = "/mnt/terrace-memory";
    private static final String ROOT_MOUNT = "/dev/vda / ext4 rw 0 0\n";
    private static final String UNITS = "/etc/systemd/system/";
    private static final Pattern OPTIONS = Pattern.compile("^Options=(.*)$", Pattern.MULTILINE);
    private static final Pattern MEGABYTES = Pattern.compile("size=(\\d+)m");

    static HostImage make(Path dir, String kernel, int cgroup) throws IOException {
        Path root = Files.createDirectories(dir.resolve("root"));
        Path conf = Files.createDirectories(dir.resolve("conf"));
        HostImage image = new HostImage(root, conf, kernel, cgroup);
        String owner = Files.getAttribute(root, "unix:uid") + ":" + Files.getAttribute(root, "unix:gid");
        image.file("/etc/passwd", "hdfs:x:" + owner + "::/:/bin/false\n");
        image.file("/proc/meminfo", "MemTotal:       67108864 kB\nSwapTotal:       1048576 kB\n");
        image.file("/proc/self/mounts", ROOT_MOUNT);
        image.file("/proc/sys/kernel/osrelease", kernel + "\n");
        image.file(
                "/sys/kernel/mm/transparent_hugepage/shmem_enabled", "always within_size advise [never] deny force\n");
        if (cgroup == 2) {
            image.file("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
        } else {
            image.file("/sys/fs/cgroup/memory/memory.use_hierarchy", "1\n");
        }
        boolean redHat = kernel.contains(".el");
        image.file(
                (redHat ? "/usr/lib" : "/lib") + "/systemd/system/" + SERVICE,
                "[Unit]\nDescription=DataNode\n[Service]\nExecStart=/bin/true\n");
        Files.writeString(
                conf.resolve("hdfs-site.xml"),
                """
                <configuration>
                <property><name>terrace.datanode.memory.dir</name><value>%s</value></property>
                <property><name>terrace.datanode.memory.capacity</name><value>4g</value></property>
                <property><name>terrace.channel.dir</name><value>/var/lib/terrace/channel</value></property>
                </configuration>
                """
                        .formatted(MEMORY));
        return image;
    }

    void file(String path, String text) throws IOException {
        Path file = root.resolve(path.substring(1));
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.writeString(file, text);
    }

    /** The directory where the memory tier is to be mounted. */
    Path memory() {
        return root.resolve(MEMORY.substring(1));
    }

    String mountUnit() throws IOException {
        return Files.readString(root.resolve((UNITS + MOUNT).substring(1)));
    }

    /** What was added to the DataNode's service. */
    String dropIn() throws IOException {
        return Files.readString(root.resolve((UNITS + SERVICE + ".d/terrace.conf").substring(1)));
    }

    /** Where systemd finds the image's units, before those of this host. */
    String unitPath() {
        return root.resolve("etc/systemd/system") + ":" + root.resolve("usr/lib/systemd/system") + ":"
                + root.resolve("lib/systemd/system") + ":";
    }

    /** As after a boot: what the mount unit says is mounted, in the words of the kernel. */
    void boot() throws IOException {
        Matcher options = OPTIONS.matcher(mountUnit());
        if (!options.find()) {
            throw new IOException(MOUNT + " has no Options=");
        }
        Matcher size = MEGABYTES.matcher(options.group(1));
        String shown = size.replaceAll(found -> "size=" + Long.parseLong(found.group(1)) * 1024 + "k");
        mount("tmpfs", "rw,relatime," + shown);
        Files.createDirectories(memory());
        Files.setAttribute(memory(), "unix:mode", 0711);
    }

    void mount(String type, String options) throws IOException {
        file("/proc/self/mounts", ROOT_MOUNT + "terrace " + MEMORY + " " + type + " " + options + " 0 0\n");
    }

    /** All its files and their contents, to see whether something changed. */
    List<String> contents() throws IOException {
        List<String> contents = new ArrayList<>();
        try (var files = Files.walk(root)) {
            for (Path file : files.sorted().toList()) {
                String text = Files.isSymbolicLink(file)
                        ? Files.readSymbolicLink(file).toString()
                        : Files.isRegularFile(file) ? Files.readString(file) : "";
                contents.add(root.relativize(file) + " " + Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS)
                        + " " + text);
            }
        }
        return contents;
    }
}
