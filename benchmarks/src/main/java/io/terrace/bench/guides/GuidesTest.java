package io.terrace.bench.guides;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.measure.ResultsFile;
import io.terrace.bench.read.RemoteBenchmark;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code bin/terrace test guides}.
 *
 * <p>Exit codes: 0 all holds, 1 not, 2 the command line is wrong.
 */
@Command(
        name = "guides",
        mixinStandardHelpOptions = true,
        description = {
            "Sets up HBase, MapReduce and Spark with the settings of their pages in docs/guides, runs the commands of the"
                    + " pages, and checks that what the applications read came from memory.",
            "Maven fetches the jars of each application when they are first needed."
        })
public final class GuidesTest implements Callable<Integer> {
    private static final long MEMORY_BYTES = 512L << 20;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "PAGE",
            defaultValue = "hbase,mapreduce,spark",
            description = "pages to follow (${DEFAULT-VALUE})")
    private List<Guide> guides = List.of();

    @Option(names = "--json", paramLabel = "FILE", description = "write the figures there")
    private @Nullable Path json;

    @Option(names = "--keep", description = "keep the directory of the run, which has all logs")
    private boolean keep;

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path root = Path.of(System.getProperty("terrace.root", ".")).toAbsolutePath();
        PrintWriter out =
                Objects.requireNonNull(spec, "picocli sets it").commandLine().getOut();
        ResultSheet sheet = new ResultSheet(out);
        Path run = Files.createTempDirectory("terrace-guides");
        boolean whole = false;
        try {
            ClusterSpec cluster = ClusterSpec.of(1, MEMORY_BYTES).withProperties(RemoteBenchmark.settings());
            try (TemporaryCluster temporary = TemporaryCluster.up(run.resolve("cluster"), cluster)) {
                for (Guide guide : guides) {
                    new GuideRun(temporary.cluster(), root, sheet).run(guide, run.resolve(guide.toString()));
                }
            }
            whole = true;
        } finally {
            if (keep || !whole || sheet.missed() > 0) {
                out.println("logs: " + run);
                out.flush();
            } else {
                LocalCluster.deleteTree(run);
            }
        }
        sheet.exactly("guides.failed", sheet.missed(), 0);
        if (json != null) {
            ResultsFile.write(json, sheet.figures());
        }
        return sheet.missed() == 0 ? 0 : 1;
    }
}
