package io.terrace.bench.soak;

import io.terrace.bench.cluster.ClusterSpec;
import io.terrace.bench.cluster.Daemon;
import io.terrace.bench.cluster.HaCluster;
import io.terrace.bench.cluster.HdfsCluster;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.TemporaryCluster;
import io.terrace.bench.faults.FaultVolumes;
import io.terrace.bench.faults.Link;
import io.terrace.bench.faults.SystemCommand;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Three DataNodes and a NameNode, or two, whose processes, links, volumes and memory can be made to fail, and mended.
 *
 * <p>Each DataNode has a volume of DISK, which HDFS writes to, and one of SSD, which only moves fill; both are on one tmpfs.
 *
 * <p>A DataNode listens at 127.0.0.1 and calls itself 127.0.1.N, where {@link Link}s of its transfer port, of its channel and of
 * its port for calls listen: all data over tcp passes them, Terrace's and stock's, and so do the calls of a recovery and of a
 * client that asks how long a file is which is being written.
 */
final class SoakCluster implements Closeable {
    static final int DATANODES = 3;

    static final long MEMORY_BYTES = 48L << 20;
    private static final String MEMORY_SIZE = "56m";
    private static final String VOLUME_SIZE = "768m";
    private static final int HEAP_MB = 128;
    private static final String SCAN_SECONDS = "3";
    private static final int OFFSET = -12_001;

    /** A client whose files are closed before all DataNodes have all of them. */
    private static final String CLOSES_EARLY = "c2";

    private final SoakOptions options;
    private final Path tmpfs;
    private final FaultVolumes volumes;
    private final FaultVolumes memories;
    private final HdfsCluster cluster;
    private final Optional<HaCluster> pair;
    private final Closeable owner;
    private final List<List<Link>> links = new ArrayList<>();

    /**
     * @param tmpfs a directory on tmpfs for volumes and memory
     * @param libhadoop its directory, for short-circuit reads
     */
    SoakCluster(Path dir, Path tmpfs, SoakOptions options, Optional<Path> libhadoop) throws IOException {
        this.options = options;
        this.tmpfs = tmpfs;
        this.volumes = new FaultVolumes(tmpfs.resolve("volumes"), DATANODES, VOLUME_SIZE);
        this.memories = new FaultVolumes(tmpfs.resolve("memory"), DATANODES, MEMORY_SIZE);
        volumes.make();
        memories.make();
        for (Path memory : memories.all()) {
            var searchable = PosixFilePermissions.fromString("rwx--x--x");
            Files.setPosixFilePermissions(memory, searchable);
            Files.createDirectory(memory.resolve("tier"), PosixFilePermissions.asFileAttribute(searchable));
        }
        ClusterSpec plain = ClusterSpec.of(DATANODES, MEMORY_BYTES);
        ClusterSpec spec = plain.withTerrace(options.terrace())
                .withHeapMb(HEAP_MB)
                .withNativeDir(libhadoop.map(Path::toString).orElse(""))
                .withProperties(properties());
        if (options.pair()) {
            HaCluster two = HaCluster.up(dir, spec);
            this.pair = Optional.of(two);
            this.cluster = two;
            this.owner = two;
        } else {
            TemporaryCluster one = TemporaryCluster.up(dir, spec);
            this.pair = Optional.empty();
            this.cluster = one.cluster();
            this.owner = one::close;
        }
        for (int i = 1; i <= DATANODES; i++) {
            int port = cluster.transferPort(i);
            links.add(List.of(link(i, port), link(i, port + OFFSET), link(i, cluster.ipcPort(i))));
        }
    }

