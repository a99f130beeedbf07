package io.terrace.placementctl;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.ClusterCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.stats.ClusterInterval;
import io.terrace.placementctl.stats.ClusterSample;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code placementctl stats}. */
@Command(
        name = "stats",
        description = "What is read, from which tier, and what is moved: a line for each interval, as vmstat does.",
        mixinStandardHelpOptions = true)
final class StatsCommand extends ClusterCommand {

    private static final int LINES_PER_HEADER = 20;
    private static final int MOST_SECONDS = 86_400;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "SECONDS",
            description = "Length of an interval, 1 to 86400. Without it, one line about one second.")
    @Nullable
    Integer seconds;

    @Parameters(index = "1", arity = "0..1", paramLabel = "COUNT", description = "Lines. Default: until interrupted")
    @Nullable
    Integer count;

    private int lines;

    @Override
    public Integer call() throws Refused, Unreachable, InterruptedException {
        int interval = seconds == null ? 1 : seconds;
        if (interval < 1 || interval > MOST_SECONDS) {
            throw cluster().usage("SECONDS is " + interval + "; it must be from 1 to " + MOST_SECONDS);
        }
        if (count != null && count < 1) {
            throw cluster().usage("COUNT is " + count + "; it must be at least 1");
        }
        long left = seconds == null ? 1 : count == null ? Long.MAX_VALUE : count;
        Printer printer = new Printer(spec);
        Configuration configuration = cluster().configuration();
        ClusterSample before = sample(configuration);
        boolean lost = false;
        long nextNs = System.nanoTime();
        while (left > 0 && !printer.isClosed()) {
            nextNs += TimeUnit.SECONDS.toNanos(interval);
            TimeUnit.NANOSECONDS.sleep(nextNs - System.nanoTime());
            ClusterSample after;
            try {
                after = sample(configuration);
            } catch (Unreachable | Refused e) {
                if (!lost) {
                    note(printer, firstLine(e));
                }
                lost = true;
                left--;
                continue;
            }
            if (after.isAfterFailover(before)) {
                note(printer, "NameNode " + after.nameNode() + " decides now, in epoch " + after.epoch());
            } else {
                print(printer, ClusterInterval.between(before, after));
            }
            lost = false;
            left--;
            before = after;
        }
        return lost ? ExitCode.UNREACHABLE : ExitCode.OK;
    }

    /** On a connection that asks anew which service is active. */
    private ClusterSample sample(Configuration configuration) throws Refused, Unreachable {
        try (AdminClient client = cluster().connect(configuration)) {
            return ClusterSample.take(client);
        }
    }

    private void print(Printer printer, ClusterInterval interval) {
        if (cluster().json) {
            printer.jsonLine(interval.json());
            return;
        }
        if (lines++ % LINES_PER_HEADER == 0) {
            ClusterInterval.header().forEach(printer::line);
        }
        printer.line(interval.line());
    }

    private static String firstLine(Exception e) {
        String line = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
        return line.endsWith(":") ? line.substring(0, line.length() - 1) : line;
    }

    /** What happened in place of an interval. */
    private void note(Printer printer, String what) {
        if (cluster().json) {
            ObjectNode json = ProtoJson.MAPPER.createObjectNode();
            printer.jsonLine(json.put("note", what));
        } else {
            printer.line("-- " + what);
        }
    }
}
