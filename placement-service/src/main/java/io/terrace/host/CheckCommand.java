package io.terrace.host;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code terrace-host check}. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        description = "Says what this host lacks for the DataNode whose configuration is given. Changes nothing.")
final class CheckCommand implements Callable<Integer> {

    @Mixin
    HostOptions options;

    @Option(names = "--json", description = "Print one JSON object.")
    boolean json;

    @Spec
    CommandSpec spec;

    @Override
    public Integer call() {
        DataNodeHost host = options.host();
        List<HostFinding> found = HostCheck.run(host);
        Printer printer = new Printer(spec);
        if (json) {
            printer.json(json(host, found));
        } else {
            FindingLines.print(host, found, printer);
        }
        return HostCheck.hasProblem(found) ? ExitCode.REFUSED : ExitCode.OK;
    }

    private static ObjectNode json(DataNodeHost host, List<HostFinding> found) {
        ObjectNode json = ProtoJson.MAPPER.createObjectNode();
        json.put("kernel", host.facts().kernel().toString())
                .put("cgroup", host.facts().cgroup())
                .put("memory_bytes", host.facts().memoryBytes())
                .put("swap", host.facts().swap())
                .put("memory_dir", host.settings().memoryDir().toString())
                .put("capacity_bytes", host.settings().capacityBytes())
                .put("mount_options", host.wanted().options());
        ArrayNode list = json.putArray("findings");
        for (HostFinding finding : found) {
            list.addObject()
                    .put("severity", finding.severity().name().toLowerCase(Locale.ROOT))
                    .put("id", finding.id())
                    .put("text", finding.finding().text())
                    .put("remedy", finding.finding().remedy());
        }
        return json;
    }
}
