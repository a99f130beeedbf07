package io.terrace.bench.measure;

import io.terrace.bench.cluster.LocalCluster;
import io.terrace.conf.TerraceSettings;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * One way in which clients read HDFS. Variants differ in these settings only.
 *
 * @param name for tables and figures
 * @param properties over the settings of a client
 */
public record ClientVariant(String name, Map<String, String> properties) {
    public static final String STOCK = "stock";
    public static final String SHORT_CIRCUIT = "sctuned";
    public static final String LOCAL = "local";
    public static final String REMOTE = "remote";

    private static final String CONTEXT_KEY = "dfs.client.context";
    private static final String FILE_SYSTEM_KEY = "fs.hdfs.impl";

    /**
     * A file system of its own with its own caches, so that clients that are compared do not warm each other up.
     *
     * @param name for tables
     * @param fs reads in the variant's way
     */
    public record Client(String name, FileSystem fs) implements Closeable {
        @Override
        public void close() throws IOException {
            fs.close();
        }
    }

    /** Stock HDFS over TCP. */
    public static ClientVariant stock() {
        return new ClientVariant(STOCK, Map.of());
    }

    /** Stock short-circuit reads, with a buffer of the size that the workload reads. */
    public static ClientVariant shortCircuit(LocalCluster cluster, int bufferBytes) {
        return new ClientVariant(
                SHORT_CIRCUIT,
                Map.of(
                        "dfs.client.read.shortcircuit", "true",
                        "dfs.domain.socket.path",
                                cluster.layout().shortCircuit().toString(),
                        "dfs.client.read.shortcircuit.buffer.size", Integer.toString(bufferBytes)));
    }

    /** The FileSystem class on the DataNode's host. */
    public static ClientVariant local(LocalCluster cluster) {
        return remote().with(
                        LOCAL,
                        Map.of("terrace.channel.dir", cluster.layout().channel().toString()));
    }

    /** The same, with more memory mapped than a YARN container could afford. */
    public static ClientVariant localMapped(LocalCluster cluster, long mappedBytes) {
        return local(cluster).with(LOCAL, Map.of(TerraceSettings.CLIENT_MAPPED_MAX.key(), Long.toString(mappedBytes)));
    }

    /** The FileSystem class as on another host: tcp alone. */
    public static ClientVariant remote() {
        return new ClientVariant(
                REMOTE,
                Map.of(
                        FILE_SYSTEM_KEY,
                        "io.terrace.fs.TerraceFileSystem",
                        "fs.AbstractFileSystem.hdfs.impl",
                        "io.terrace.fs.TerraceAbstractFileSystem"));
    }

    /** This with more properties and another name. */
    public ClientVariant with(String otherName, Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(properties);
        all.putAll(more);
        return new ClientVariant(otherName, all);
    }

    /** Whether its reads must come from memory through Terrace's FileSystem class. */
    public boolean ours() {
        return properties.containsKey(FILE_SYSTEM_KEY);
    }

    /**
     * Opens a client.
     *
     * @param conf of the client without this variant's properties, copied
     */
    public Client open(Configuration conf) throws IOException {
        Configuration own = new Configuration(conf);
        properties.forEach(own::set);
        // Caches of connections, file descriptors and short-circuit slots belong to this context.
        if (!properties.containsKey(CONTEXT_KEY)) {
            own.set(CONTEXT_KEY, "bench-" + name);
        }
        return new Client(name, FileSystem.newInstance(URI.create(own.get("fs.defaultFS")), own));
    }
}
