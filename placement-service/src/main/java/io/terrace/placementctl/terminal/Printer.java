package io.terrace.placementctl.terminal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;

/** Prints answers; colours only where the output is a terminal. */
public final class Printer {

    private final PrintWriter out;
    private final Ansi ansi;

    public Printer(CommandSpec command) {
        this.out = command.commandLine().getOut();
        this.ansi = command.commandLine().getColorScheme().ansi();
    }

    public void json(ObjectNode node) {
        line(ProtoJson.text(node));
    }

    /** Begins the screen anew, on a terminal. */
    public void clear() {
        if (ansi.enabled()) {
            out.print("\u001b[H\u001b[2J");
        }
    }

    /** @param several whether it is one of several objects, each on a line */
    public void json(ObjectNode node, boolean several) {
        if (several) {
            jsonLine(node);
        } else {
            json(node);
        }
    }

    /** On one line, for one of several objects. */
    public void jsonLine(ObjectNode node) {
        line(ProtoJson.line(node));
    }

    /** Whether nobody reads any more, as after {@code | head}. */
    public boolean isClosed() {
        return out.checkError();
    }

    public void line(String text) {
        out.println(text);
        out.flush();
    }

    public void table(Table table) {
        table.lines().forEach(this::line);
    }

    public String good(String text) {
        return styled("green", text);
    }

    public String doubtful(String text) {
        return styled("yellow", text);
    }

    public String bad(String text) {
        return styled("red", text);
    }

    private String styled(String colour, String text) {
        return ansi.enabled() ? ansi.string("@|" + colour + " " + text + "|@") : text;
    }
}
