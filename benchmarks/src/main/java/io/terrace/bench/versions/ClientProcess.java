package io.terrace.bench.versions;

import io.terrace.bench.cluster.ClassPath;
import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs a {@link ReadingClient} to its end.
 *
 * @param logs directory of its output
 * @param cluster that it reads from
 * @param hot the file that is in memory
 */
record ClientProcess(Path logs, LocalCluster cluster, KnownFile hot) {
    /** How a client is told to use Terrace, by the name in figures: settings over those of the cluster's clients. */
    static final Map<String, List<String>> WAYS = Map.of(
            "accessor",
            List.of("dfs.client.replica.accessor.builder.classes=io.terrace.client.TerraceAccessorBuilder"),
            "filesystem",
            List.of("fs.hdfs.impl=io.terrace.fs.TerraceFileSystem"));

    private static final int LIMIT_SECONDS = 60;

    /** What it read, and what it wrote to its output. */
    record Result(KnownFile.Read read, List<String> log) {
        double memoryShare() {
            return (double) read.memoryBytes() / read.bytes();
        }
    }

    /**
     * Runs it.
     *
     * @param name of its log and of the file that it writes
     * @param settings over those of the cluster's clients
     */
    Result run(String name, ClassPath classPath, List<String> settings) throws IOException {
        List<String> words = new ArrayList<>(List.of(
                ReadingClient.class.getName(),
                hot.path(),
                Integer.toString(hot.number()),
                Long.toString(hot.lengthBytes()),
                "/of-" + name));
        words.addAll(settings);
        String output = new JavaProcess.Home(logs, classPath.text())
                .run(name, cluster.layout().conf(), List.of("-Xmx256m"), words, LIMIT_SECONDS);
        List<String> lines = output.lines().toList();
        String[] numbers = lines.stream()
                .filter(line -> line.startsWith(ReadingClient.RESULT))
                .findFirst()
                .orElseThrow(() -> new ClusterException("the client printed no result:\n" + output))
                .substring(ReadingClient.RESULT.length())
                .split(" ", -1);
        return new Result(
                new KnownFile.Read(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), Long.parseLong(numbers[2])),
                lines);
    }
}
