package io.terrace.bench.cli;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.demo.Demo;
import io.terrace.bench.demo.DemoPlan;
import io.terrace.bench.demo.DemoResult;
import io.terrace.bench.demo.MemoryState;
import io.terrace.bench.demo.Screen;
import io.terrace.bench.demo.ServiceProbe;
import io.terrace.bench.load.VerifyingClient;
import io.terrace.bench.measure.ResultsFile;
import io.terrace.conf.TerraceSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code bin/terrace demo}. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = {
            "Watch hot blocks move into memory: a NameNode and DataNodes are started with a memory tier of a quarter"
                    + " of the data, data is stored and read by a plain Hadoop client with a skewed workload, and every"
                    + " byte is verified."
        })
final class DemoCommand implements Callable<Integer> {
    /** The memory tiers of all DataNodes together hold this share of the data. */
    private static final int MEMORY_DIVISOR = 4;

    @Option(
            names = "--dir",
            paramLabel = "D",
            description = "directory of the cluster (benchmarks/target/demo, made anew each time)")
    @Nullable
    Path dir;

    @Option(names = "--datanodes", paramLabel = "N", defaultValue = "2", description = "DataNodes (${DEFAULT-VALUE})")
    int datanodes;

    @Mixin
    DemoOptions options;

    @Option(names = "--json", paramLabel = "FILE", description = "write the figures there, one flat object")
    @Nullable
    Path json;

    @Option(names = "--keep", description = "leave the cluster running")
    boolean keep;

    @Option(names = "--stock", description = "without Terrace, to compare")
    boolean stock;

    @Option(
            names = "--policy",
            paramLabel = "NAME",
            defaultValue = "adaptive",
            description =
                    "placement policy, by name; with a wrong one the NameNode's log lists them (${DEFAULT-VALUE})")
    String policy;

    @Option(names = "-D", paramLabel = "KEY=VALUE", description = "one more property for every daemon and client")
    Map<String, String> properties = new LinkedHashMap<>();

    @Spec
    CommandSpec command;

    @Override
    public Integer call() throws IOException {
        DemoPlan plan = options.plan();
        long dataBytes = plan.data().lengthBytes();
        long memoryBytes = Math.max(2 * options.blockBytes, dataBytes / MEMORY_DIVISOR / datanodes);
        ClusterSpec spec = ClusterSpec.of(datanodes, memoryBytes)
                .withBlockBytes(options.blockBytes)
                .withReplication(Math.min(2, datanodes))
                .withTerrace(!stock)
                .withProperties(with(TerraceSettings.PLACEMENT_POLICY.key(), policy));
        Path at = directory();
        Screen screen = new Screen(command.commandLine().getOut(), Boolean.getBoolean("terrace.terminal"));

        screen.line(
                "Starting a NameNode and %d DataNodes with %s of memory tier each, for %s of data",
                datanodes, ByteSize.text(memoryBytes), ByteSize.text(dataBytes));
        TemporaryCluster temporary = TemporaryCluster.up(at, spec);
        try {
            LocalCluster cluster = temporary.cluster();
            DemoResult result;
            try (VerifyingClient client = new VerifyingClient(FileSystem.newInstance(cluster.conf()), plan.data());
                    PlacementAdmin admin = new PlacementAdmin(cluster)) {
                MemoryState.Probe probe = stock ? () -> MemoryState.NONE : new ServiceProbe(admin);
                result = new Demo(plan, client, probe, screen).run();
            }
            result.show(screen);
            showNext(screen, cluster, plan);
            if (json != null) {
                ResultsFile.write(json, result.figures());
            }
            return result.wrongBytes() == 0 ? 0 : 1;
        } finally {
            if (keep) {
                temporary.keep();
            } else {
                temporary.close();
            }
        }
    }

    /** Suggests what to look at next; without --keep, how to keep the cluster. */
    private void showNext(Screen screen, LocalCluster cluster, DemoPlan plan) {
        screen.line("");
        if (stock) {
            return;
        }
        screen.line(keep ? "The cluster is still running; try" : "With --keep the cluster stays up for");
        String conf = "--conf " + cluster.layout().conf();
        for (String verb : List.of(
                "status",
                "tiers",
                "top",
                "explain " + plan.data().files().get(0).path())) {
            screen.line("  bin/placementctl %s %s", verb, conf);
        }
        if (keep) {
            screen.line("  bin/terrace down --purge --dir %s", cluster.layout().dir());
        }
    }

    /** The user's properties and one of the demo's, unless the user set it. */
    private Map<String, String> with(String key, String value) {
        Map<String, String> all = new LinkedHashMap<>(Map.of(key, value));
        all.putAll(properties);
        return stock ? properties : all;
    }

    /** Clears the default directory only, never one that the user named. */
    private Path directory() throws IOException {
        if (dir == null) {
            return TargetDirectory.path().resolve("demo");
        }
        if (LocalCluster.in(dir, ClassPath.ofThisProcess()).isPresent()) {
            throw new ClusterException(dir + " holds a cluster: bin/terrace down --purge --dir " + dir + " removes it");
        }
        return dir;
    }
}
