package io.terrace.bench.cli;

import io.terrace.bench.cluster.ClusterSpec;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options that say what a new cluster is to be. */
final class ClusterOptions {
    @Option(names = "--datanodes", paramLabel = "N", defaultValue = "2", description = "DataNodes (${DEFAULT-VALUE})")
    int datanodes;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            defaultValue = "256m",
            converter = ByteSize.class,
            description = "memory tier of each DataNode (${DEFAULT-VALUE})")
    long memoryBytes;

    @Option(
            names = "--block-size",
            paramLabel = "SIZE",
            defaultValue = "128m",
            converter = ByteSize.class,
            description = "block size of new files (${DEFAULT-VALUE})")
    long blockBytes;

    @Option(
            names = "--replication",
            paramLabel = "N",
            defaultValue = "0",
            description = "replicas of a file (3, or the number of DataNodes if that is less)")
    int replication;

    @Option(names = "--stock", description = "daemons without Terrace")
    boolean stock;

    @Option(names = "--block-tokens", description = "reads need a block token")
    boolean blockTokens;

    @Option(
            names = "--native",
            paramLabel = "DIR",
            defaultValue = "",
            description = "directory of libhadoop.so for the DataNodes: then stock short-circuit reads work")
    String nativeDir;

    @Option(
            names = "--heap",
            paramLabel = "MB",
            defaultValue = "256",
            description = "heap of each daemon, MB (${DEFAULT-VALUE})")
    int heapMb;

    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            description = "one more property for every daemon and client; may be repeated")
    Map<String, String> properties = new LinkedHashMap<>();

    ClusterSpec spec() {
        int replicas = replication == 0 ? Math.min(3, datanodes) : replication;
        // Daemons have another working directory.
        String libraries =
                nativeDir.isEmpty() ? "" : Path.of(nativeDir).toAbsolutePath().toString();
        return new ClusterSpec(
                datanodes, memoryBytes, blockBytes, replicas, !stock, blockTokens, libraries, heapMb, properties);
    }
}
