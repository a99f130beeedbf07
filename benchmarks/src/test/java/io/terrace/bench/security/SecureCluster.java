package io.terrace.bench.security;

import static org.awaitility.Awaitility.await;

import io.terrace.bench.conformance.datanode.ConformanceTier;
import io.terrace.common.BlockKey;
import io.terrace.conf.PlacementPort;
import io.terrace.conf.Setting;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import io.terrace.metrics.Series;
import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.proto.AdminProtos.HotBlockProto;
import io.terrace.protocol.proto.AdminProtos.TiersRequestProto;
import io.terrace.protocol.proto.AdminProtos.TopRequestProto;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.http.HttpConfig;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.minikdc.MiniKdc;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.ssl.KeyStoreTestUtil;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

/**
 * A KDC, a NameNode and a DataNode with Kerberos, service-level authorization, block tokens and private data transfer, and
 * Terrace switched on in all of them by nothing but configuration. Every block is in memory once it is written.
 */
final class SecureCluster implements AutoCloseable {
    static final Duration LEASE = Duration.ofSeconds(2);
    static final Duration DEADLINE = Duration.ofMillis(500);
    static final int GRANTS_PER_PEER = 6;
    static final int GRANTS = 60;
    static final String ADMIN = "carol";
    static final int TCP_OFFSET = -29_000;

    private static final int SERVICE_OFFSET = -28_300;

    private final Path scratch;
    private final MiniKdc kdc;
    private final File keytab;
    private final Configuration conf;
    private final MiniDFSCluster cluster;
    private final Map<String, UserGroupInformation> users = new HashMap<>();

    private SecureCluster(Path scratch) throws Exception {
        this.scratch = scratch;
        kdc = new MiniKdc(
                MiniKdc.createConf(),
                Files.createDirectory(scratch.resolve("kdc")).toFile());
        kdc.start();
        keytab = scratch.resolve("all.keytab").toFile();
        kdc.createPrincipal(keytab, "hdfs/localhost", "HTTP/localhost", "alice", "bob", ADMIN);
        conf = configuration();
        UserGroupInformation.setConfiguration(conf);
        try {
            cluster = new MiniDFSCluster.Builder(conf, scratch.resolve("dfs").toFile())
                    .numDataNodes(1)
                    .build();
        } catch (Exception | Error e) {
            leaveSecureMode();
            throw e;
        }
    }

    static SecureCluster start() throws Exception {
        Path memory = Path.of("/dev/shm");
        Path scratch = Files.isWritable(memory)
                ? Files.createTempDirectory(memory, "terrace-secure")
                : Files.createTempDirectory("terrace-secure");
        Files.setPosixFilePermissions(scratch, java.nio.file.attribute.PosixFilePermissions.fromString("rwx--x--x"));
        SecureCluster secure = new SecureCluster(scratch);
        try {
            secure.cluster.waitActive();
            await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(secure::isServed);
        } catch (Exception | Error e) {
            secure.close();
            throw e;
        }
        return secure;
    }

