package io.terrace.placementctl.policy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.common.Quantity;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placementctl.client.AdminClient;
import io.terrace.placementctl.client.Refused;
import io.terrace.placementctl.client.Unreachable;
import io.terrace.placementctl.command.ClusterCommand;
import io.terrace.placementctl.command.ExitCode;
import io.terrace.placementctl.simulate.AccessLogTrace;
import io.terrace.placementctl.simulate.PlacementReplay;
import io.terrace.placementctl.simulate.PolicyReplay;
import io.terrace.placementctl.simulate.ReplayChart;
import io.terrace.placementctl.simulate.RuleAssignments;
import io.terrace.placementctl.simulate.RuleAwarePolicy.PoolReads;
import io.terrace.placementctl.terminal.Bytes;
import io.terrace.placementctl.terminal.Durations;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.policy.replay.ReplayResult;
import io.terrace.policy.replay.Trace;
import io.terrace.protocol.proto.AdminProtos.PolicyResponseProto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code placementctl policy simulate}. */
@Command(
        name = "simulate",
        description = {
            "What a policy would have done with the accesses of the last hours, or of a trace, beside the one in"
                    + " force.",
            "Simulates the memory of all DataNodes as one, with --cluster also their places. With the service's log of"
                    + " accesses, rules by path and pools take part: the NameNode says which rule holds for which block. A"
                    + " trace has no paths. Path rules and pools therefore have no effect with --trace; size limits do."
        },
        mixinStandardHelpOptions = true)
final class PolicySimulateCommand extends ClusterCommand {

