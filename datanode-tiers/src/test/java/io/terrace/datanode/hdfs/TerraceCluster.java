package io.terrace.datanode.hdfs;

import static java.util.Objects.requireNonNull;
import static org.awaitility.Awaitility.await;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.conf.TerraceSettings;
import io.terrace.datanode.move.CopyQueue;
import io.terrace.fs.TerraceFileSystem;
import io.terrace.metrics.Metric;
import io.terrace.protocol.MoveResult;
import java.io.IOException;
import java.net.BindException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CacheFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.CacheDirectiveInfo;
import org.apache.hadoop.hdfs.protocol.CachePoolInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;

/** A small cluster whose DataNodes have Terrace, each with a memory directory of its own. */
final class TerraceCluster implements AutoCloseable {

    static final int BLOCK_BYTES = 1 << 20;

    /** As the address of the DataNodes: reachable from other networks than loopback too. */
    static final String ANY_ADDRESS = "0.0.0.0:0";

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private final Path scratch;
    private final MiniDFSCluster cluster;
    private final List<TerraceDataNodePlugin> plugins = new ArrayList<>();
    private final List<Path> memoryDirs = new ArrayList<>();

    static Configuration configuration() {
        Configuration conf = new HdfsConfiguration();
        conf.set(
                "dfs.datanode.fsdataset.factory",
                "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.TerraceDatasetFactory");
        conf.setLong(DFSConfigKeys.DFS_BLOCK_SIZE_KEY, BLOCK_BYTES);
        conf.setInt(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY, 1);
        conf.setLong(DFSConfigKeys.DFS_NAMENODE_PATH_BASED_CACHE_REFRESH_INTERVAL_MS, 200);
        conf.setLong(DFSConfigKeys.DFS_CACHEREPORT_INTERVAL_MSEC_KEY, 200);
        conf.setLong(DFSConfigKeys.DFS_NAMENODE_PATH_BASED_CACHE_RETRY_INTERVAL_MS, 1000);
        conf.set(TerraceSettings.DATANODE_MEMORY_CAPACITY.key(), "64m");
        conf.set(TerraceSettings.DATANODE_HEARTBEAT_INTERVAL.key(), "100ms");
        conf.set(TerraceSettings.DATANODE_HEARTBEAT_INTERVAL_MIN.key(), "10ms");
        return conf;
    }

    static TerraceCluster start(int datanodes) throws IOException {
        return start(datanodes, configuration());
    }

    /** @param storage what the volumes of each DataNode are; two of disk when nothing is said */
    static TerraceCluster start(int datanodes, Configuration conf, StorageType... storage) throws IOException {
        StorageType[][] each = new StorageType[storage.length == 0 ? 0 : datanodes][];
        Arrays.fill(each, storage);
        TerraceCluster terrace = new TerraceCluster(datanodes, conf, each);
        for (int i = 0; i < datanodes; i++) {
            terrace.startPlugin(i);
        }
        return terrace;
    }

    /**
     * The DataNodes start their plugins themselves, so that a test cannot look into them.
     *
     * @param storage what the volumes of each DataNode are, one by one; two of disk when nothing is said
     */
    static TerraceCluster startByConfiguration(int datanodes, Configuration conf, StorageType[]... storage)
            throws IOException {
        return new TerraceCluster(datanodes, conf, storage);
    }

    private TerraceCluster(int datanodes, Configuration conf, StorageType[][] storage) throws IOException {
        boolean tmpfs = Files.isDirectory(SHARED_MEMORY) && Files.isWritable(SHARED_MEMORY);
        scratch = tmpfs
                ? Files.createTempDirectory(SHARED_MEMORY, "terrace-test")
                : Files.createTempDirectory("terrace-test");
        if (!tmpfs) {
            conf.setBoolean(TerraceSettings.DATANODE_MEMORY_REQUIRE_TMPFS.key(), false);
        }
        Files.createDirectory(scratch.resolve("channel"));
        conf.set(TerraceSettings.CHANNEL_DIR.key(), scratch.resolve("channel").toString());
        Configuration[] overlays = new Configuration[datanodes];
        for (int i = 0; i < datanodes; i++) {
            Path memory = Files.createDirectories(scratch.resolve("memory" + i));
            memoryDirs.add(memory);
            overlays[i] = new Configuration(false);
            overlays[i].set(TerraceSettings.DATANODE_MEMORY_DIR.key(), memory.toString());
            if (storage.length > 0 && List.of(storage[i]).contains(StorageType.NVDIMM)) {
                Path local = Files.createDirectories(nvmLocalDir(i));
                overlays[i].set(
                        TerraceSettings.DATANODE_NVM_LOCAL_DIR.key(),
                        conf.get(TerraceSettings.DATANODE_NVM_LOCAL_DIR.key(), local.toString()));
            }
        }
        cluster = new MiniDFSCluster.Builder(
                        conf, scratch.resolve("dfs").toFile().getAbsoluteFile())
                .numDataNodes(datanodes)
                .dataNodeConfOverlays(overlays)
                .storagesPerDatanode(storage.length == 0 ? 2 : storage[0].length)
                .storageTypes(storage.length == 0 ? null : storage)
                .checkDataNodeAddrConfig(ANY_ADDRESS.equals(conf.get(DFSConfigKeys.DFS_DATANODE_ADDRESS_KEY)))
                .build();
        cluster.waitActive();
        for (int i = 0; i < datanodes; i++) {
            plugins.add(null);
        }
    }

