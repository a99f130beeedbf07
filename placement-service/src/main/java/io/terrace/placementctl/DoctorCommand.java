package io.terrace.placementctl;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.compat.HadoopFit;
import io.terrace.placement.heartbeat.HealthFinding;
import io.terrace.placement.heartbeat.HealthFinding.Severity;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.AdminClient.Peer;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.ClusterCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.DoctorRequestProto;
import io.terrace.protocol.proto.AdminProtos.DoctorResponseProto;
import io.terrace.protocol.proto.AdminProtos.FindingProto;
import io.terrace.protocol.proto.AdminProtos.StatusResponseProto;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.VersionInfo;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** {@code placementctl doctor}. */
@Command(
        name = "doctor",
        description = "Looks for what is wrong: this configuration, the services, every DataNode's host.",
        mixinStandardHelpOptions = true)
final class DoctorCommand extends ClusterCommand {

    private static final int MOST_TRIES = 3;

    private static final Set<String> OF_STANDBY = Set.of("policy.file", "journal.off", "journal.lost");

    /** What a service says to one of too many who ask. */
    private static final String ASK_AGAIN = "ask again";

    /** @param where configuration, a service, NameNode, or a DataNode's name */
    private record Located(String where, HealthFinding finding) {

        Located(String where, String id, Severity severity, String text, @Nullable String remedy) {
            this(where, new HealthFinding(id, severity, text, remedy));
        }

        Severity severity() {
            return finding.severity();
        }
    }

    @Override
    public Integer call() throws InterruptedException {
        Configuration conf = cluster().configuration();
        List<Located> found = new ArrayList<>();
        new ConfigurationCheck(conf).run().forEach(finding -> found.add(new Located("configuration", finding)));
        String unsupported = HadoopFit.versionProblem(VersionInfo.getVersion());
        if (unsupported != null) {
            found.add(new Located(
                    "this host",
                    "hadoop.unsupported",
                    Severity.ERROR,
                    unsupported,
                    "use Hadoop 3.5, or 3.4 from 3.4.1 on; with this one daemons run as stock HDFS"));
        }
        boolean active = false;
        boolean forbidden = false;
        try (AdminClient client = cluster().connect(conf)) {
            for (Peer peer : client.peers()) {
                active |= peer.status() != null && peer.status().getActive();
                forbidden |= peer.forbidden();
                service(peer, found);
            }
            String releases = client.peers().stream()
                    .filter(peer -> peer.status() != null)
                    .map(peer -> peer.status().getRelease())
                    .distinct()
                    .sorted()
                    .collect(Collectors.joining(", "));
            if (releases.contains(", ")) {
                found.add(new Located(
                        "services",
                        "releases.mixed",
                        Severity.WARNING,
                        "the NameNodes have several releases of Terrace: " + releases,
                        "go on with the upgrade: put the same jars on all hosts and restart the other NameNode"));
            }
            for (Peer peer : client.peers()) {
                if (peer.status() != null
                        && !peer.status().getActive()
                        && !peer.status().getFailed()) {
                    askStandby(client, peer, found);
                }
            }
            if (active) {
                ask(client, found);
            } else if (!forbidden) {
                found.add(new Located(
                        "services",
                        "none-active",
                        Severity.ERROR,
                        "no placement service is active: nothing is promoted",
                        "if all NameNodes are standby, make one active (hdfs haadmin); if the service of the active one has"
                                + " failed, fail over and restart it; else set dfs.namenode.plugins and restart: the"
                                + " NameNodes' logs say what is wrong"));
            }
        } catch (ParameterException e) {
            if (cluster().namesService()) {
                throw e;
            }
            found.add(new Located(
                    "services",
                    "none-active",
                    Severity.ERROR,
                    "no placement service is known: " + e.getMessage(),
                    "name the cluster's configuration with --conf DIR, or a service with --service HOST:PORT"));
        }
        found.sort(Comparator.comparing(Located::severity).reversed());
        print(found);
        if (!active) {
            return ExitCode.UNREACHABLE;
        }
        return found.stream().anyMatch(located -> located.finding().isProblem()) ? ExitCode.REFUSED : ExitCode.OK;
    }

    private static void service(Peer peer, List<Located> found) {
        StatusResponseProto status = peer.status();
        if (peer.forbidden()) {
            found.add(new Located(
                    peer.name(),
                    "service.refused",
                    Severity.ERROR,
                    "the placement service refuses this user: " + peer.problem(),
                    "run it as a user whom security.terrace.admin.protocol.acl admits"));
        } else if (status == null) {
            found.add(new Located(
                    peer.name(),
                    "service.unreachable",
                    Severity.ERROR,
                    "the placement service does not answer: " + peer.problem(),
                    "check dfs.namenode.plugins and the log of that NameNode, and that the port is open"));
        } else if (status.getFailed()) {
            found.add(new Located(
                    peer.name(),
                    "service.failed",
                    Severity.ERROR,
                    "the placement loop of this NameNode failed too often and stays off: it decides nothing, even if the"
                            + " NameNode is active for HDFS",
                    "save the NameNode's log, in which 'The placement loop broke' says why; fail over to another NameNode, and"
                            + " restart this one"));
        } else if (status.getActive() && !status.getServe()) {
            found.add(new Located(
                    peer.name(), "service.off", Severity.WARNING, "Terrace is switched off", "placementctl on"));
        } else if (status.getActive() && !status.getMoves()) {
            found.add(new Located(
                    peer.name(), "service.paused", Severity.WARNING, "moves are paused", "placementctl resume"));
        }
    }

