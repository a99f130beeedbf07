package io.terrace.bench.cluster;

import io.terrace.bench.cluster.DaemonSettings.Pair;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.ha.HAServiceProtocol;
import org.apache.hadoop.ha.HAServiceProtocol.HAServiceState;
import org.apache.hadoop.ha.HAServiceProtocol.RequestSource;
import org.apache.hadoop.ha.HAServiceProtocol.StateChangeRequestInfo;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;
import org.apache.hadoop.hdfs.tools.NNHAServiceTarget;
import org.jspecify.annotations.Nullable;

/**
 * Two NameNodes that share their edits through three JournalNodes, and DataNodes, each a process; failover is by hand. All end
 * with this process.
 */
public final class HaCluster implements HdfsCluster, Closeable {
    private static final int STOP_SECONDS = 30;
    private static final int RPC_TIMEOUT_MS = 10_000;

    private final ClusterSpec spec;
    private final ClusterLayout layout;
    private final Pair settings;

    /** Of all daemons. */
    private final List<String> names;

    private final PairSoftware software;
    private final DistributedFileSystem fs;
    private final Thread atExit;
    private final AtomicInteger active = new AtomicInteger();

    /** DataNodes with a little memory and one replica, for tests of what needs no more. */
    public static HaCluster up(Path dir, int datanodes, Map<String, String> properties) throws IOException {
        return up(
                dir,
                ClusterSpec.of(datanodes, 1 << 20)
                        .withReplication(1)
                        .withHeapMb(192)
                        .withProperties(properties));
    }

    /**
     * Brings a cluster up in a directory that is empty or not there. From the draw of its ports to the start of the last daemon it
     * takes half a minute, in which another process may take one of them; then others are drawn.
     */
    public static HaCluster up(Path dir, ClusterSpec spec) throws IOException {
        for (int i = 1; ; i++) {
            try {
                return new HaCluster(dir, spec);
            } catch (ClusterException e) {
                if (i == LocalCluster.MAX_START_TRIES || !Daemon.anyHasFoundPortTaken(new ClusterLayout(dir))) {
                    throw e;
                }
                LocalCluster.deleteTree(dir);
            }
        }
    }

    private HaCluster(Path dir, ClusterSpec spec) throws IOException {
        this.spec = spec;
        this.layout = new ClusterLayout(dir);
        this.settings = Pair.draw(spec, layout, new SplittableRandom());
        this.names = settings.daemons();
        this.software = new PairSoftware(spec, layout, settings);
        software.configure();
        this.fs = (DistributedFileSystem) FileSystem.newInstance(URI.create(fileSystemUri()), confStock());
        this.atExit = new Thread(this::end, "stop-pair");
        Runtime.getRuntime().addShutdownHook(atExit);
        boolean up = false;
        try {
            create();
            up = true;
        } finally {
            if (!up) {
                close();
            }
        }
    }

    private void create() throws IOException {
        settings.makeMemory();
        startJournalNodes();
        format(0, "-format");
        startNameNode(0);
        activate(0);
        format(1, "-bootstrapStandby");
        startNameNode(1);
        for (int i = 1; i <= spec.datanodes(); i++) {
            start(datanode(i));
        }
        new Readiness(this, daemons()).await();
    }

    private void startJournalNodes() throws IOException {
        for (int i = 0; i < Pair.JOURNALNODES; i++) {
            if (daemon(Pair.journalnode(i)).process().isEmpty()) {
                start(daemon(Pair.journalnode(i)));
            }
        }
        for (int i = 0; i < Pair.JOURNALNODES; i++) {
            int port = settings.journalPort(i);
            new Readiness(this, List.of(daemon(Pair.journalnode(i))))
                    .poll("JournalNode " + i + " to answer", () -> Readiness.accepts(port));
        }
    }