    private Configuration configuration() throws Exception {
        Configuration secure = new HdfsConfiguration();
        secure.set("hadoop.security.authentication", "kerberos");
        secure.set("hadoop.security.authorization", "true");
        secure.set("hadoop.security.auth_to_local", "RULE:[2:$1](hdfs)s/.*/hdfs/\nDEFAULT");
        for (String daemon : List.of("namenode", "datanode")) {
            secure.set("dfs." + daemon + ".kerberos.principal", "hdfs/localhost@" + kdc.getRealm());
            secure.set("dfs." + daemon + ".keytab.file", keytab.getPath());
        }
        secure.set(DFSConfigKeys.DFS_NAMENODE_HTTPS_ADDRESS_KEY, "localhost:0");
        secure.set(DFSConfigKeys.DFS_DATANODE_HTTPS_ADDRESS_KEY, "localhost:0");
        secure.set("dfs.web.authentication.kerberos.principal", "HTTP/localhost@" + kdc.getRealm());
        secure.set("dfs.web.authentication.kerberos.keytab", keytab.getPath());
        secure.setBoolean(DFSConfigKeys.DFS_BLOCK_ACCESS_TOKEN_ENABLE_KEY, true);
        secure.set(DFSConfigKeys.DFS_DATA_TRANSFER_PROTECTION_KEY, "privacy");
        secure.set(DFSConfigKeys.DFS_HTTP_POLICY_KEY, HttpConfig.Policy.HTTPS_ONLY.name());
        secure.setInt(DFSConfigKeys.DFS_HEARTBEAT_INTERVAL_KEY, 1);
        secure.set("fs.permissions.umask-mode", "022");
        KeyStoreTestUtil.setupSSLConfig(scratch.toString(), sslClasses(), secure, false);

        secure.set(
                "dfs.datanode.fsdataset.factory",
                "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.TerraceDatasetFactory");
        secure.set("dfs.datanode.plugins", "io.terrace.datanode.hdfs.TerraceDataNodePlugin");
        secure.set("dfs.namenode.plugins", "io.terrace.placement.hdfs.TerraceNameNodePlugin");
        secure.set("fs.hdfs.impl", "io.terrace.fs.TerraceFileSystem");
        secure.setBoolean(ConformanceTier.PROMOTE_AT_ONCE, true);
        set(secure, TerraceSettings.DATANODE_MEMORY_CAPACITY, "32m");
        set(secure, TerraceSettings.DATANODE_MEMORY_DIR, Files.createDirectory(scratch.resolve("memory")));
        set(secure, TerraceSettings.DATANODE_MEMORY_REQUIRE_TMPFS, scratch.startsWith("/dev/shm"));
        set(secure, TerraceSettings.CHANNEL_DIR, Files.createDirectory(scratch.resolve("channel")));
        set(secure, TerraceSettings.CHANNEL_TCP_PORT_OFFSET, TCP_OFFSET);
        set(secure, TerraceSettings.DATANODE_GRANTS_LEASE, LEASE.toMillis() + "ms");
        set(secure, TerraceSettings.DATANODE_GRANTS_DEADLINE, DEADLINE.toMillis() + "ms");
        set(secure, TerraceSettings.DATANODE_GRANTS_MAX, GRANTS);
        set(secure, TerraceSettings.DATANODE_GRANTS_PER_PEER_MAX, GRANTS_PER_PEER);
        set(secure, TerraceSettings.DATANODE_HEARTBEAT_INTERVAL, "100ms");
        set(secure, TerraceSettings.CLIENT_CONNECT_PAUSE, "50ms");
        set(secure, TerraceSettings.CLIENT_REFUSED_PAUSE, "50ms");
        set(secure, TerraceSettings.CLIENT_GRANT_IDLE, "1s");
        set(secure, TerraceSettings.PLACEMENT_PORT_OFFSET, SERVICE_OFFSET);
        set(secure, TerraceSettings.PLACEMENT_ADMIN_ACL, ADMIN);
        return secure;
    }

    private static void set(Configuration conf, Setting<?> key, Object value) {
        conf.set(key.key(), value.toString());
    }

    private static String sslClasses() throws Exception {
        return KeyStoreTestUtil.getClasspathDir(SecureCluster.class);
    }

    /** The DataNode's heartbeats, which it sends with Kerberos, are heard. */
    private boolean isServed() throws Exception {
        return as(ADMIN, proxy -> proxy.tiers(null, TiersRequestProto.getDefaultInstance())).getNodesList().stream()
                .anyMatch(node -> node.getLive() && node.getServing());
    }

    MiniDFSCluster cluster() {
        return cluster;
    }

    DataNode datanode() {
        return cluster.getDataNodes().get(0);
    }

    /** What the DataNode counts, as everybody sees it in JMX. */
    long figure(Metric figure) {
        Series series = Series.of(figure);
        String tag = series.tag() == null ? "" : "," + series.tag();
        MetricsCollectorImpl collector = new MetricsCollectorImpl();
        DefaultMetricsSystem.instance()
                .getSource("TerraceDataNode,datanode=" + datanode().getDatanodeUuid() + tag)
                .getMetrics(collector, true);
        for (AbstractMetric metric : collector.getRecords().get(0).metrics()) {
            if (metric.name().equals(series.attribute())) {
                return metric.value().longValue();
            }
        }
        throw new AssertionError("the DataNode does not show " + figure);
    }

    /** Clients that keep the rules give back what they do not use; what is held after that, a test holds. */
    void awaitNoGrants() {
        await().atMost(Duration.ofSeconds(30)).until(() -> figure(Metric.MEMORY_GRANTS) == 0);
    }

    BlockTokenSecretManager secrets() {
        return cluster.getNamesystem().getBlockManager().getBlockTokenSecretManager();
    }

    /** A token to read this block that ends so soon. */
    byte[] tokenFor(String name, LocatedBlock located, Duration lifetime) throws IOException {
        BlockTokenSecretManager secrets = secrets();
        secrets.setTokenLifetime(lifetime.toMillis());
        try {
            return bytes(secrets.generateToken(
                    name, located.getBlock(), EnumSet.of(AccessMode.READ), new StorageType[0], new String[0]));
        } finally {
            secrets.setTokenLifetime(Duration.ofHours(10).toMillis());
        }
    }

