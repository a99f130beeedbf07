package io.terrace.placementctl;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;

/** Prints answers; colours only where the output is a terminal. */
final class Printer {

    private final PrintWriter out;
    private final Ansi ansi;

    Printer(CommandSpec command) {
        this.out = command.commandLine().getOut();
        this.ansi = command.commandLine().getColorScheme().ansi();
    }

    void json(ObjectNode node) {
        line(ProtoJson.text(node));
    }

    void line(String text) {
        out.println(text);
        out.flush();
    }

    void table(Table table) {
        table.lines().forEach(this::line);
    }

    String good(String text) {
        return styled("green", text);
    }

    String doubtful(String text) {
        return styled("yellow", text);
    }

    String bad(String text) {
        return styled("red", text);
    }

    private String styled(String colour, String text) {
        return ansi.enabled() ? ansi.string("@|" + colour + " " + text + "|@") : text;
    }
}