    /**
     * Runs a NameNode that makes its directory and ends.
     *
     * @param words such as {@code -bootstrapStandby}
     */
    public void format(int number, String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of(words));
        command.add("-nonInteractive");
        software.runNameNode(number, command, "");
    }

    /** Brings a NameNode's directory, and that of the JournalNodes, back to what it was before {@code -upgrade}. */
    public void rollBack(int number) throws IOException {
        software.runNameNode(number, List.of("-rollback"), "Y\n");
    }

    @Override
    public ClusterSpec spec() {
        return spec;
    }

    @Override
    public ClusterLayout layout() {
        return layout;
    }

    @Override
    public String fileSystemUri() {
        return settings.fileSystemUri();
    }

    @Override
    public Configuration confStock() {
        return ConfDir.read(layout.confStock());
    }

    @Override
    public List<Daemon> daemons() {
        return names.stream()
                .map(this::daemon)
                .filter(daemon -> Files.exists(daemon.output()))
                .toList();
    }

    private Daemon daemon(String name) {
        return new Daemon(name, layout);
    }

    /** One NameNode, 0 or 1. */
    public Daemon namenode(int number) {
        return daemon(Pair.namenode(number));
    }

    /** The NameNode that was made active last. */
    @Override
    public Daemon namenode() {
        return namenode(active());
    }

    @Override
    public int namenodePort() {
        return settings.rpcPort(active());
    }

    @Override
    public int placementPort() {
        return settings.placementPort(active());
    }

    @Override
    public int transferPort(int datanode) {
        return settings.transferPort(datanode);
    }

    @Override
    public int ipcPort(int datanode) {
        return settings.ipcPort(datanode);
    }

    @Override
    public void start(Daemon daemon) throws IOException {
        start(daemon, "");
    }

    /** @param words of the command line, such as {@code -rollback}; empty for none */
    public void start(Daemon daemon, String words) throws IOException {
        daemon.start(JavaHome.ofThisProcess(), List.of(), software.command(daemon.name(), words));
    }

    /** Asks a daemon to end and waits for it. */
    public void stop(Daemon daemon) throws IOException {
        daemon.terminate();
        daemon.awaitEnd(STOP_SECONDS);
    }

    public void stopAllButJournalNodes() throws IOException {
        for (Daemon daemon : daemons()) {
            if (!daemon.name().startsWith("journalnode")) {
                stop(daemon);
            }
        }
    }

    /** Also makes the NameNode active that was last, and waits until the other one could take over. */
    @Override
    public void start() throws IOException {
        settings.makeMemory();
        startJournalNodes();
        for (Daemon daemon : daemons()) {
            if (daemon.process().isEmpty()) {
                start(daemon);
            }
        }
        activate(active());
        new Readiness(this, daemons()).await();
        awaitStandby(1 - active());
    }

    /** Starts a NameNode, which is a standby until it is told otherwise. */
    public void startNameNode(int number) throws IOException {
        startNameNode(number, "");
    }

    /** @param words of the command line, such as {@code -rollingUpgrade rollback} */
    public void startNameNode(int number, String words) throws IOException {
        start(namenode(number), words);
        new Readiness(this, List.of(namenode(number)))
                .poll("NameNode " + number + " to answer", () -> Readiness.accepts(settings.rpcPort(number)));
    }

    /** Waits until a standby could take over: it knows all DataNodes and, as far as it knows of blocks, their replicas. */
    public void awaitStandby(int number) throws IOException {
        new Readiness(this, List.of(namenode(number)))
                .poll("NameNode " + number + " to be able to take over", () -> isReady(number));
    }

    /** As {@code dfsadmin -finalizeUpgrade}: each NameNode is told. */
    public void finalizeUpgrade() throws IOException {
        for (int i = 0; i < 2; i++) {
            try (DistributedFileSystem one = fileSystemOf(i)) {
                one.finalizeUpgrade();
            }
        }
    }

    private DistributedFileSystem fileSystemOf(int namenode) throws IOException {
        Configuration conf = confStock();
        conf.setInt("ipc.client.connect.max.retries", 0);
        URI own = URI.create("hdfs://localhost:" + settings.rpcPort(namenode));
        return (DistributedFileSystem) FileSystem.newInstance(own, conf);
    }

    private boolean isReady(int number) throws IOException {
        try (DistributedFileSystem one = fileSystemOf(number)) {
            return one.getDataNodeStats(DatanodeReportType.LIVE).length == spec.datanodes()
                    && !one.setSafeMode(SafeModeAction.SAFEMODE_GET);
        }
    }

    /** Makes a NameNode the active one, whatever the other one is. */
    public void activate(int number) throws IOException {
        new Readiness(this, List.of(namenode(number))).poll("NameNode " + number + " to become active", () -> {
            HAServiceProtocol service = service(number);
            service.transitionToActive(new StateChangeRequestInfo(RequestSource.REQUEST_BY_USER_FORCED));
            return service.getServiceStatus().getState() == HAServiceState.ACTIVE;
        });
        active.set(number);
    }

    /**
     * Makes the standby the active NameNode, and the other one a standby.
     *
     * @throws ClusterException if the standby could not take over now
     */
    public void failOver() throws IOException {
        requireReady();
        makeStandby(active());
        takeOver();
    }

    /** @throws ClusterException if the standby could not take over now */
    public void requireReady() throws IOException {
        int next = 1 - active();
        if (namenode(next).process().isEmpty() || !isReady(next)) {
            throw new ClusterException("NameNode " + next + " is not ready to take over");
        }
    }

    /** Makes the standby the active NameNode, without a word to the other one, which may hang or be gone. */
    public void takeOver() throws IOException {
        activate(1 - active());
    }

    /** Tells a NameNode to be a standby. */
    public void makeStandby(int number) throws IOException {
        service(number).transitionToStandby(new StateChangeRequestInfo(RequestSource.REQUEST_BY_USER_FORCED));
    }

    /** Whether a NameNode says that it is a standby. */
    public boolean isStandby(int number) throws IOException {
        return service(number).getServiceStatus().getState() == HAServiceState.STANDBY;
    }

    private HAServiceProtocol service(int namenode) throws IOException {
        Configuration conf = confStock();
        return new NNHAServiceTarget(conf, Pair.SERVICE, "nn" + namenode).getProxy(conf, RPC_TIMEOUT_MS);
    }

    /** Number of the NameNode that was made active last. */
    public int active() {
        return active.get();
    }

    /** Host and port of a NameNode's web server. */
    public String webAddress(int namenode) {
        return "localhost:" + settings.webPort(namenode);
    }

    /** Ends the active NameNode as a crash would. */
    public void killActive() throws IOException {
        namenode().kill();
    }

    public DistributedFileSystem fs() {
        return fs;
    }

    public PlacementAdmin placement(int namenode) throws IOException {
        return new PlacementAdmin(confStock(), settings.placementPort(namenode));
    }

    /** Puts Terrace on a daemon, or takes its properties and jars out, from the next start of the daemon on. */
    public void configure(Daemon daemon, boolean terrace) throws IOException {
        software.configure(daemon.name(), terrace);
    }

    /**
     * Gives a daemon the jars of a version of Terrace from its next start on.
     *
     * @param version null for the version of this process
     */
    public void useJars(Daemon daemon, @Nullable ClassPath version) {
        software.useJars(daemon.name(), version);
    }

    private void end() {
        try {
            for (Daemon daemon : daemons()) {
                daemon.kill();
            }
            LocalCluster.deleteTree(layout.memory());
            if (!spec.nativeDir().isEmpty()) {
                LocalCluster.deleteTree(layout.shortCircuitDir());
            }
        } catch (IOException e) {
            System.err.println("terrace: the cluster in " + layout.dir() + " could not be ended: " + e.getMessage());
        }
    }

    @Override
    public void close() throws IOException {
        fs.close();
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException exiting) {
            return;
        }
    }
}
