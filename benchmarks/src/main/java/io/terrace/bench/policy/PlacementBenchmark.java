package io.terrace.bench.policy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.terrace.policy.replay.Trace;
import io.terrace.policy.replay.TraceReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Replays every trace of a directory against every policy at several memory sizes, and sums up how the adaptive policy
 * does. With a {@code reference.csv} in the directory its cells are replayed and the scores against it are given;
 * without one, two tiers at a few memory sizes. Writes go around the memory.
 */
@Command(
        name = "placement",
        mixinStandardHelpOptions = true,
        description = "Compare placement policies on traces of accesses (time_s,object_id,bytes,op,obj_size,job).")
public final class PlacementBenchmark implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--traces",
            description =
                    "directory of *.csv.gz or *.csv traces; needed unless --held-out, --loops, --patterns or --live"
                            + " is given")
    private @Nullable Path traces;

    @Option(
            names = "--held-out",
            description =
                    "instead, replay workloads made from a seed, and the traces, if any, cut in halves, with other"
                            + " sizes and with other objects; adaptive against the best of the other policies")
    private boolean heldOut;

    @Option(
            names = "--loops",
            description = "instead, in seconds: loops over few large objects, and objects that are equally popular")
    private boolean loops;

    @Option(
            names = "--patterns",
            description =
                    "instead, random reads, scans and look-ups at once, made from a seed: the mean time of a read with"
                            + " the objective time, against the best of the others")
    private boolean patterns;

    @Option(
            names = "--first-reads",
            description =
                    "instead, first reads of objects from memory, with and without learning what is read soon after"
                            + " it was written; needs --traces")
    private boolean firstReads;

    @Option(
            names = "--ahead",
            description = "adaptive copies objects before their first reads, as the service does by default")
    private boolean ahead;

    @Option(
            names = "--cluster",
            description = "instead, the placement service over 20 DataNodes, first replicas on 3 of them, and over one"
                    + " DataNode with the memory of all; needs --traces")
    private boolean cluster;

    @Option(
            names = "--live",
            description =
                    "instead, in two minutes on real daemons: a file of large blocks read in a loop, and many small"
                            + " files that are equally popular")
    private boolean live;

    @Option(names = "--dir", description = "directory of the cluster of --live (benchmarks/target/placement)")
    private @Nullable Path dir;

    @Option(names = "--seed", description = "of what --held-out makes (${DEFAULT-VALUE})")
    private long seed = 1;

    @Option(names = "--json", description = "file for the figures, one flat object")
    private @Nullable Path json;

    @Option(names = "--policy", description = "only these policies, as named in the table; repeatable")
    private List<String> policies = new ArrayList<>();

    @Option(names = "--trace", description = "only traces whose name contains this; repeatable")
    private List<String> names = new ArrayList<>();

    @Option(names = "--memory", description = "only these shares of the footprint; repeatable")
    private List<Double> shares = new ArrayList<>();

    @Option(
            names = "--days",
            description = "of each trace only so many days from its beginning, with --first-reads; 0 for all")
    private int days;

    @Option(
            names = "--cost-objects",
            description = "objects tracked when the cost is measured, 0 to leave it out" + " (${DEFAULT-VALUE})")
    private int costObjects = 10_000_000;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (loops) {
            return finish(new LoopReplays(out).figures(), Map.of(), out);
        }
        if (patterns) {
            PatternReplays replays = new PatternReplays(contestants(), out);
            replays.header();
            SyntheticTraces.patterns(seed).forEach(replays::replay);
            return finish(replays.figures(), Map.of(), out);
        }
        if (live) {
            Path at = dir == null
                    ? Path.of(System.getProperty("terrace.root", "."), "benchmarks", "target", "placement")
                    : dir;
            return finish(new LivePlacement(at, out).figures(), Map.of(), out);
        }
        if (heldOut) {
            return replayHeldOut(out);
        }
        if (traces == null) {
            throw new CommandLine.ParameterException(
                    spec.commandLine(), "--traces DIR is needed without --held-out, --loops, --patterns or --live");
        }
        if (cluster) {
            return replayCluster(traces, out);
        }
        if (firstReads) {
            return replayFirstReads(traces, out);
        }
        return replayTraces(traces, out);
    }

    private int replayHeldOut(PrintWriter out) throws IOException {
        HeldOut replays = new HeldOut("heldout", contestants(), out);
        HeldOut harder = new HeldOut("harder", contestants(), out);
        replays.header();
        if (names.isEmpty()) {
            SyntheticTraces.all(seed).forEach(replays::replay);
            SyntheticTraces.harder(seed).forEach(harder::replay);
        }
        for (Path file : traces == null ? List.<Path>of() : files(traces)) {
            DistortedTraces.of(TraceReader.read(file), seed).forEach(replays::replay);
        }
        Map<String, Number> figures = new LinkedHashMap<>(replays.figures());
        if (names.isEmpty()) {
            figures.putAll(harder.figures());
        }
        return finish(figures, Map.of(), out);
    }

    private int replayCluster(Path dir, PrintWriter out) throws IOException {
        PooledReplays replays = new PooledReplays(out);
        replays.header();
        double[] wanted = shares.stream().mapToDouble(Double::doubleValue).toArray();
        for (Path file : files(dir)) {
            replays.replay(TraceReader.read(file), wanted);
        }
        if (replays.figures().isEmpty()) {
            throw new IOException("no trace of " + dir + " that the options choose is large enough for "
                    + PooledReplays.NODES + " DataNodes; choose more --memory");
        }
        return finish(replays.figures(), Map.of(), out);
    }

    private int replayFirstReads(Path dir, PrintWriter out) throws IOException {
        FirstReadReplays replays = new FirstReadReplays(out);
        replays.header();
        double[] wanted = shares.stream().mapToDouble(Double::doubleValue).toArray();
        for (Path file : files(dir)) {
            replays.replay(firstDays(file), wanted);
        }
        ReadAheadReplays inBlocks = new ReadAheadReplays(out);
        inBlocks.header();
        for (Path file : files(dir)) {
            inBlocks.replay(firstDays(file), wanted);
        }
        Map<String, Number> figures = new LinkedHashMap<>(replays.figures());
        figures.putAll(inBlocks.figures());
        return finish(figures, Map.of(), out);
    }

    private Trace firstDays(Path file) throws IOException {
        Trace whole = TraceReader.read(file);
        return days == 0 ? whole : whole.until(Duration.ofDays(days).toMillis());
    }

    private int replayTraces(Path dir, PrintWriter out) throws IOException {
        Path referenceFile = dir.resolve("reference.csv");
        TraceReplays replays = new TraceReplays(
                Files.exists(referenceFile) ? ReferenceResults.read(referenceFile) : null,
                contestants(),
                shares,
                ahead,
                out);
        for (Path file : files(dir)) {
            replays.replay(TraceReader.read(file));
        }
        if (replays.figures().isEmpty()) {
            throw new IOException("no trace of " + dir + " is chosen by the options; there must be *.csv.gz files");
        }
        Map<String, Number> all = new LinkedHashMap<>(replays.summary());
        if (costObjects > 0) {
            AccessCost cost = AccessCost.measure(PolicyVariant.OURS, costObjects);
            all.put("cost.ns", cost.ns());
            all.put("cost.bytes_per_object", cost.bytesPerObject());
            all.put("cost.allocated_bytes", cost.allocatedBytes());
        }
        return finish(all, replays.figures(), out);
    }

    /** Prints the summary, and writes it with the cells' figures where that was asked for. */
    private int finish(Map<String, Number> summary, Map<String, Number> cells, PrintWriter out) throws IOException {
        out.println();
        summary.forEach((name, value) -> out.printf("%-28s %10.4f%n", name, value.doubleValue()));
        out.flush();
        if (json != null) {
            Map<String, Number> all = new LinkedHashMap<>(summary);
            all.putAll(cells);
            write(json, all);
        }
        return 0;
    }

    private List<PolicyVariant> contestants() {
        List<PolicyVariant> all = PolicyVariant.all();
        for (String policy : policies) {
            if (all.stream().noneMatch(policyVariant -> policyVariant.label().equals(policy))) {
                throw new IllegalArgumentException("there is no policy '" + policy + "'; there are "
                        + String.join(
                                ", ", all.stream().map(PolicyVariant::label).toList()));
            }
        }
        return policies.isEmpty()
                ? all
                : all.stream()
                        .filter(policyVariant -> policies.contains(policyVariant.label()))
                        .toList();
    }

    private List<Path> files(Path dir) throws IOException {
        try (Stream<Path> entries = Files.list(dir)) {
            return entries.filter(file -> file.toString().matches(".*\\.csv(\\.gz)?"))
                    .filter(file -> !file.endsWith("reference.csv"))
                    .filter(file -> names.isEmpty()
                            || names.stream()
                                    .anyMatch(part ->
                                            file.getFileName().toString().contains(part)))
                    .sorted()
                    .toList();
        }
    }

    private static void write(Path file, Map<String, Number> figures) throws IOException {
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        ObjectMapper mapper = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
        Files.writeString(file, mapper.writeValueAsString(figures) + "\n");
    }
}
