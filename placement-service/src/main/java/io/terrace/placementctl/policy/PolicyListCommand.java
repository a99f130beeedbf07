package io.terrace.placementctl.policy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.placementctl.command.ClusterCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.PolicyKind;
import io.terrace.policy.PolicyParameter;
import picocli.CommandLine.Command;

/** {@code placementctl policy list}. */
@Command(
        name = "list",
        description = "The policies there are, with their parameters and defaults. Asks no cluster.",
        mixinStandardHelpOptions = true)
final class PolicyListCommand extends ClusterCommand {

    @Override
    public Integer call() {
        Printer printer = new Printer(spec);
        if (cluster().json) {
            printer.json(json());
            return ExitCode.OK;
        }
        for (PolicyKind kind : PolicyCatalog.kinds()) {
            printer.line(printer.good(kind.name()));
            Table.wrapped(kind.summary()).forEach(line -> printer.line("    " + line));
            for (PolicyParameter parameter : kind.parameters()) {
                Table.wrapped(parameter.name() + ": " + parameter.defaultValue() + "   " + parameter.doc())
                        .forEach(line -> printer.line("    " + line));
            }
        }
        return ExitCode.OK;
    }

    private static ObjectNode json() {
        ObjectNode json = ProtoJson.MAPPER.createObjectNode();
        ArrayNode policies = json.putArray("policies");
        for (PolicyKind kind : PolicyCatalog.kinds()) {
            ObjectNode one = policies.addObject().put("policy", kind.name()).put("summary", kind.summary());
            ArrayNode parameters = one.putArray("parameters");
            kind.parameters().forEach(parameter -> parameters
                    .addObject()
                    .put("name", parameter.name())
                    .put("default", parameter.defaultValue())
                    .put("doc", parameter.doc()));
        }
        return json;
    }
}