    @Option(names = "--policy", paramLabel = "FILE", required = true, description = "The policy file to try.")
    Path policy;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description = "Trace to replay: CSV, plain or gzipped. Default: the service's log of accesses.")
    @Nullable
    Path trace;

    @Option(
            names = "--last",
            paramLabel = "TIME",
            defaultValue = "6h",
            converter = Durations.class,
            description = "How much of the log of accesses. Default: ${DEFAULT-VALUE}")
    long lastMs;

    @Option(
            names = "--compare",
            paramLabel = "current|none|FILE",
            defaultValue = "current",
            description = "What to set beside it. Default: ${DEFAULT-VALUE}")
    String compare;

    @Option(
            names = "--memory",
            paramLabel = "BYTES",
            converter = Bytes.class,
            description = "Memory of all DataNodes, e.g. 64g. Default: what they have.")
    @Nullable
    Long memory;

    @Option(
            names = "--bandwidth",
            paramLabel = "BYTES",
            converter = Bytes.class,
            description = "Bytes a second that all DataNodes may move; 0 is no limit. Default: their budget.")
    @Nullable
    Long bandwidth;

    @Option(
            names = "--cluster",
            description =
                    "Also simulate on which DataNodes copies would be, with readers where they were. Needs a log of"
                            + " accesses with hosts (terrace.placement.access-log.readers). Slower: some 100,000 reads a"
                            + " second.")
    boolean cluster;

    @Option(
            names = "--reach",
            paramLabel = "PERCENT",
            defaultValue = "100",
            description =
                    "With --cluster: reads by clients of Terrace, which find a copy on any DataNode. Others read the"
                            + " replica that stock HDFS chooses. Default: ${DEFAULT-VALUE}")
    int reachPercent;

    @Option(
            names = "--in-vain",
            paramLabel = "PERCENT",
            description = "Percent of the bytes moved that may be copied ahead of a read in vain; 0 is no such"
                    + " copies. Default: ${DEFAULT-VALUE}, as by default in the service.")
    int vainPercent = PolicyReplay.VAIN_PERCENT;

    @Option(names = "--plot", paramLabel = "FILE.png", description = "Also draw it.")
    @Nullable
    Path plot;

    @Override
    public Integer call() throws Refused, Unreachable, IOException {
        PolicySpec candidate = PolicyText.checked(policy);
        if (lastMs < 1) {
            throw cluster().usage("--last is " + lastMs + " ms; it must be above 0");
        }
        if (cluster && trace != null) {
            throw cluster().usage("--cluster needs the log of accesses: a trace has no hosts; leave out --trace");
        }
        if (reachPercent < 0 || reachPercent > 100) {
            throw cluster().usage("--reach is " + reachPercent + "; it must be in 0..100");
        }
        if (vainPercent < 0 || vainPercent > 50) {
            throw cluster().usage("--in-vain is " + vainPercent + "; it must be from 0 to 50");
        }
        Path directory = plot == null ? null : plot.toAbsolutePath().getParent();
        if (directory != null && !Files.isDirectory(directory)) {
            throw cluster().usage("--plot is " + plot + ", and there is no directory " + directory);
        }
        List<PolicyReplay> replays = new ArrayList<>();
        List<PlacementReplay> placements = new ArrayList<>();
        Trace accesses;
        if (trace != null && memory != null && !compare.equals("current")) {
            ReplaySource source = ReplaySource.of(trace);
            accesses = source.accesses();
            run(replays, candidate, source, memory, bandwidth == null ? 0 : bandwidth, 1);
        } else {
            try (AdminClient client = cluster().connect()) {
                ReplaySource source = ReplaySource.of(client, trace, lastMs);
                PolicyResponseProto now = Objects.requireNonNull(source.now());
                accesses = source.accesses();
                run(
                        replays,
                        candidate,
                        source,
                        memory == null ? now.getMemoryBytes() : memory,
                        bandwidth == null ? source.moveBytesPerSecond() : bandwidth,
                        now.getDataNodes());
                if (cluster) {
                    place(placements, replays, source);
                }
            }
        }
        print(new Printer(spec), replays, placements, accesses);
        if (plot != null) {
            new ReplayChart(replays).write(plot);
        }
        return ExitCode.OK;
    }

    private void run(
            List<PolicyReplay> replays,
            PolicySpec candidate,
            ReplaySource source,
            long memoryBytes,
            long budget,
            int dataNodes)
            throws Refused, Unreachable {
        if (memoryBytes == 0) {
            throw new Refused("there is no memory to simulate: no DataNode reports any; give --memory");
        }
        Trace accesses = source.accesses();
        RuleAssignments rules = source.rules().of(candidate);
        replays.add(
                PolicyReplay.of("candidate", candidate, rules, accesses, memoryBytes, budget, dataNodes, vainPercent));
        PolicySpec other = other(source);
        if (other != null) {
            String label = compare.equals("current") ? "current" : "other";
            RuleAssignments itsRules = source.rules().of(other);
            replays.add(PolicyReplay.of(label, other, itsRules, accesses, memoryBytes, budget, dataNodes, vainPercent));
        }
    }

    private void place(List<PlacementReplay> placements, List<PolicyReplay> replays, ReplaySource source)
            throws Refused {
        AccessLogTrace logged = Objects.requireNonNull(source.logged());
        for (PolicyReplay replay : replays) {
            placements.add(PlacementReplay.of(
                    replay.spec(),
                    replay.rules(),
                    source.accesses(),
                    logged.numbers(),
                    logged.places(),
                    memory == null ? 0 : memory,
                    bandwidth == null ? source.moveBytesPerSecond() : bandwidth,
                    reachPercent / 100.0,
                    vainPercent));
        }
    }

    private @Nullable PolicySpec other(ReplaySource source) throws Refused {
        return switch (compare) {
            case "none" -> null;
            case "current" -> source.inForce();
            default -> PolicyText.checked(Path.of(compare));
        };
    }

    private void print(Printer printer, List<PolicyReplay> replays, List<PlacementReplay> placements, Trace accesses) {
        if (cluster().json) {
            printer.json(json(replays, placements, accesses));
            return;
        }
        PolicyReplay first = replays.get(0);
        printer.line(accesses.rows() + " accesses of " + accesses.objects() + " objects, "
                + Quantity.bytes(accesses.footprintBytes()) + " in all, over " + Quantity.millis(first.lengthMs()));
        Table table = replays.size() == 1
                ? new Table("", ">" + first.label().toUpperCase(Locale.ROOT))
                : new Table(
                        "",
                        ">" + first.label().toUpperCase(Locale.ROOT),
                        ">" + replays.get(1).label().toUpperCase(Locale.ROOT));
        row(table, replays, "policy", replay -> replay.spec().policy());
        row(
                table,
                replays,
                "reads from memory",
                replay -> percent(replay.outcome().objectHitRatio()));
        row(
                table,
                replays,
                "bytes from memory",
                replay -> Quantity.bytes((long) hitBytes(replay.outcome())) + " ("
                        + percent(replay.outcome().byteHitRatio()) + ")");
        row(table, replays, "first reads from memory", PolicySimulateCommand::firstReads);
        row(
                table,
                replays,
                "bytes moved",
                replay -> Quantity.bytes((long) replay.outcome().movedBytes()));
        row(
                table,
                replays,
                "ahead of first reads",
                replay -> Quantity.bytes((long) replay.first().aheadBytes()));
        row(
                table,
                replays,
                "of these in vain",
                replay -> inVain(replay, replay.first().vainBytes()));
        row(
                table,
                replays,
                "ahead of readers",
                replay -> Quantity.bytes((long) replay.readAhead().aheadBytes()) + ", for "
                        + replay.readAhead().reads() + " reads");
        row(
                table,
                replays,
                "of these in vain",
                replay -> inVain(replay, replay.readAhead().vainBytes()));
        row(
                table,
                replays,
                "moved per byte read",
                replay -> String.format(Locale.ROOT, "%.3f", replay.outcome().promotedPerReadByte()));
        row(
                table,
                replays,
                "moves, never read",
                replay -> replay.outcome().moves() + ", " + replay.outcome().wastedMoves());
        row(table, replays, "moves not carried out", replay -> replay.outcome().failedMoves());
        row(
                table,
                replays,
                "peak memory use",
                replay -> Quantity.bytes(replay.outcome().peakBytes()[0]));
        row(
                table,
                replays,
                "read time, mean",
                replay -> String.format(Locale.ROOT, "%.3f ms", replay.outcome().meanReadMs()));
        row(table, replays, "read time, all", replay -> String.format(Locale.ROOT, "%.1f s", replay.readMs() / 1000));
        replays.stream()
                .flatMap(replay -> replay.pools().stream().map(PoolReads::name))
                .distinct()
                .forEach(pool -> row(table, replays, "  pool " + pool + ", reads", replay -> ofPool(replay, pool)));
        printer.table(table);
        if (!placements.isEmpty()) {
            PlacementText.print(printer, replays, placements);
        }
        replays.stream()
                .filter(replay -> !replay.spec().rules().isEmpty())
                .forEach(replay -> printer.line(rulesOf(replay, accesses.objects())));
    }

    private static void row(Table table, List<PolicyReplay> replays, String head, Function<PolicyReplay, Object> cell) {
        List<@Nullable Object> cells = new ArrayList<>();
        cells.add(head);
        replays.forEach(replay -> cells.add(cell.apply(replay)));
        table.row(cells.toArray());
    }

    private static String firstReads(PolicyReplay replay) {
        long reads = replay.first().reads();
        return replay.first().fromMemory() + " of " + reads + " ("
                + percent((double) replay.first().fromMemory() / Math.max(1, reads)) + ")";
    }

    private static String inVain(PolicyReplay replay, double bytes) {
        return Quantity.bytes((long) bytes) + " ("
                + percent(bytes / Math.max(1, replay.outcome().movedBytes())) + " of moved)";
    }

    private static String ofPool(PolicyReplay replay, String name) {
        return replay.pools().stream()
                .filter(pool -> pool.name().equals(name))
                .map(pool ->
                        pool.reads() + " (" + percent((double) pool.fromMemory() / Math.max(1, pool.reads())) + ")")
                .findFirst()
                .orElse("-");
    }

    private static String rulesOf(PolicyReplay replay, int objects) {
        RuleAssignments rules = replay.rules();
        if (rules.unknown() == objects) {
            return "The rules by path of " + replay.label() + " took no part: no path is known.";
        }
        return "Rules by path of " + replay.label() + " hold for " + rules.matched() + " of " + objects + " objects"
                + (rules.unknown() == 0 ? "." : "; of " + rules.unknown() + " no path is known.");
    }

    private static double hitBytes(ReplayResult outcome) {
        return outcome.tierBytes()[0];
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    private static ArrayNode pools(PolicyReplay replay) {
        ArrayNode list = ProtoJson.MAPPER.createArrayNode();
        for (PoolReads pool : replay.pools()) {
            list.addObject()
                    .put("name", pool.name())
                    .put("reads", pool.reads())
                    .put("readsFromMemory", pool.fromMemory());
        }
        return list;
    }

    private static ObjectNode json(List<PolicyReplay> replays, List<PlacementReplay> placements, Trace accesses) {
        ObjectNode json = ProtoJson.MAPPER.createObjectNode();
        json.put("accesses", accesses.rows())
                .put("objects", accesses.objects())
                .put("footprintBytes", accesses.footprintBytes())
                .put("lengthMs", replays.get(0).lengthMs());
        ArrayNode list = json.putArray("policies");
        for (PolicyReplay replay : replays) {
            ReplayResult outcome = replay.outcome();
            ObjectNode entry = list.addObject();
            entry.put("label", replay.label())
                    .put("policy", replay.spec().policy())
                    .put("reads", outcome.reads())
                    .put("readsFromMemory", outcome.tierReads()[0])
                    .put("bytesRead", (long) outcome.readBytes())
                    .put("bytesFromMemory", (long) hitBytes(outcome))
                    .put("firstReads", replay.first().reads())
                    .put("firstReadsFromMemory", replay.first().fromMemory())
                    .put("bytesAhead", (long) replay.first().aheadBytes())
                    .put("bytesAheadInVain", (long) replay.first().vainBytes())
                    .put("readsAheadFromMemory", replay.readAhead().reads())
                    .put("bytesReadAhead", (long) replay.readAhead().aheadBytes())
                    .put("bytesReadAheadInVain", (long) replay.readAhead().vainBytes())
                    .put("bytesMoved", (long) outcome.movedBytes())
                    .put("moves", outcome.moves())
                    .put("movesNeverRead", outcome.wastedMoves())
                    .put("movesFailed", outcome.failedMoves())
                    .put("peakMemoryBytes", outcome.peakBytes()[0])
                    .put("meanReadMs", outcome.meanReadMs())
                    .put("allReadsMs", replay.readMs())
                    .put("objectsMatched", replay.rules().matched())
                    .put("objectsWithoutPath", replay.rules().unknown())
                    .set("pools", pools(replay));
            if (!placements.isEmpty()) {
                entry.set("placement", PlacementText.json(placements.get(list.size() - 1)));
            }
        }
        return json;
    }
}