    private static Located located(String where, FindingProto finding) {
        return new Located(
                where,
                finding.getFinding().getId(),
                Severity.valueOf(finding.getFinding().getSeverity().name()),
                finding.getFinding().getText(),
                finding.getFinding().hasRemedy() ? finding.getFinding().getRemedy() : null);
    }

    /** What would come to light with the failover: a standby knows its own files alone. */
    private static void askStandby(AdminClient client, Peer peer, List<Located> found) {
        try {
            client
                    .of(peer, service -> service.doctor(null, DoctorRequestProto.getDefaultInstance()))
                    .getFindingsList()
                    .stream()
                    .filter(finding -> OF_STANDBY.contains(finding.getFinding().getId()))
                    .forEach(finding -> found.add(located(peer.name(), finding)));
        } catch (Refused e) {
            found.add(refused(peer.name(), e));
        } catch (Unreachable e) {
            String text = "this standby did not say what it finds wrong: " + e.getMessage();
            found.add(
                    e.isBusy() && text.contains(ASK_AGAIN)
                            ? new Located(
                                    peer.name(),
                                    "service.busy",
                                    Severity.NOTE,
                                    text,
                                    "run doctor again in some seconds")
                            : new Located(
                                    peer.name(),
                                    "service.unreachable",
                                    Severity.WARNING,
                                    text,
                                    "run doctor again; if it stays so, see the log of that NameNode"));
        }
    }

    private static void ask(AdminClient client, List<Located> found) throws InterruptedException {
        try {
            for (FindingProto finding : answer(client).getFindingsList()) {
                found.add(located(finding.getWhere(), finding));
            }
        } catch (Refused e) {
            found.add(refused("services", e));
        } catch (Unreachable e) {
            found.add(silent(e));
        }
    }

    private static Located refused(String where, Refused e) {
        return new Located(
                where,
                "service.refused",
                Severity.ERROR,
                "the service does not say what is wrong: " + e.getMessage(),
                "see the log of that NameNode");
    }

    /** Others may ask at the same moment, and a service answers few at a time. */
    private static DoctorResponseProto answer(AdminClient client) throws Refused, Unreachable, InterruptedException {
        for (int tries = 1; ; tries++) {
            try {
                return client.active(service -> service.doctor(null, DoctorRequestProto.getDefaultInstance()));
            } catch (Unreachable e) {
                if (!e.isBusy() || tries == MOST_TRIES) {
                    throw e;
                }
            }
            TimeUnit.SECONDS.sleep(1);
        }
    }

    private static Located silent(Unreachable e) {
        String text = String.valueOf(e.getMessage());
        if (!e.isBusy()) {
            return new Located(
                    "services",
                    "service.unreachable",
                    Severity.ERROR,
                    text,
                    "run doctor again; if it stays so, see the log of that NameNode");
        }
        String missing = text + "; what it finds wrong is missing here";
        return text.contains(ASK_AGAIN)
                ? new Located("services", "service.busy", Severity.NOTE, missing, "run doctor again in some seconds")
                : new Located(
                        "services",
                        "service.busy",
                        Severity.WARNING,
                        missing,
                        "run doctor again; if it stays so, see the log of the active NameNode");
    }

    private void print(List<Located> found) {
        Printer printer = new Printer(spec);
        long errors = found.stream().filter(f -> f.severity() == Severity.ERROR).count();
        long warnings =
                found.stream().filter(f -> f.severity() == Severity.WARNING).count();
        if (cluster().json) {
            ObjectNode json = ProtoJson.MAPPER.createObjectNode();
            json.put("errors", errors).put("warnings", warnings);
            ArrayNode list = json.putArray("findings");
            for (Located located : found) {
                HealthFinding finding = located.finding();
                ObjectNode one = list.addObject();
                one.put("severity", finding.severity().name().toLowerCase(Locale.ROOT))
                        .put("where", located.where())
                        .put("id", finding.id())
                        .put("text", finding.text());
                if (finding.remedy() != null) {
                    one.put("remedy", finding.remedy());
                }
            }
            printer.json(json);
            return;
        }
        for (Located located : found) {
            HealthFinding finding = located.finding();
            String word = finding.severity().name();
            String shown =
                    switch (finding.severity()) {
                        case ERROR -> printer.bad(word);
                        case WARNING -> printer.doubtful(word);
                        case NOTE -> word;
                    };
            printer.line(shown + "  " + located.where() + "  " + finding.id());
            Table.wrapped(finding.text()).forEach(line -> printer.line("    " + line));
            if (finding.remedy() != null) {
                Table.wrapped("-> " + finding.remedy()).forEach(line -> printer.line("    " + line));
            }
        }
        printer.line(
                errors + warnings == 0
                        ? printer.good("Nothing is wrong.")
                        : errors + " errors, " + warnings + " warnings.");
    }
}
