package io.terrace.host;

import io.terrace.conf.TerraceSettings;
import io.terrace.host.HostStep.Command;
import io.terrace.host.HostStep.Delete;
import io.terrace.placementctl.client.SiteConfiguration;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Printer;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code terrace-host remove}: only names that Terrace gives are deleted, so that what else is there stays. */
@picocli.CommandLine.Command(
        name = "remove",
        mixinStandardHelpOptions = true,
        description = {
            "Lists what a DataNode with Terrace and 'prepare' left on this host, and deletes it: copies in memory, sockets,"
                    + " hard links on the volumes, mount and limits.",
            "--conf names the configuration that Terrace had; its DataNode must be stock again, or be stopped."
        })
final class RemoveCommand implements Callable<Integer> {

    /** A file in the memory tier's directory that a DataNode locks. */
    static final String LOCK = "in_use.lock";

    private static final List<String> IN_MEMORY =
            List.of("extents", "leftovers", "drafts", "checksums", "links", "slots", LOCK);
    private static final List<String> ON_VOLUME = List.of("extents", "links");

    @Mixin
    HostOptions options;

    @Option(names = "--dry-run", description = "Print what would be done, and do nothing.")
    boolean dryRun;

    @Spec
    CommandSpec spec;

    private final List<HostStep> steps = new ArrayList<>();
    private final List<String> left = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        DataNodeHost host = options.host();
        PrintWriter err = spec.commandLine().getErr();
        HostFiles files = host.files();
        if (isUsed(files.at(host.settings().memoryDir()).resolve(LOCK))) {
            err.println("terrace-host: a DataNode uses " + host.settings().memoryDir()
                    + ": restart it without terrace.datanode.memory.dir first");
            return ExitCode.REFUSED;
        }
        plan(host, SiteConfiguration.read(options.conf));
        int code = PrepareCommand.carryOut(host, steps, dryRun, spec);
        Printer printer = new Printer(spec);
        left.forEach(path -> printer.line("left as it is: " + path));
        return code;
    }

    private void plan(DataNodeHost host, Configuration conf) throws IOException {
        HostFiles files = host.files();
        for (String volume : conf.getTrimmedStrings(
                DFSConfigKeys.DFS_DATANODE_DATA_DIR_KEY, "file://" + conf.get("hadoop.tmp.dir") + "/dfs/data")) {
            // As [NVDIMM]file:///data/nvm or /data/disk; Hadoop takes blanks too.
            URI uri = new org.apache.hadoop.fs.Path(volume.replaceFirst("^\\[.*]", "")).toUri();
            if (uri.getScheme() == null || uri.getScheme().equals("file")) {
                ours(files, Path.of(uri.getPath()).resolve("terrace"), ON_VOLUME, true);
            }
        }
        for (String directory : conf.getTrimmedStrings(TerraceSettings.DATANODE_NVM_LOCAL_DIR.key())) {
            ours(files, Path.of(directory), List.of("links"), false);
        }
        sockets(files, host.settings().channelDir());
        boolean others = ours(files, host.settings().memoryDir(), IN_MEMORY, false);
        prepared(host, mayUnmount(host, others));
    }

    /**
     * Plans to delete what has these names in a directory.
     *
     * @param whole whether the directory is ours and goes too, unless it has something else
     * @return whether it has something else
     */
    private boolean ours(HostFiles files, Path directory, List<String> names, boolean whole) throws IOException {
        boolean others = false;
        for (Path entry : entries(files.at(directory))) {
            String path = directory.resolve(entry.getFileName()).toString();
            if (names.contains(entry.getFileName().toString())) {
                steps.add(new Delete(path));
            } else {
                left.add(path);
                others = true;
            }
        }
        if (whole && !others && Files.isDirectory(files.at(directory), LinkOption.NOFOLLOW_LINKS)) {
            steps.add(new Delete(directory.toString()));
        }
        return others;
    }

    private static List<Path> entries(Path directory) throws IOException {
        List<Path> entries = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            stream.forEach(entries::add);
        } catch (NoSuchFileException | NotDirectoryException nothing) {
            return List.of();
        }
        entries.sort(null);
        return entries;
    }

    /** Sockets that nobody listens at. */
    private void sockets(HostFiles files, @Nullable Path channel) throws IOException {
        if (channel == null) {
            return;
        }
        for (Path entry : entries(files.at(channel))) {
            String path = channel.resolve(entry.getFileName()).toString();
            if (entry.toString().endsWith(".sock") && !listens(entry)) {
                steps.add(new Delete(path));
            } else {
                left.add(path);
            }
        }
    }

    private static boolean listens(Path socket) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return channel.connect(UnixDomainSocketAddress.of(socket));
        } catch (IOException refused) {
            return false;
        }
    }

    /** Whether the memory directory has a mount of ours. One of others stays, and so does one whose files others would lose. */
    private boolean mayUnmount(DataNodeHost host, boolean others) {
        MountEntry mount = host.mounted();
        if (mount == null) {
            return false;
        }
        String found = "the mount of " + mount.type() + " " + mount.source() + " on " + mount.directory();
        if (!MemoryMount.isOurs(mount)) {
            left.add(found);
        } else if (others) {
            left.add(found + ", for it has files of others");
        }
        return MemoryMount.isOurs(mount) && !others;
    }

    /** What {@code prepare} did. */
    private void prepared(DataNodeHost host, boolean unmounts) {
        HostFiles files = host.files();
        boolean wrote = false;
        boolean stopped = false;
        String ownUnit = host.ownUnit();
        for (String path : HostPlan.written(host)) {
            if (files.text(path).startsWith(HostPlan.WRITTEN_BY)) {
                if (path.endsWith(".mount") && unmounts && host.facts().systemd()) {
                    steps.add(Command.of(
                            "systemctl",
                            "stop",
                            UnitName.ofMount(host.settings().memoryDir())));
                    stopped = true;
                }
                steps.add(new Delete(path));
                wrote = true;
            }
        }
        if (ownUnit == null && Files.isSymbolicLink(files.at(HostPlan.linked(host)))) {
            steps.add(new Delete(HostPlan.linked(host)));
            wrote = true;
        }
        if (wrote && host.facts().systemd()) {
            steps.add(Command.of("systemctl", "daemon-reload"));
        }
        if (host.inFstab()) {
            left.add("the line of /etc/fstab for " + host.settings().memoryDir());
        } else if (ownUnit != null) {
            left.add(ownUnit);
        } else if (unmounts && !stopped) {
            // The unit may have gone before, while files of others kept the mount.
            steps.add(Command.of("umount", host.settings().memoryDir().toString()));
        }
    }

    /** A DataNode holds the lock as long as it runs. */
    private static boolean isUsed(Path lockFile) throws IOException {
        try (FileChannel channel = FileChannel.open(lockFile, StandardOpenOption.WRITE);
                FileLock lock = channel.tryLock()) {
            return lock == null;
        } catch (OverlappingFileLockException here) {
            return true;
        } catch (NoSuchFileException | NotDirectoryException notThere) {
            return false;
        }
    }
}
