package io.terrace.host;

import io.terrace.host.HostStep.Command;
import io.terrace.host.HostStep.Directory;
import io.terrace.host.HostStep.Link;
import io.terrace.host.HostStep.WriteFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The steps that a host still needs. Files come first, then what systemd is told, then directories. Nothing restarts the
 * DataNode.
 */
final class HostPlan {

    /** Of the drop-in, where tmpfs has no {@code noswap}: the tier's pages belong to the DataNode's control group. */
    static final String NO_SWAP = "MemorySwapMax=0";

    static final String MEMLOCK = "LimitMEMLOCK=infinity";

    /** For DataNodes that systemd does not start. */
    static final String LIMITS = "/etc/security/limits.d/terrace.conf";

    private static final String TMPFILES = "/etc/tmpfiles.d/terrace.conf";
    static final String UNITS = "/etc/systemd/system/";
    /** How each file begins. */
    static final String WRITTEN_BY = "# Written by terrace-host prepare, which replaces it.\n";

    private static final int CHANNEL_MODE = 0755;

    private final DataNodeHost host;
    private final List<HostStep> steps = new ArrayList<>();
    private final String mountUnit;

    private HostPlan(DataNodeHost host) {
        this.host = host;
        this.mountUnit = UnitName.ofMount(host.settings().memoryDir());
    }

    static List<HostStep> of(DataNodeHost host) {
        HostPlan plan = new HostPlan(host);
        plan.files();
        plan.steps.removeIf(step -> step.isDone(host.files()));
        boolean unitsChange = plan.steps.stream().anyMatch(step -> step.words().contains(UNITS));
        if (unitsChange && host.facts().systemd()) {
            plan.steps.add(Command.of("systemctl", "daemon-reload"));
        }
        plan.mount();
        plan.channel();
        return plan.steps;
    }

    private void files() {
        if (!host.mountedByAdministrator()) {
            mountUnit();
        }
        dataNodeUnit();
        limits();
        bootFiles();
    }

    /** The files that this host needs and somebody else wrote under the same name. */
    static List<String> inTheWay(DataNodeHost host) {
        HostPlan plan = new HostPlan(host);
        plan.files();
        List<String> paths = new ArrayList<>();
        for (HostStep step : plan.steps) {
            if (step instanceof WriteFile file && isNotOurs(host.files(), file.path())) {
                paths.add(file.path());
            }
        }
        return paths;
    }

    /** Whether there is such a file, even a link to nowhere, and {@code prepare} did not write it. */
    static boolean isNotOurs(HostFiles files, String path) {
        return isThere(files, path) && !files.text(path).startsWith(WRITTEN_BY);
    }

    static boolean isThere(HostFiles files, String path) {
        return Files.exists(files.at(path), LinkOption.NOFOLLOW_LINKS);
    }

    /** The files that a plan for this host may have written. */
    static List<String> written(DataNodeHost host) {
        List<String> paths = new ArrayList<>(List.of(host.mountUnitFile(), LIMITS, TMPFILES));
        if (host.unit() != null) {
            paths.add(host.unit().dropIn());
        }
        return paths;
    }

    /** The link by which systemd mounts the tier at each boot. */
    static String linked(DataNodeHost host) {
        return UNITS + "multi-user.target.wants/"
                + UnitName.ofMount(host.settings().memoryDir());
    }

    private void mountUnit() {
        Path directory = host.settings().memoryDir();
        DataNodeUnit unit = host.unit();
        steps.add(new WriteFile(
                UNITS + mountUnit,
                WRITTEN_BY + "[Unit]\nDescription=Memory tier of Terrace\n"
                        + (unit == null ? "" : "Before=" + unit.name() + "\n")
                        + "\n[Mount]\nWhat=" + MemoryMount.SOURCE + "\nWhere=" + escaped(directory)
                        + "\nType=tmpfs\nOptions=" + host.wanted().options()
                        + "\n\n[Install]\nWantedBy=multi-user.target\n"));
        steps.add(new Link(UNITS + "multi-user.target.wants/" + mountUnit, UNITS + mountUnit));
    }

    /** Wants, not Requires: without the mount the DataNode has to run, as stock. */
    private void dataNodeUnit() {
        DataNodeUnit unit = host.unit();
        if (unit == null) {
            return;
        }
        String service = (host.needsSwapLimit() ? NO_SWAP + "\n" : "") + (host.wantsRdma() ? MEMLOCK + "\n" : "");
        steps.add(new WriteFile(
                unit.dropIn(),
                WRITTEN_BY + "[Unit]\nWants=" + mountUnit + "\nAfter=" + mountUnit + "\n"
                        + (service.isEmpty() ? "" : "\n[Service]\n" + service)));
    }

    private void limits() {
        if (host.unit() == null && host.wantsRdma()) {
            steps.add(new WriteFile(LIMITS, WRITTEN_BY + host.owner().name() + " - memlock unlimited\n"));
        }
    }

    /** Directories below /run are gone after each boot. */
    private void bootFiles() {
        Path channel = host.settings().channelDir();
        if (channel != null && (channel.startsWith("/run") || channel.startsWith("/var/run"))) {
            steps.add(new WriteFile(
                    TMPFILES,
                    WRITTEN_BY + "d "
                            + (channel.toString().contains(" ") ? "\"" + escaped(channel) + "\"" : escaped(channel))
                            + " " + Integer.toOctalString(CHANNEL_MODE) + " "
                            + host.owner().uid() + " " + host.owner().gid() + "\n"));
        }
    }

    /** systemd has its own meaning for what follows a percent sign. */
    private static String escaped(Path path) {
        return path.toString().replace("%", "%%");
    }

    private void mount() {
        Path directory = host.settings().memoryDir();
        MountEntry mount = host.mounted();
        if (mount == null) {
            add(new Directory(directory, 0755, null));
            if (host.inFstab()) {
                steps.add(Command.of("mount", directory.toString()));
            } else if (host.facts().systemd()) {
                steps.add(Command.of("systemctl", "start", mountUnit));
            } else {
                steps.add(Command.of(
                        "mount",
                        "-t",
                        "tmpfs",
                        "-o",
                        host.wanted().options(),
                        MemoryMount.SOURCE,
                        directory.toString()));
            }
            if (host.mountedByAdministrator()) {
                // What was mounted has the owner and the mode of its line, not those of the directory below.
                steps.add(new Directory(directory, MemoryMount.MODE, host.owner()));
            }
            return;
        }
        List<String> options = host.wanted().toRemount(mount, host.facts().memoryBytes());
        if (!options.isEmpty()) {
            steps.add(Command.of("mount", "-o", "remount," + String.join(",", options), directory.toString()));
        }
        add(new Directory(directory, MemoryMount.MODE, host.owner()));
    }

    private void channel() {
        Path channel = host.settings().channelDir();
        if (channel != null) {
            add(new Directory(channel, CHANNEL_MODE, host.owner()));
        }
    }

    private void add(HostStep step) {
        if (!step.isDone(host.files())) {
            steps.add(step);
        }
    }
}
