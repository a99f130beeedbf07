package io.terrace.bench.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** Runs commands of bin/terrace in this process, for tests. */
public final class CommandLines {
    private CommandLines() {}

    /** What a command did. */
    public record Result(int exitCode, String output, String errors) {}

    public static Result run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = TerraceCommand.commandLine();
        line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        int exitCode = line.execute(arguments);
        return new Result(exitCode, out.toString(), err.toString());
    }

    /** Standard output of a command that must succeed. */
    public static String output(String... arguments) {
        Result result = run(arguments);
        if (result.exitCode() != 0) {
            throw new AssertionError(String.join(" ", arguments) + " failed: " + result.errors());
        }
        return result.output();
    }
}