    void startPlugin(int i) {
        TerraceDataNodePlugin plugin = new TerraceDataNodePlugin();
        plugin.start(datanode(i));
        plugins.set(i, plugin);
        await().atMost(Duration.ofSeconds(60)).until(() -> serviceOrNull(i) != null);
    }

    /** As DataNode does it: plugins first. */
    void restartDataNode(int i) throws IOException {
        plugins.get(i).stop();
        MiniDFSCluster.DataNodeProperties stopped = cluster.stopDataNode(i);
        // A connection of another process may have one of its ports for a moment.
        await().atMost(Duration.ofSeconds(60))
                .ignoreExceptionsInstanceOf(BindException.class)
                .until(() -> cluster.restartDataNode(stopped, true));
        cluster.waitActive();
        startPlugin(i);
    }

    void stopPlugin(int i) {
        plugins.get(i).stop();
    }

    MiniDFSCluster cluster() {
        return cluster;
    }

    DataNode datanode(int i) {
        return cluster.getDataNodes().get(i);
    }

    Path memoryDir(int i) {
        return memoryDirs.get(i);
    }

    /** Where clients of this host open replicas on NVM, unless a test names another directory, or none. */
    Path nvmLocalDir(int i) {
        return scratch.resolve("nvm" + i);
    }

    /** Where this cluster keeps everything. */
    Path scratch() {
        return scratch;
    }

    /** A client of its own that reads through grants where stock HDFS asks the replica accessor. */
    DistributedFileSystem grantedClient() throws IOException {
        return clientWith("dfs.client.replica.accessor.builder.classes", "io.terrace.client.TerraceAccessorBuilder");
    }

    /** A client of its own of our FileSystem class, which sees the memory of this host. */
    DistributedFileSystem memoryFirstClient() throws IOException {
        return clientWith("fs.hdfs.impl", TerraceFileSystem.class.getName());
    }

    private DistributedFileSystem clientWith(String key, String value) throws IOException {
        Configuration conf = new Configuration(cluster.getConfiguration(0));
        conf.set(key, value);
        conf.set(TerraceSettings.CHANNEL_DIR.key(), scratch.resolve("channel").toString());
        conf.set("terrace.client.report.interval", "100ms");
        conf.set("terrace.client.refused.pause", "50ms");
        conf.set("terrace.client.connect.pause", "50ms");
        return (DistributedFileSystem) FileSystem.newInstance(cluster.getURI(), conf);
    }

    DataNodeTiers service(int i) {
        return requireNonNull(serviceOrNull(i));
    }

    private DataNodeTiers serviceOrNull(int i) {
        return plugins.get(i).running() instanceof PluginStarter thread ? thread.service() : null;
    }

    long figure(int datanode, Metric metric) {
        return service(datanode).metricRegistry().value(metric);
    }

    DistributedFileSystem fs() throws IOException {
        return cluster.getFileSystem();
    }

    org.apache.hadoop.fs.Path write(String name, int bytes, int replication) throws IOException {
        org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path("/" + name);
        try (FSDataOutputStream out = fs().create(path, (short) replication)) {
            out.write(contents(name, bytes));
        }
        return path;
    }

    static byte[] contents(String name, int bytes) {
        byte[] contents = new byte[bytes];
        new Random(name.hashCode()).nextBytes(contents);
        return contents;
    }

    byte[] read(org.apache.hadoop.fs.Path path) throws IOException {
        try (FSDataInputStream in = fs().open(path)) {
            return in.readAllBytes();
        }
    }

    LocatedBlock located(org.apache.hadoop.fs.Path path, int index) throws IOException {
        return fs().getClient()
                .getLocatedBlocks(path.toString(), 0, Long.MAX_VALUE)
                .get(index);
    }

    BlockKey key(org.apache.hadoop.fs.Path path, int index) throws IOException {
        ExtendedBlock block = located(path, index).getBlock();
        return new BlockKey(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp());
    }

    long pin(org.apache.hadoop.fs.Path path, int replication) throws IOException {
        if (!fs().listCachePools().hasNext()) {
            fs().addCachePool(new CachePoolInfo("pool"));
        }
        return fs().addCacheDirective(
                        new CacheDirectiveInfo.Builder()
                                .setPath(path)
                                .setPool("pool")
                                .setReplication((short) replication)
                                .build(),
                        EnumSet.noneOf(CacheFlag.class));
    }

    /** As the placement service would order it. */
    MoveResult promote(int datanode, BlockKey key, long lengthBytes) throws Exception {
        CompletableFuture<MoveResult> result = new CompletableFuture<>();
        service(datanode)
                .promotions()
                .submit(new CopyQueue.Order(new BlockVersion(key, lengthBytes), false, () -> true, result::complete));
        return result.get(30, TimeUnit.SECONDS);
    }

    void awaitResident(int datanode, BlockKey key) {
        await().alias(key + " in memory")
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> service(datanode).tier().isResident(key));
    }

    void awaitGone(int datanode, BlockKey key) {
        await().alias(key + " not in memory")
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> !service(datanode).tier().isResident(key));
    }

    @Override
    public void close() throws IOException {
        for (TerraceDataNodePlugin plugin : plugins) {
            if (plugin != null) {
                plugin.stop();
            }
        }
        cluster.shutdown();
        try (Stream<Path> files = Files.walk(scratch)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
