package io.terrace.bench.writefaults;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.Daemon;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.Ports;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.faults.FaultVolumes;
import io.terrace.bench.faults.FullBlockReports;
import io.terrace.bench.faults.Link;
import io.terrace.bench.faults.SystemCommand;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;

/**
 * A cluster whose DataNodes, links and volumes can be made to fail, and mended.
 *
 * <p>All connections of the channel over tcp pass a {@link Link}: the port of a DataNode's channel is its transfer port and an
 * offset, and each DataNode and the clients have another offset.
 */
final class FaultCluster implements Closeable {
    static final int DATANODES = 4;

    /** A DataNode's offset is {@code -120N1}, that of the clients {@link #CLIENT_OFFSET}; all are where no connection begins. */
    private static final String OFFSET = "-120${" + LocalCluster.NUMBER_PROPERTY + "}1";

    static final int CLIENT_OFFSET = -12_001;
    private static final int FIRST_OFFSET = -12_001;
    private static final int OFFSET_STEP = -10;
    private static final int MOST_TRIES = 3;
    private static final long MEMORY_BYTES = 16L << 20;
    private static final int HEAP_MB = 96;
    private static final String VOLUME_SIZE = "160m";

    private final FaultVolumes volumes;
    private final TemporaryCluster temporary;
    private final LocalCluster cluster;
    private final DistributedFileSystem fs;

    /** By the DataNode that is connected to, and by the one that connects, 0 for clients. */
    private final Map<String, Link> links = new LinkedHashMap<>();

    /**
     * Brings a cluster up. The ports of its links follow from those of its DataNodes, which are drawn: if one of them is in use, the
     * cluster is made anew.
     *
     * @param properties more of every daemon and client
     */
    static FaultCluster up(Path dir, Path volumeRoot, Map<String, String> properties) throws IOException {
        for (int tries = 1; ; tries++) {
            FaultCluster faults = new FaultCluster(dir, volumeRoot, properties);
            try {
                faults.link();
                return faults;
            } catch (BindException inUse) {
                faults.close();
                if (tries == MOST_TRIES) {
                    throw inUse;
                }
            }
        }
    }

    private FaultCluster(Path dir, Path volumeRoot, Map<String, String> properties) throws IOException {
        this.volumes = new FaultVolumes(volumeRoot, DATANODES, VOLUME_SIZE);
        volumes.make();
        Map<String, String> all = settings(volumeRoot);
        all.putAll(properties);
        ClusterSpec plain = ClusterSpec.of(DATANODES, MEMORY_BYTES);
        ClusterSpec spec = new ClusterSpec(
                plain.datanodes(),
                MEMORY_BYTES,
                plain.blockBytes(),
                plain.replication(),
                true,
                false,
                "",
                HEAP_MB,
                all);
        this.temporary = TemporaryCluster.up(dir, spec);
        this.cluster = temporary.cluster();
        Configuration conf = cluster.confStock();
        conf.set("dfs.client.retry.policy.enabled", "true");
        this.fs = (DistributedFileSystem) FileSystem.newInstance(URI.create(cluster.fileSystemUri()), conf);
        // Without a block a NameNode does not wait for the extension of safe mode.
        try (OutputStream out = fs.create(new org.apache.hadoop.fs.Path("/first"), true, 4096, (short) 2, 1L << 20)) {
            out.write(1);
        }
    }

    private void link() throws IOException {
        for (int from = 0; from <= DATANODES; from++) {
            for (int to = 1; to <= DATANODES; to++) {
                if (from != to) {
                    int port = port(to);
                    links.put(from + ">" + to, new Link(port + offset(from), port + offset(to)));
                }
            }
        }
    }

    private static Map<String, String> settings(Path volumeRoot) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("terrace.channel.tcp.port.offset", OFFSET);
        all.put("dfs.datanode.data.dir", volumeRoot.toUri() + "${" + LocalCluster.NUMBER_PROPERTY + "}/data");
        all.put("hadoop.prometheus.endpoint.enabled", "true");
        // Only what is pinned comes into memory.
        all.put("terrace.placement.policy", "idecider");
        all.put("terrace.placement.idecider.threshold", "1000000000");
        // A fault shows within seconds, and is mended within seconds.
        all.put("dfs.client.socket-timeout", "3000");
        all.put("dfs.client.datanode-restart.timeout", "5");
        all.put("dfs.namenode.reconstruction.pending.timeout-sec", "5");
        all.put("dfs.namenode.replication.max-streams", "10");
        all.put("dfs.namenode.fs-limits.min-block-size", "1048576");
        all.put("dfs.datanode.disk.check.min.gap", "0ms");
        // A NameNode that starts refuses writers until it knows volumes: it stays in safe mode so long.
        all.put("dfs.namenode.safemode.min.datanodes", Integer.toString(DATANODES));
        all.put("dfs.namenode.safemode.extension", "2000");
        // By default a volume takes no block when it has less than a gigabyte.
        all.put("dfs.datanode.round-robin-volume-choosing-policy.additional-available-space", "0");
        return all;
    }

    private static int offset(int number) {
        return FIRST_OFFSET + OFFSET_STEP * number;
    }

    LocalCluster cluster() {
        return cluster;
    }

    DistributedFileSystem fs() {
        return fs;
    }

    FaultVolumes volumes() {
        return volumes;
    }

    /** Transfer port of a DataNode, counted from 1. */
    int port(int number) {
        return cluster.ports().datanodes().get(number - 1).transfer();
    }

    /** The DataNode with this transfer port, counted from 1. */
    int numberOf(int port) {
        return cluster.ports().datanodes().stream()
                        .map(Ports.DataNodePorts::transfer)
                        .toList()
                        .indexOf(port)
                + 1;
    }

    void setLinksTo(int datanode, Link.State state) {
        links.forEach((name, link) -> {
            if (name.endsWith(">" + datanode)) {
                link.set(state);
            }
        });
    }

    void signal(Daemon daemon, String signal) throws IOException {
        ProcessHandle process = daemon.process().orElse(null);
        if (process != null) {
            SystemCommand.signal(process, signal);
        }
    }

    /** Starts a daemon that was killed; it does not serve yet. */
    void restart(Daemon daemon) throws IOException {
        if (daemon.process().isEmpty()) {
            cluster.start(daemon);
        }
    }

    /** Has every DataNode send a full block report with its next heartbeat. */
    void sendBlockReports() throws IOException {
        FullBlockReports.send(cluster, fs.getConf());
    }

    /** Everything is as at the beginning, and serves. */
    void mend() throws IOException {
        for (Daemon daemon : cluster.daemons()) {
            signal(daemon, "CONT");
        }
        for (int i = 1; i <= DATANODES; i++) {
            setLinksTo(i, Link.State.OPEN);
            volumes.empty(i);
        }
        cluster.start();
    }

    @Override
    public void close() throws IOException {
        for (Link link : links.values()) {
            link.close();
        }
        for (Daemon daemon : cluster.daemons()) {
            signal(daemon, "CONT");
        }
        fs.close();
        temporary.close();
        volumes.remove();
    }
}
