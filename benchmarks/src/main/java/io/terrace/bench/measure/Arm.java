package io.terrace.bench.measure;

import io.terrace.bench.cluster.LocalCluster;
import io.terrace.conf.TerraceSettings;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One way in which a workload's processes read HDFS: nothing of the workload differs but these client settings.
 *
 * @param name for figures
 * @param properties over the cluster's stock client settings
 * @param ours whether its reads must come from memory through Terrace
 */
public record Arm(String name, Map<String, String> properties, boolean ours) {
    public static final String STOCK = "stock";
    public static final String SHORT_CIRCUIT = "sctuned";
    public static final String LOCAL = "local";
    public static final String REMOTE = "remote";

    private static final String CLASS = "io.terrace.fs.TerraceFileSystem";
    private static final String CONTEXT_CLASS = "io.terrace.fs.TerraceAbstractFileSystem";

    /** Stock HDFS over TCP. */
    public static Arm stock() {
        return new Arm(STOCK, Map.of(), false);
    }

    /** Stock short-circuit reads, with a buffer of the size that the workload reads. */
    public static Arm shortCircuit(LocalCluster cluster, int bufferBytes) {
        return new Arm(
                SHORT_CIRCUIT,
                Map.of(
                        "dfs.client.read.shortcircuit", "true",
                        "dfs.domain.socket.path",
                                cluster.layout().shortCircuit().toString(),
                        "dfs.client.read.shortcircuit.buffer.size", Integer.toString(bufferBytes)),
                false);
    }

    /** The FileSystem class on the DataNode's host. */
    public static Arm local(LocalCluster cluster) {
        return new Arm(
                LOCAL,
                Map.of(
                        "fs.hdfs.impl", CLASS,
                        "fs.AbstractFileSystem.hdfs.impl", CONTEXT_CLASS,
                        "terrace.channel.dir", cluster.layout().channel().toString()),
                true);
    }

    /** The same, with more of what is read kept mapped than a YARN container could afford. */
    public static Arm localMapped(LocalCluster cluster, long mappedBytes) {
        Arm local = local(cluster);
        Map<String, String> properties = new LinkedHashMap<>(local.properties);
        properties.put(TerraceSettings.CLIENT_MAPPED_MAX.key(), Long.toString(mappedBytes));
        return new Arm(LOCAL, properties, true);
    }

    /** The FileSystem class as on another host: tcp alone. */
    public static Arm remote() {
        return new Arm(REMOTE, Map.of("fs.hdfs.impl", CLASS, "fs.AbstractFileSystem.hdfs.impl", CONTEXT_CLASS), true);
    }
}
