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
import io.terrace.placementctl.simulate.MemorySizes;
import io.terrace.placementctl.simulate.MemorySizes.Point;
import io.terrace.placementctl.simulate.RuleAssignments;
import io.terrace.placementctl.terminal.Bytes;
import io.terrace.placementctl.terminal.Durations;
import io.terrace.placementctl.terminal.Printer;
import io.terrace.placementctl.terminal.ProtoJson;
import io.terrace.placementctl.terminal.Table;
import io.terrace.policy.replay.Trace;
import io.terrace.protocol.proto.AdminProtos.PolicyResponseProto;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code placementctl size}. */
@Command(
        name = "size",
        description = {
            "How much memory is enough: what several sizes would have served of the accesses of the last hours, or of a"
                    + " trace.",
            "Simulates the policy in force with each size. The memory of all DataNodes counts as one, so leave some"
                    + " room for files that are hot on one DataNode."
        },
        mixinStandardHelpOptions = true)
public final class SizeCommand extends ClusterCommand {

    private static final int MOST_SIZES = 20;

    @Option(
            names = "--policy",
            paramLabel = "FILE",
            description = "The policy file to simulate. Default: the policy in force.")
    @Nullable
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
            defaultValue = "24h",
            converter = Durations.class,
            description = "How much of the log of accesses. Default: ${DEFAULT-VALUE}")
    long lastMs;

    @Option(
            names = "--memory",
            paramLabel = "BYTES",
            split = ",",
            converter = Bytes.class,
            description = "More sizes, of all DataNodes together, e.g. 64g,96g.")
    List<Long> memory = new ArrayList<>();

    /** Without a service there is one. */
    private record Cluster(int dataNodes, long memoryBytes) {}

    @Override
    public Integer call() throws Refused, Unreachable, IOException {
        if (lastMs < 1) {
            throw cluster().usage("--last is " + lastMs + " ms; it must be above 0");
        }
        if (memory.contains(0L) || memory.size() > MOST_SIZES) {
            throw cluster().usage("--memory takes at most " + MOST_SIZES + " sizes above 0");
        }
        List<Long> more = new ArrayList<>(memory);
        if (trace != null && policy != null) {
            ReplaySource source = ReplaySource.of(trace);
            PolicySpec spec = PolicyText.checked(policy);
            print(spec, source.accesses(), new Cluster(1, 0), simulate(source, spec, more, 1));
            return ExitCode.OK;
        }
        try (AdminClient client = cluster().connect()) {
            ReplaySource source = ReplaySource.of(client, trace, lastMs);
            PolicySpec spec = policy == null ? source.inForce() : PolicyText.checked(policy);
            PolicyResponseProto now = source.now();
            Cluster cluster = now == null
                    ? new Cluster(1, 0)
                    : new Cluster(Math.max(1, now.getDataNodes()), now.getMemoryBytes());
            if (cluster.memoryBytes > 0) {
                more.add(cluster.memoryBytes);
            }
            print(spec, source.accesses(), cluster, simulate(source, spec, more, cluster.dataNodes));
        }
        return ExitCode.OK;
    }

    private static MemorySizes simulate(ReplaySource source, PolicySpec spec, List<Long> more, int dataNodes)
            throws Refused, Unreachable {
        Trace accesses = source.accesses();
        RuleAssignments rules = source.rules().of(spec);
        return MemorySizes.simulate(
                MemorySizes.sizes(accesses.footprintBytes(), more),
                spec,
                rules,
                accesses,
                source.moveBytesPerSecond(),
                dataNodes);
    }

    private void print(PolicySpec spec, Trace accesses, Cluster cluster, MemorySizes sizes) {
        Printer printer = new Printer(this.spec);
        if (cluster().json) {
            printer.json(json(spec, accesses, cluster, sizes));
            return;
        }
        printer.line(accesses.rows() + " accesses of " + accesses.objects() + " objects, "
                + Quantity.bytes(accesses.footprintBytes()) + " in all, over "
                + Quantity.millis(sizes.points().get(0).replay().lengthMs()) + "; policy " + spec.policy());
        Point enough = sizes.enough();
        Table table = new Table(
                ">MEMORY", ">EACH DATANODE", ">READS", ">BYTES", ">MOVED PER BYTE READ", ">READ TIME, MEAN", "");
        for (Point point : sizes.points()) {
            table.row(
                    Quantity.bytes(point.memoryBytes()),
                    Quantity.bytes(point.memoryBytes() / cluster.dataNodes),
                    percent(point.replay().outcome().objectHitRatio()),
                    percent(point.replay().outcome().byteHitRatio()),
                    String.format(Locale.ROOT, "%.3f", point.replay().outcome().promotedPerReadByte()),
                    String.format(
                            Locale.ROOT, "%.3f ms", point.replay().outcome().meanReadMs()),
                    (point.memoryBytes() == cluster.memoryBytes ? "now " : "")
                            + (point.equals(enough) ? "enough" : ""));
        }
        printer.table(table);
        long each = megabytes(enough.memoryBytes() / cluster.dataNodes);
        printer.line(Quantity.bytes(enough.memoryBytes())
                + " serve at least 90 % of the bytes that any of these sizes serves.");
        printer.line("For each DataNode:");
        printer.line("  terrace.datanode.memory.capacity = " + setting(each));
        printer.line("  sudo terrace-host prepare    (mounts a tmpfs that fits)");
    }

    /** Upwards. */
    private static long megabytes(long bytes) {
        return (bytes >> 20) + ((bytes & ((1 << 20) - 1)) == 0 ? 0 : 1);
    }

    /** As settings and mount options have it. */
    private static String setting(long megabytes) {
        return megabytes % 1024 == 0 ? megabytes / 1024 + "g" : megabytes + "m";
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    private static ObjectNode json(PolicySpec spec, Trace accesses, Cluster cluster, MemorySizes sizes) {
        ObjectNode json = ProtoJson.MAPPER.createObjectNode();
        long enough = sizes.enough().memoryBytes();
        json.put("policy", spec.policy())
                .put("accesses", accesses.rows())
                .put("objects", accesses.objects())
                .put("footprintBytes", accesses.footprintBytes())
                .put("dataNodes", cluster.dataNodes)
                .put("memoryBytes", cluster.memoryBytes)
                .put("enoughBytes", enough)
                .put("enoughBytesOfEachDataNode", megabytes(enough / cluster.dataNodes) << 20);
        ArrayNode list = json.putArray("sizes");
        for (Point point : sizes.points()) {
            list.addObject()
                    .put("memoryBytes", point.memoryBytes())
                    .put("readsFromMemoryShare", point.replay().outcome().objectHitRatio())
                    .put("bytesFromMemoryShare", point.replay().outcome().byteHitRatio())
                    .put("bytesMovedPerByteRead", point.replay().outcome().promotedPerReadByte())
                    .put("meanReadMs", point.replay().outcome().meanReadMs());
        }
        return json;
    }
}
