package io.terrace.datanode.hdfs;

import static org.awaitility.Awaitility.await;

import io.terrace.client.ClientMetrics;
import io.terrace.conf.TerraceSettings;
import io.terrace.fs.TerraceFileSystem;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** A client that does not see the memory of the DataNodes' host, as on another host or in a container. */
final class OtherHostClient implements AutoCloseable {

    private static final int ANSWERS = 12;

    private final FileSystem fs;
    private final Duration patience;

    /** @param patience to wait for an answer; what takes several has {@value #ANSWERS} times as long */
    OtherHostClient(URI cluster, Configuration conf, Duration patience) throws IOException {
        this.fs = FileSystem.newInstance(cluster, configuration(conf, patience));
        this.patience = patience;
    }

    static OtherHostClient of(TerraceCluster cluster, Duration patience) throws IOException {
        return new OtherHostClient(cluster.cluster().getURI(), cluster.fs().getConf(), patience);
    }

    /** For a client of the cluster of this configuration, with more time than many tests on two cores take. */
    static Configuration configuration(Configuration cluster, Duration patience) {
        Configuration conf = new Configuration(cluster);
        // Bytes are counted: none may come from stock to know what it takes.
        conf.set("terrace.client.remote.choice", "memory");
        conf.set("fs.hdfs.impl", TerraceFileSystem.class.getName());
        conf.unset(TerraceSettings.CHANNEL_DIR.key());
        String timeout = patience.toMillis() + "ms";
        conf.set("terrace.client.tcp.timeout", timeout);
        conf.set("terrace.client.tcp.connect.timeout", timeout);
        return conf;
    }

    /** What the clients of this process have read from other hosts' memory and NVM. */
    static long bytes() {
        return ClientMetrics.value(Metric.CLIENT_REMOTE_BYTES);
    }

    FileSystem fs() {
        return fs;
    }

    byte[] read(Path file) throws IOException {
        try (FSDataInputStream in = fs.open(file)) {
            return in.readAllBytes();
        }
    }

    /** Reads the file until all of it comes from memory or NVM: a client hears of a new block within a moment. */
    void awaitGranted(Path file, int bytes) {
        await().atMost(patience.multipliedBy(ANSWERS)).until(() -> {
            long before = bytes();
            byte[] unused = read(file);
            return bytes() - before >= bytes;
        });
    }

    @Override
    public void close() throws IOException {
        fs.close();
    }
}