    UserGroupInformation user(String name) throws IOException {
        UserGroupInformation user = users.get(name);
        if (user == null) {
            user = UserGroupInformation.loginUserFromKeytabAndReturnUGI(name + "@" + kdc.getRealm(), keytab.getPath());
            users.put(name, user);
        }
        return user;
    }

    /** Does something with a file system of this user's own. */
    <T> T with(String name, OnFiles<T> work) throws Exception {
        return with(name, conf, work);
    }

    /** The same as a client that does not see the memory of the DataNode's host. */
    <T> T fromElsewhere(String name, OnFiles<T> work) throws Exception {
        Configuration elsewhere = new Configuration(conf);
        elsewhere.unset(TerraceSettings.CHANNEL_DIR.key());
        return with(name, elsewhere, work);
    }

    private <T> T with(String name, Configuration client, OnFiles<T> work) throws Exception {
        return user(name).doAs((PrivilegedExceptionAction<T>) () -> {
            try (FileSystem files = FileSystem.newInstance(cluster.getURI(), client)) {
                return work.on(files);
            }
        });
    }

    /** What is done with a file system. */
    interface OnFiles<T> {
        T on(FileSystem files) throws Exception;
    }

    /** A call of the service. */
    interface Call<T> {
        T on(PlacementAdminPB proxy) throws ServiceException;
    }

    /** Asks the placement service as this user. */
    <T> T as(String name, Call<T> call) throws Exception {
        InetSocketAddress nameNode = cluster.getNameNode().getNameNodeAddress();
        InetSocketAddress service = new InetSocketAddress("localhost", PlacementPort.of(conf, nameNode.getPort()));
        return user(name).doAs((PrivilegedExceptionAction<T>) () -> {
            RPC.setProtocolEngine(conf, PlacementAdminPB.class, ProtobufRpcEngine2.class);
            PlacementAdminPB proxy =
                    RPC.getProxy(PlacementAdminPB.class, RPC.getProtocolVersion(PlacementAdminPB.class), service, conf);
            try {
                return call.on(proxy);
            } catch (ServiceException e) {
                throw e.getCause() instanceof IOException io ? io : e;
            } finally {
                RPC.stopProxy(proxy);
            }
        });
    }

    /** The hottest blocks, as this user sees them. */
    List<HotBlockProto> top(String user) throws Exception {
        return as(
                        user,
                        proxy -> proxy.top(
                                null,
                                TopRequestProto.newBuilder().setCount(1000).build()))
                .getBlocksList();
    }

    /** As much as a small file has, the same for each seed. */
    static byte[] contents(int seed) {
        byte[] contents = new byte[300_000];
        new Random(seed).nextBytes(contents);
        return contents;
    }

    /** A home that only its owner may enter, and one file in it. */
    org.apache.hadoop.fs.Path write(String owner, String name, byte[] contents) throws Exception {
        org.apache.hadoop.fs.Path home = new org.apache.hadoop.fs.Path("/" + owner);
        with("hdfs/localhost", files -> {
            files.mkdirs(home);
            files.setOwner(home, owner, owner);
            return true;
        });
        org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(home, name);
        with(owner, files -> {
            try (var out = files.create(file)) {
                out.write(contents);
            }
            return true;
        });
        return file;
    }

    LocatedBlock located(org.apache.hadoop.fs.Path file) throws IOException {
        return cluster.getNameNodeRpc().getBlockLocations(file.toString(), 0, 1).get(0);
    }

    static BlockKey key(LocatedBlock located) {
        ExtendedBlock block = located.getBlock();
        return new BlockKey(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp());
    }

    static byte[] bytes(Token<?> token) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        token.write(new DataOutputStream(bytes));
        return bytes.toByteArray();
    }

    /** A client that keeps no rule of the protocol but its words. */
    HostileClient hostile() throws IOException {
        try (Stream<Path> sockets = Files.list(scratch.resolve("channel"))) {
            return new HostileClient(sockets.filter(path -> path.toString().endsWith(".sock"))
                    .findFirst()
                    .orElseThrow());
        }
    }

    @Override
    public void close() throws Exception {
        cluster.shutdown();
        leaveSecureMode();
    }

    /** The next class of tests in this JVM starts without Kerberos, also where this cluster did not come up. */
    private void leaveSecureMode() throws Exception {
        kdc.stop();
        KeyStoreTestUtil.cleanupSSLConfig(scratch.toString(), sslClasses());
        UserGroupInformation.reset();
        UserGroupInformation.setConfiguration(new Configuration());
        try (Stream<Path> files = Files.walk(scratch)) {
            files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
        }
    }
}
