package io.terrace.bench.guides;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.measure.ResultSheet;
import io.terrace.bench.measure.TestRun;
import io.terrace.bench.read.RemoteBenchmark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code bin/terrace test guides}. */
@Command(
        name = "guides",
        mixinStandardHelpOptions = true,
        description = {
            "Sets up HBase, Hive, MapReduce and Spark with the settings of their pages in docs/guides, runs the commands of the"
                    + " pages, and checks that what the applications read came from memory.",
            "Maven fetches the jars of each application when they are first needed."
        })
public final class GuidesTest implements Callable<Integer> {
    private static final long MEMORY_BYTES = 512L << 20;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "PAGE",
            defaultValue = "hbase,hive,mapreduce,spark",
            description = "pages to follow (${DEFAULT-VALUE})")
    private List<Guide> guides = List.of();

    @Mixin
    private TestRun testRun = new TestRun();

    @Override
    public Integer call() throws IOException, InterruptedException {
        return testRun.run("guides", this::run);
    }

    private void run(Path dir, ResultSheet sheet) throws IOException, InterruptedException {
        ClusterSpec spec = ClusterSpec.of(1, MEMORY_BYTES).withProperties(RemoteBenchmark.settings());
        try (TemporaryCluster cluster = TemporaryCluster.up(dir.resolve("cluster"), spec)) {
            for (Guide guide : guides) {
                new GuideRun(cluster.cluster(), TestRun.root(), sheet).run(guide, dir.resolve(guide.toString()));
            }
        }
    }
}
