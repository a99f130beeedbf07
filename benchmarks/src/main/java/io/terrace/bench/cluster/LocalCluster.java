package io.terrace.bench.cluster;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.namenode.NameNode;

/**
 * A NameNode and DataNodes on this host, each its own JVM, in one directory.
 *
 * <p>The daemons outlive this process; everything about them stands in the directory, so an instance of any process can
 * stop them or start them again with their data. Not for use by two processes at a time.
 */
public final class LocalCluster implements HdfsCluster {
    /**
     * System property of each daemon, for properties of the spec that differ between them ({@code ${terrace.daemon.number}}): a
     * DataNode's number, counted from 1, or 0.
     */
    public static final String NUMBER_PROPERTY = "terrace.daemon.number";

    /** A property of each daemon, for what names the placement service: the port that was drawn for it. */
    public static final String PLACEMENT_PORT_PROPERTY = "local-cluster.placement.port";

    /** How often other ports are drawn when a daemon finds one of its ports taken. */
    static final int MAX_START_TRIES = 3;

    /** A daemon that has not ended by itself after this time is killed. */
    private static final int STOP_SECONDS = 10;

    private static final int FORMAT_SECONDS = 60;

    static final String NAMENODE = "org.apache.hadoop.hdfs.server.namenode.NameNode";
    static final String DATANODE = "org.apache.hadoop.hdfs.server.datanode.DataNode";

    private final ClusterLayout layout;
    private final ClusterFile file;
    private final ClassPath classPath;
    private final Launcher launcher;

    /** How a daemon is started, by its name in {@link ClusterLayout}. */
    public interface Launcher {
        /** What stands before the command line, as for a daemon in a network namespace of its own. */
        List<String> words(String daemon);

        default JavaHome java(String daemon) {
            return JavaHome.ofThisProcess();
        }

        /** @param own the class path of this cluster */
        default ClassPath classPath(String daemon, ClassPath own) {
            return own;
        }
    }

    private LocalCluster(ClusterLayout layout, ClusterFile file, ClassPath classPath, Launcher launcher) {
        this.launcher = launcher;
        this.layout = layout;
        this.file = file;
        this.classPath = classPath;
    }

    /**
     * Brings a cluster up and returns when it serves: a new one in an empty directory, or the one that the directory
     * holds, with its data and ports. Daemons that run already are left alone.
     *
     * @param spec for a new cluster; must equal what the directory holds, if it holds one
     * @throws ClusterException if it cannot; then nothing that this call started is left running
     */
    public static LocalCluster up(Path dir, ClusterSpec spec, ClassPath classPath, RandomGenerator random)
            throws IOException {
        return up(dir, spec, classPath, random, daemon -> List.of());
    }

    /** The same, for daemons that are started in another way. */
    static LocalCluster up(Path dir, ClusterSpec spec, ClassPath classPath, RandomGenerator random, Launcher launcher)
            throws IOException {
        ClusterLayout layout = new ClusterLayout(dir);
        Optional<ClusterFile> known = ClusterFile.read(layout);
        if (known.isPresent()) {
            if (!known.get().spec().equals(spec)) {
                throw new ClusterException("the cluster in " + layout.dir()
                        + " was made with other options: bring it up with those, or remove the directory");
            }
            LocalCluster cluster = new LocalCluster(layout, known.get(), classPath, launcher);
            cluster.start();
            return cluster;
        }
        requireEmpty(layout.dir());
        for (int i = 1; ; i++) {
            LocalCluster cluster = new LocalCluster(
                    layout, new ClusterFile(spec, Ports.choose(spec.datanodes(), random)), classPath, launcher);
            try {
                cluster.file.write(layout);
                cluster.writeConfiguration();
                cluster.format();
                cluster.start();
                return cluster;
            } catch (PortTakenException e) {
                if (i == MAX_START_TRIES) {
                    throw new ClusterException("other processes took the ports that were drawn, " + i + " times", e);
                }
                deleteTree(layout.home(ClusterLayout.namenode()));
            }
        }
    }

    /** The cluster of this directory, running or not; empty if the directory holds none. */
    public static Optional<LocalCluster> in(Path dir, ClassPath classPath) throws IOException {
        ClusterLayout layout = new ClusterLayout(dir);
        return ClusterFile.read(layout).map(file -> new LocalCluster(layout, file, classPath, daemon -> List.of()));
    }

    @Override
    public ClusterLayout layout() {
        return layout;
    }

    @Override
    public ClusterSpec spec() {
        return file.spec();
    }

    public Ports ports() {
        return file.ports();
    }

    @Override
    public String fileSystemUri() {
        return settings().fileSystemUri();
    }

    /** Client configuration with Terrace on. */
    public Configuration conf() {
        return ConfDir.read(layout.conf());
    }

    @Override
    public Configuration confStock() {
        return ConfDir.read(layout.confStock());
    }

    @Override
    public List<Daemon> daemons() {
        return ClusterLayout.daemons(spec().datanodes()).stream()
                .map(name -> new Daemon(name, layout))
                .toList();
    }

    @Override
    public Daemon namenode() {
        return new Daemon(ClusterLayout.namenode(), layout);
    }

