package io.terrace.bench.cli;

import io.terrace.bench.measure.MeasurementPlan;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.measure.ResultsFile;
import io.terrace.conf.TerraceSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What the benchmarks on clusters of real daemons have in common on the command line, and how they end. */
final class BenchOptions {
    /** Properties with which only pinned files come into memory, however often others are read. */
    static final Map<String, String> ONLY_PINNED = Map.of(
            TerraceSettings.PLACEMENT_POLICY.key(), "idecider",
            TerraceSettings.PLACEMENT_IDECIDER_THRESHOLD.key(), "1000000000");

    @Option(names = "--json", paramLabel = "FILE", description = "write the figures there, one flat object")
    @Nullable
    Path json;

    @Option(names = "--dir", paramLabel = "D", description = "directory of the clusters (one in benchmarks/target)")
    @Nullable
    Path dir;

    @Option(names = "--quick", description = "few short rounds, to see that everything works")
    boolean quick;

    @Option(names = "--seed", defaultValue = "1", description = "of the data (${DEFAULT-VALUE})")
    long seed;

    @Option(names = "-D", paramLabel = "KEY=VALUE", description = "one more property for every daemon and client")
    Map<String, String> properties = new LinkedHashMap<>();

    @Spec(Spec.Target.MIXEE)
    CommandSpec command;

    /** Measures, and adds its figures to the sheet as they come. */
    interface Benchmark {
        void run(ResultSheet scores) throws IOException;
    }

    MeasurementPlan measurementPlan() {
        return quick ? MeasurementPlan.quick() : MeasurementPlan.full();
    }

    /** The directory for the clusters. */
    Path clusters(String command) {
        return dir == null ? TargetDirectory.path().resolve(command) : dir;
    }

    /** The benchmark's own properties with the user's over them. */
    Map<String, String> over(Map<String, String> own) {
        Map<String, String> all = new LinkedHashMap<>(own);
        all.putAll(properties);
        return all;
    }

    /** Runs it, prints how many targets were missed, and writes the file. The exit code is 0 also when some were. */
    int run(Benchmark benchmark) throws IOException {
        PrintWriter out = command.commandLine().getOut();
        ResultSheet scores = new ResultSheet(out);
        benchmark.run(scores);
        out.printf("%n%d figures, %d missed their target%n", scores.figures().size(), scores.missed());
        out.flush();
        if (json != null) {
            ResultsFile.write(json, scores.figures());
        }
        return 0;
    }
}
