package io.terrace.placementctl.command;

import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A command that lists at most so many things that change: once, or again and again. */
public abstract class ListingCommand extends ClusterCommand {

    protected static final int MOST_ROWS = 1000;
    private static final int MOST_SECONDS = 86_400;

    @Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            defaultValue = "20",
            description = "How many rows, 1 to 1000. Default: ${DEFAULT-VALUE}")
    protected int count;

    @Option(
            names = "--watch",
            arity = "0..1",
            fallbackValue = "2",
            paramLabel = "SECONDS",
            description = "Show it again every so many seconds, until interrupted. Default: ${FALLBACK-VALUE}")
    @Nullable
    Integer watchSeconds;

    @Option(names = "--times", paramLabel = "N", description = "With --watch: end after so many times.")
    @Nullable
    Integer times;

    /** Asks and prints once. */
    protected abstract void show(AdminClient client, Printer printer) throws Refused, Unreachable;

    @Override
    public final Integer call() throws Refused, Unreachable, InterruptedException {
        checkRange("--count", count, MOST_ROWS);
        Printer printer = new Printer(spec);
        Configuration configuration = cluster().configuration();
        if (watchSeconds == null) {
            if (times != null) {
                throw cluster().usage("--times needs --watch");
            }
            showOnce(configuration, printer);
            return ExitCode.OK;
        }
        checkRange("--watch", watchSeconds, MOST_SECONDS);
        checkRange("--times", times == null ? 1 : times, Integer.MAX_VALUE);
        return watch(configuration, printer, watchSeconds, times == null ? Long.MAX_VALUE : times);
    }

    private int watch(Configuration configuration, Printer printer, int seconds, long left)
            throws Refused, InterruptedException {
        while (true) {
            int code = ExitCode.OK;
            printer.clear();
            try {
                showOnce(configuration, printer);
            } catch (Unreachable e) {
                // As in a failover. What is asked for may come back.
                code = ExitCode.UNREACHABLE;
                note(printer, String.valueOf(e.getMessage()));
            }
            left--;
            if (left <= 0 || printer.isClosed()) {
                return code;
            }
            TimeUnit.SECONDS.sleep(seconds);
        }
    }

    private void note(Printer printer, String what) {
        if (cluster().json) {
            printer.jsonLine(ProtoJson.MAPPER.createObjectNode().put("note", what));
        } else {
            printer.line("-- " + what);
        }
    }

    /** On a connection that asks anew which service is active. */
    private void showOnce(Configuration configuration, Printer printer) throws Refused, Unreachable {
        try (AdminClient client = cluster().connect(configuration)) {
            show(client, printer);
        }
    }

    private void checkRange(String option, int value, int most) {
        if (value < 1 || value > most) {
            throw cluster().usage(option + " is " + value + "; it must be from 1 to " + most);
        }
    }

    /** Whether each answer is one line of JSON, as it is not the only one. */
    protected final boolean isWatched() {
        return watchSeconds != null;
    }
}
