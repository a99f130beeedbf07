package io.terrace.bench.tiers;

import io.terrace.bench.cluster.LocalCluster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.tools.DFSck;
import org.apache.hadoop.util.ToolRunner;

/** Stock's fsck, run in this process as {@code hdfs fsck PATH -files -blocks -storagepolicies} runs it. */
final class StockFsck {

    private StockFsck() {}

    /** What it says, line by line, without those that say when it ran and for how long. */
    static List<String> run(LocalCluster cluster, Path path) throws IOException {
        Configuration conf = new Configuration(cluster.confStock());
        conf.set("dfs.namenode.http-address", "localhost:" + cluster.ports().namenodeHttp());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8)) {
            ToolRunner.run(
                    new DFSck(conf, print), new String[] {path.toString(), "-files", "-blocks", "-storagepolicies"});
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("fsck failed", e);
        }
        List<String> lines = withoutTimes(out.toString(StandardCharsets.UTF_8));
        if (lines.stream().noneMatch(line -> line.contains("HEALTHY"))) {
            throw new IOException("fsck found " + path + " not healthy: " + String.join("\n", lines));
        }
        return lines;
    }

    static List<String> withoutTimes(String text) {
        return text.lines()
                .filter(line -> !line.startsWith("FSCK started") && !line.startsWith("FSCK ended"))
                .toList();
    }

    /** How many lines of either are not in the other one. */
    static int differences(List<String> one, List<String> other) {
        List<String> left = new ArrayList<>(one);
        int missing = 0;
        for (String line : other) {
            missing += left.remove(line) ? 0 : 1;
        }
        return missing + left.size();
    }
}
