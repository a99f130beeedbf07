package io.terrace.bench.measure;

import io.terrace.bench.cluster.LocalCluster;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * What commands of {@code bin/terrace test} have in common: a directory that is kept if something failed, figures, and their
 * file. Exit codes: 0 all holds, 1 not, 2 the command line is wrong.
 */
public final class TestRun {
    @Option(names = "--json", paramLabel = "FILE", description = "write the figures there")
    private @Nullable Path json;

    @Option(names = "--keep", description = "keep the directory of the run, which has all logs")
    private boolean keep;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    /** What is tested. */
    public interface Body {
        /** @param dir of this run, empty */
        void run(Path dir, ResultSheet sheet) throws IOException, InterruptedException;
    }

    /**
     * Runs a test and returns the exit code.
     *
     * @param name of the command; the last figure is {@code NAME.failed}
     */
    public int run(String name, Body body) throws IOException, InterruptedException {
        ResultSheet sheet = new ResultSheet(out());
        Path dir = Files.createTempDirectory("terrace-" + name);
        boolean whole = false;
        try {
            body.run(dir, sheet);
            whole = true;
        } finally {
            if (keep || !whole || sheet.missed() > 0) {
                out().println("logs: " + dir);
                out().flush();
            } else {
                LocalCluster.deleteTree(dir);
            }
        }
        sheet.exactly(name + ".failed", sheet.missed(), 0);
        if (json != null) {
            ResultsFile.write(json, sheet.figures());
        }
        return sheet.missed() == 0 ? 0 : 1;
    }

    /** The checkout. */
    public static Path root() {
        return Path.of(System.getProperty("terrace.root", ".")).toAbsolutePath();
    }

    public PrintWriter out() {
        return command().commandLine().getOut();
    }

    /** The command line is wrong. */
    public ParameterException usage(String message) {
        return new ParameterException(command().commandLine(), message);
    }

    private CommandSpec command() {
        return Objects.requireNonNull(spec, "picocli sets it");
    }
}