    @Override
    public int namenodePort() {
        return ports().namenodeRpc();
    }

    @Override
    public int placementPort() {
        return ports().placementRpc();
    }

    @Override
    public int transferPort(int datanode) {
        return ports().datanodes().get(datanode - 1).transfer();
    }

    @Override
    public int ipcPort(int datanode) {
        return ports().datanodes().get(datanode - 1).ipc();
    }

    /** Directory on tmpfs that holds the memory tier of one DataNode, counted from 1. */
    public Path memoryDir(int number) {
        return settings().memoryDir(number);
    }

    @Override
    public void start() throws IOException {
        makeDirectories();
        List<Daemon> started = new ArrayList<>();
        try {
            for (Daemon daemon : daemons()) {
                if (daemon.process().isEmpty()) {
                    start(daemon);
                    started.add(daemon);
                }
            }
            new Readiness(this, daemons()).await();
        } catch (IOException | RuntimeException e) {
            boolean portTaken = false;
            for (Daemon daemon : started) {
                portTaken |= daemon.process().isEmpty() && daemon.hasFoundPortTaken();
            }
            stopAll(started);
            if (started.size() == daemons().size()) {
                deleteTree(layout.memory());
            }
            if (portTaken) {
                throw new PortTakenException("another process took a port of the cluster", e);
            }
            throw e;
        }
    }

    @Override
    public void start(Daemon daemon) throws IOException {
        boolean isNamenode = daemon.name().equals(ClusterLayout.namenode());
        List<String> jvm = DaemonCommand.jvm(
                spec(),
                ClusterLayout.daemons(spec().datanodes()).indexOf(daemon.name()),
                confDir(daemon.name()),
                launcher.classPath(daemon.name(), classPath),
                isNamenode ? NAMENODE : DATANODE);
        daemon.start(launcher.java(daemon.name()), launcher.words(daemon.name()), jvm);
    }

    /** Stops the daemons and removes the memory tier; the data stays. May be called twice. */
    public void down() throws IOException {
        stopAll(daemons());
        deleteTree(layout.memory());
        if (!spec().nativeDir().isEmpty()) {
            deleteTree(layout.shortCircuitDir());
        }
    }

    /** {@link #down} and removes the directory with the data. */
    public void destroy() throws IOException {
        down();
        deleteTree(layout.dir());
    }

    private DaemonSettings settings() {
        return new DaemonSettings(file.spec(), file.ports(), layout);
    }

    private Path confDir(String daemon) {
        return layout.home(daemon).resolve("conf");
    }

    private void writeConfiguration() throws IOException {
        DaemonSettings settings = settings();
        ConfDir.write(layout.conf(), settings.client(), "client-log4j.properties");
        ConfDir.write(layout.confStock(), settings.stockClient(), "client-log4j.properties");
        ConfDir.write(confDir(ClusterLayout.namenode()), settings.namenode(), "daemon-log4j.properties");
        for (int i = 1; i <= spec().datanodes(); i++) {
            ConfDir.write(confDir(ClusterLayout.datanode(i)), settings.datanode(i), "daemon-log4j.properties");
        }
        Files.writeString(layout.classpathFile(), classPath.hadoop().text() + "\n");
    }

    private void format() throws IOException {
        Path conf = confDir(ClusterLayout.namenode());
        ClassPath own = launcher.classPath(ClusterLayout.namenode(), classPath);
        if (own.equals(classPath)) {
            NameNode.format(ConfDir.read(conf));
        } else {
            // Another Hadoop's NameNode may not read what this one writes.
            new JavaProcess.Home(layout.logs(), own.text())
                    .run("format", conf, List.of(), List.of(NAMENODE, "-format", "-nonInteractive"), FORMAT_SECONDS);
        }
    }

    /**
     * Creates the directories that must exist before a daemon starts, with the permissions that the daemons require.
     */
    private void makeDirectories() throws IOException {
        settings().makeMemory();
    }

    private static void stopAll(List<Daemon> daemons) throws IOException {
        for (Daemon daemon : daemons) {
            daemon.terminate();
        }
        for (Daemon daemon : daemons) {
            daemon.awaitEnd(STOP_SECONDS);
        }
    }

    private static void requireEmpty(Path dir) throws IOException {
        if (!Files.exists(dir)) {
            return;
        }
        if (!Files.isDirectory(dir)) {
            throw new ClusterException(dir + " is not a directory");
        }
        try (var entries = Files.list(dir)) {
            if (entries.findAny().isPresent()) {
                throw new ClusterException(
                        dir + " holds something else than a cluster: name an empty directory or a new one");
            }
        }
    }

    /** Removes a directory and everything below it, if it exists. */
    public static void deleteTree(Path root) throws IOException {
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path dir, @org.jspecify.annotations.Nullable IOException e)
                        throws IOException {
                    if (e != null) {
                        throw e;
                    }
                    Files.deleteIfExists(dir);
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (NoSuchFileException alreadyGone) {
            return;
        }
    }

    /** A daemon found one of its ports taken. */
    private static final class PortTakenException extends IOException {
        private static final long serialVersionUID = 1L;

        PortTakenException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
