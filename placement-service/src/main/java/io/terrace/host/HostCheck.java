package io.terrace.host;

import io.terrace.common.GuardedDirectory;
import io.terrace.conf.Setting;
import io.terrace.placement.heartbeat.HealthFinding.Severity;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What a host lacks for its DataNode, the worst first. */
final class HostCheck {

    private HostCheck() {}

    static List<HostFinding> run(DataNodeHost host) {
        List<HostFinding> found = new ArrayList<>();
        MemoryCheck.run(host, found);
        LimitsCheck.run(host, found);
        ChannelCheck.run(host, found);
        PortCheck.run(host, found);
        for (String path : HostPlan.inTheWay(host)) {
            found.add(HostFinding.first(
                    "file-of-others",
                    Severity.WARNING,
                    path + " has the name of a file that terrace-host prepare writes, and it did not write this one",
                    "move what it says to a file of another name, and delete it"));
        }
        found.sort(Comparator.comparing(HostFinding::severity).reversed());
        return found;
    }

    /**
     * Whether somebody else could put another directory in the place of one: by the rule of {@link GuardedDirectory}, which
     * clients and DataNodes apply, for the user that the DataNode is to have.
     *
     * @param consequence of such a directory above
     * @param setting that names the directory
     */
    static void above(
            DataNodeHost host,
            Path directory,
            String id,
            String consequence,
            Setting<Path> setting,
            List<HostFinding> found) {
        for (Path above = host.files().real(directory).getParent(); above != null; above = above.getParent()) {
            FileOwner whose = FileOwner.of(host.files().at(above));
            if (whose == null) {
                continue;
            }
            if (GuardedDirectory.othersWrite(whose.mode(), true)) {
                found.add(HostFinding.first(
                        id,
                        Severity.ERROR,
                        "others can write to " + above + ", above " + directory + ", so " + consequence,
                        "chmod go-w " + above + ", or name another directory in " + setting.key()));
            } else if (GuardedDirectory.belongsToOthers(
                    whose.uid(), host.owner().uid())) {
                found.add(HostFinding.first(
                        id,
                        Severity.ERROR,
                        above + ", above " + directory + ", belongs to user id " + whose.uid() + ", neither root nor "
                                + host.owner().name() + ", so " + consequence,
                        "chown root " + above + ", or name another directory in " + setting.key()));
            }
        }
    }

    static boolean hasProblem(List<HostFinding> found) {
        return found.stream().anyMatch(finding -> finding.severity() == Severity.ERROR);
    }
}
