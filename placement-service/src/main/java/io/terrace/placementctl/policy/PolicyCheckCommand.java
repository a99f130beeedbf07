package io.terrace.placementctl.policy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.placement.policyfile.PolicyFile;
import io.terrace.placement.policyfile.PolicyFileException;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.command.ClusterCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code placementctl policy check}. */
@Command(
        name = "check",
        description = "Whether a policy file is right; else every mistake with its line. Asks no cluster.",
        mixinStandardHelpOptions = true)
final class PolicyCheckCommand extends ClusterCommand {

    @Parameters(paramLabel = "FILE", description = "A policy file; conf/placement.yaml is one.")
    Path file;

    @Override
    public Integer call() throws Refused {
        Printer printer = new Printer(spec);
        PolicySpec read = null;
        List<String> errors = List.of();
        String text = PolicyText.read(file);
        try {
            read = PolicyFile.read(file.toString(), text);
        } catch (PolicyFileException e) {
            errors = e.errors();
        }
        if (cluster().json) {
            ObjectNode json = ProtoJson.MAPPER.createObjectNode().put("right", read != null);
            ArrayNode list = json.putArray("complaints");
            errors.forEach(list::add);
            printer.json(json);
        } else if (read != null) {
            printer.line(printer.good("right") + "  policy " + read.policy() + ", "
                    + read.rules().size() + (read.rules().size() == 1 ? " rule" : " rules") + " by path"
                    + (read.pools().isEmpty() ? "" : ", " + read.pools().size() + " pools"));
        } else {
            errors.forEach(line -> Table.wrapped(line).forEach(printer::line));
        }
        return read == null ? ExitCode.REFUSED : ExitCode.OK;
    }
}
