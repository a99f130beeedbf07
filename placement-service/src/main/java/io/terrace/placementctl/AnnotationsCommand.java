package io.terrace.placementctl;

import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.AdminCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.protocol.proto.AdminProtos.AnnotationsRequestProto;
import io.terrace.protocol.proto.AdminProtos.AnnotationsResponseProto;
import io.terrace.protocol.proto.AdminProtos.HeldWordProto;
import io.terrace.protocol.proto.AdminProtos.IgnoredAnnotationProto;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code placementctl annotations}. */
@Command(
        name = "annotations",
        description = "What rules and annotations say of a file or directory, word by word, and which annotations are"
                + " ignored and why.",
        mixinStandardHelpOptions = true)
final class AnnotationsCommand extends AdminCommand {

    @Parameters(paramLabel = "PATH", description = "An absolute path of a file or directory.")
    String path;

    @Override
    protected int run(AdminClient client, Printer printer) throws Refused, Unreachable {
        AnnotationsResponseProto answer = client.active(service -> service.annotations(
                null, AnnotationsRequestProto.newBuilder().setPath(path).build()));
        if (cluster().json) {
            printer.json(ProtoJson.object(answer));
            return ExitCode.OK;
        }
        printer.line(Table.printable(answer.getPath()));
        if (answer.getWordsCount() == 0) {
            printer.line("  neither a rule nor an annotation says anything");
        } else {
            Table table = new Table("WORD", "VALUE", "~FROM");
            answer.getWordsList().forEach(word -> table.row(word.getWord(), word.getValue(), from(word)));
            printer.table(table);
        }
        answer.getIgnoredList()
                .forEach(ignored -> Table.wrapped(text(ignored)).forEach(line -> printer.line("  " + line)));
        if (answer.hasNote()) {
            Table.wrapped("Note: " + answer.getNote()).forEach(line -> printer.line(printer.doubtful(line)));
        }
        return ExitCode.OK;
    }

    /** Where a word comes from. */
    static String from(HeldWordProto word) {
        return word.hasPath()
                ? word.getSource() + ".terrace." + word.getWord() + " of " + Table.printable(word.getPath())
                : word.hasRule() ? "rule " + word.getRule() + " of the policy" : "default";
    }

    static String text(IgnoredAnnotationProto ignored) {
        return "ignored: " + Table.printable(ignored.getAttribute()) + " '" + Table.printable(ignored.getValue())
                + "' of " + Table.printable(ignored.getPath()) + ": " + Table.printable(ignored.getWhy());
    }
}