    private static Link link(int datanode, int port) throws IOException {
        return new Link(
                new InetSocketAddress(InetAddress.getByName("127.0.1." + datanode), port),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    private Map<String, String> properties() {
        String number = "${" + LocalCluster.NUMBER_PROPERTY + "}";
        Map<String, String> all = new LinkedHashMap<>();
        // Both are full when their tmpfs is.
        String home = tmpfs.resolve("volumes").toUri() + number;
        all.put("dfs.datanode.data.dir", "[DISK]" + home + "/disk,[SSD]" + home + "/ssd");
        // What a kill amid a move leaves is found within seconds.
        all.put("dfs.datanode.directoryscan.interval", SCAN_SECONDS);
        all.put("dfs.datanode.hostname", "127.0.1." + number);
        all.put("dfs.client.use.datanode.hostname", "true");
        all.put("dfs.datanode.use.datanode.hostname", "true");
        // A fault shows within seconds, and is mended within seconds.
        all.put("dfs.client.socket-timeout", "3000");
        all.put("dfs.client.datanode-restart.timeout", "5");
        all.put("dfs.client.failover.max.attempts", "120");
        all.put("dfs.client.failover.sleep.base.millis", "100");
        all.put("dfs.client.failover.sleep.max.millis", "1000");
        all.put("dfs.client.retry.policy.enabled", "true");
        all.put("dfs.client.retry.policy.spec", "500,120,1000,120");
        all.put("dfs.client.block.write.replace-datanode-on-failure.best-effort", "true");
        all.put("dfs.namenode.reconstruction.pending.timeout-sec", "5");
        all.put("dfs.namenode.replication.max-streams", "10");
        all.put("dfs.namenode.fs-limits.min-block-size", "1048576");
        all.put("dfs.datanode.disk.check.min.gap", "0ms");
        // A NameNode that starts refuses writers until it knows all volumes.
        all.put("dfs.namenode.safemode.min.datanodes", Integer.toString(DATANODES));
        // By default a volume takes no block when it has less than a gigabyte.
        all.put("dfs.datanode.round-robin-volume-choosing-policy.additional-available-space", "0");
        if (options.terrace()) {
            all.put("terrace.datanode.memory.dir", tmpfs.resolve("memory") + "/" + number + "/tier");
            all.put("terrace.channel.tcp.port.offset", Integer.toString(OFFSET));
            all.put("terrace.placement.policy", "lru");
            all.put("terrace.placement.move.bandwidth", "1g");
            all.putAll(volumeMoves());
            // A bit that is flipped in memory is found at once.
            all.put("terrace.datanode.memory.scrub.interval", "1s");
            all.put("terrace.datanode.memory.scrub.bandwidth", "1g");
            all.put("terrace.datanode.grants.lease", "5s");
        }
        all.putAll(options.properties());
        return all;
    }

    /** Replicas go up and down within a round, slowly enough for files to change meanwhile. */
    private static Map<String, String> volumeMoves() {
        return Map.of(
                "terrace.placement.volume.bandwidth", "4m",
                // A DataNode that serves little would have no limit.
                "terrace.placement.idle.bandwidth", "0",
                "terrace.placement.volume.moves.in-flight", "8",
                "terrace.datanode.move.threads", "8",
                "terrace.placement.volume.cold", "20s",
                "terrace.placement.heat.half-life", "20s");
    }

    /** Properties of a client, as {@code key=value}. */
    List<String> clientProperties(String client) {
        List<String> all = new ArrayList<>();
        if (readsShortCircuit(client)) {
            all.addAll(ShortCircuit.clientProperties(cluster.layout()));
        }
        if (!options.terrace()) {
            return all;
        }
        all.addAll(List.of(
                "fs.hdfs.impl=io.terrace.fs.TerraceFileSystem",
                "terrace.client.write.enabled=true",
                "terrace.client.write.through=true",
                "terrace.channel.dir=" + cluster.layout().channel()));
        if (client.equals(CLOSES_EARLY)) {
            all.add("terrace.client.write.close=minimal");
        }
        if (options.provider() == SoakOptions.Provider.TCP) {
            all.add("terrace.client.local=false");
            all.add("terrace.client.remote.choice=memory");
        }
        return all;
    }

    boolean readsShortCircuit(String client) {
        return client.equals(ShortCircuit.CLIENT) && !cluster.spec().nativeDir().isEmpty();
    }

    HdfsCluster cluster() {
        return cluster;
    }

    /** The cluster, if it has two NameNodes. */
    Optional<HaCluster> pair() {
        return pair;
    }

    FaultVolumes volumes() {
        return volumes;
    }

    FaultVolumes memories() {
        return memories;
    }

    boolean isDataNode(Daemon daemon) {
        return daemon.name().startsWith("datanode");
    }

    /** Name of the DataNode on whose volumes a file is. */
    String datanodeOf(Path file) {
        return cluster.datanode(numberOf(file)).name();
    }

    /** The port for data of the DataNode on whose volumes a file is. */
    int transferPortOf(Path file) {
        return cluster.transferPort(numberOf(file));
    }

    private int numberOf(Path file) {
        return IntStream.rangeClosed(1, DATANODES)
                .filter(i -> file.startsWith(volumes.of(i)))
                .findFirst()
                .orElseThrow();
    }

    /** A JournalNode is stock HDFS alone. */
    boolean mayRunTerrace(Daemon daemon) {
        return isDataNode(daemon) || daemon.name().startsWith("namenode");
    }

    /** The file system of a DataNode's memory tier; empty for another daemon. */
    Optional<Path> memoryOf(Daemon daemon) {
        return IntStream.rangeClosed(1, DATANODES)
                .filter(i -> cluster.datanode(i).name().equals(daemon.name()))
                .mapToObj(memories::of)
                .findFirst();
    }

    void setLinks(int datanode, Link.State state) {
        links.get(datanode - 1).forEach(link -> link.set(state));
    }

    /** The connections of its links that were there since {@link #setLinks} made them fail, or were to be made. */
    long connectionsMet(int datanode) {
        return links.get(datanode - 1).stream().mapToLong(Link::connectionsMet).sum();
    }

    void signal(Daemon daemon, String signal) throws IOException {
        ProcessHandle process = daemon.process().orElse(null);
        if (process != null) {
            SystemCommand.signal(process, signal);
        }
    }

    /** Starts a daemon that is not there; it does not serve yet. */
    void restart(Daemon daemon) throws IOException {
        if (daemon.process().isEmpty()) {
            cluster.start(daemon);
        }
    }

    /** Everything is as at the beginning, and serves. */
    void mend() throws IOException {
        for (Daemon daemon : cluster.daemons()) {
            signal(daemon, "CONT");
        }
        for (int i = 1; i <= DATANODES; i++) {
            setLinks(i, Link.State.OPEN);
            volumes.empty(i);
            memories.empty(i);
        }
        cluster.start();
    }

    @Override
    public void close() throws IOException {
        for (Link link : links.stream().flatMap(List::stream).toList()) {
            link.close();
        }
        for (Daemon daemon : cluster.daemons()) {
            signal(daemon, "CONT");
        }
        owner.close();
        volumes.remove();
        memories.remove();
        LocalCluster.deleteTree(tmpfs);
    }
}
