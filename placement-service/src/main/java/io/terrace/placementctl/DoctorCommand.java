package io.terrace.placementctl;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.placementctl.Finding.Severity;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.AdminClient.Peer;
import io.terrace.placementctl.client.ConnectionOptions;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.DoctorRequestProto;
import io.terrace.protocol.proto.AdminProtos.FindingProto;
import io.terrace.protocol.proto.AdminProtos.StatusResponseProto;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code placementctl doctor}. */
@Command(
        name = "doctor",
        description = "Looks for what is wrong: this configuration, the services, every DataNode's host.",
        mixinStandardHelpOptions = true)
final class DoctorCommand implements Callable<Integer> {

    @Mixin
    ConnectionOptions cluster;

    @Spec
    CommandSpec spec;

    @Override
    public Integer call() {
        Configuration conf = cluster.configuration();
        List<Finding> found = new ArrayList<>(new ConfigurationCheck(conf).run());
        boolean active = false;
        try (AdminClient client = cluster.connect(conf)) {
            for (Peer peer : client.peers()) {
                active |= peer.status() != null && peer.status().getActive();
                service(peer, found);
            }
            if (active) {
                ask(client, found);
            } else {
                found.add(new Finding(
                        Severity.ERROR,
                        "services",
                        "none-active",
                        "no placement service is active: nothing is promoted",
                        "start the NameNodes with dfs.namenode.plugins set; their logs name what is wrong"));
            }
        }
        found.sort(Comparator.comparing(Finding::severity));
        print(found);
        if (!active) {
            return PlacementCtl.UNREACHABLE;
        }
        return found.stream().anyMatch(Finding::isProblem) ? PlacementCtl.REFUSED : PlacementCtl.OK;
    }

    private static void service(Peer peer, List<Finding> found) {
        StatusResponseProto status = peer.status();
        if (status == null) {
            found.add(new Finding(
                    Severity.ERROR,
                    peer.name(),
                    "service.unreachable",
                    "the placement service does not answer: " + peer.trouble(),
                    "check dfs.namenode.plugins and the log of that NameNode, and that the port is open"));
        } else if (status.getActive() && !status.getServe()) {
            found.add(new Finding(
                    Severity.WARNING, peer.name(), "service.off", "Terrace is switched off", "placementctl on"));
        } else if (status.getActive() && !status.getMoves()) {
            found.add(new Finding(
                    Severity.WARNING, peer.name(), "service.paused", "moves are paused", "placementctl resume"));
        }
    }

    private static void ask(AdminClient client, List<Finding> found) {
        try {
            for (FindingProto finding : client.active(
                            service -> service.doctor(null, DoctorRequestProto.getDefaultInstance()))
                    .getFindingsList()) {
                found.add(new Finding(
                        Severity.valueOf(finding.getFinding().getSeverity().name()),
                        finding.getWhere(),
                        finding.getFinding().getId(),
                        finding.getFinding().getText(),
                        finding.getFinding().hasRemedy() ? finding.getFinding().getRemedy() : null));
            }
        } catch (Refused | Unreachable e) {
            found.add(new Finding(
                    Severity.ERROR, "services", "service.unreachable", String.valueOf(e.getMessage()), null));
        }
    }

    private void print(List<Finding> found) {
        Printer printer = new Printer(spec);
        long errors = found.stream().filter(f -> f.severity() == Severity.ERROR).count();
        long warnings =
                found.stream().filter(f -> f.severity() == Severity.WARNING).count();
        if (cluster.json) {
            ObjectNode json = ProtoJson.MAPPER.createObjectNode();
            json.put("errors", errors).put("warnings", warnings);
            ArrayNode list = json.putArray("findings");
            for (Finding finding : found) {
                ObjectNode one = list.addObject();
                one.put("severity", finding.severity().name().toLowerCase(Locale.ROOT))
                        .put("where", finding.where())
                        .put("id", finding.id())
                        .put("text", finding.text());
                if (finding.remedy() != null) {
                    one.put("remedy", finding.remedy());
                }
            }
            printer.json(json);
            return;
        }
        for (Finding finding : found) {
            String word = finding.severity().name();
            String shown =
                    switch (finding.severity()) {
                        case ERROR -> printer.bad(word);
                        case WARNING -> printer.doubtful(word);
                        case NOTE -> word;
                    };
            printer.line(shown + "  " + finding.where() + "  " + finding.id());
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
