package io.terrace.bench.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/** A cluster for one command: removed with its data at the end, also when the command is interrupted. */
public final class TemporaryCluster implements AutoCloseable {
    private final LocalCluster cluster;
    private final Thread atExit;

    private TemporaryCluster(LocalCluster cluster, Thread atExit) {
        this.cluster = cluster;
        this.atExit = atExit;
    }

    /** Brings a new cluster up; one that an interrupted command left in the directory is removed first. */
    public static TemporaryCluster up(Path dir, ClusterSpec spec) throws IOException {
        return up(dir, spec, daemon -> List.of());
    }

    /** The same, for daemons that are started in another way. */
    public static TemporaryCluster up(Path dir, ClusterSpec spec, LocalCluster.Launcher launcher) throws IOException {
        ClassPath classPath = ClassPath.ofThisProcess();
        LocalCluster left = LocalCluster.in(dir, classPath).orElse(null);
        if (left != null) {
            left.destroy();
        }
        Thread atExit = new Thread(() -> destroy(dir, classPath), "stop-cluster");
        Runtime.getRuntime().addShutdownHook(atExit);
        boolean up = false;
        try {
            TemporaryCluster cluster = new TemporaryCluster(
                    LocalCluster.up(dir, spec, classPath, new SplittableRandom(), launcher), atExit);
            up = true;
            return cluster;
        } finally {
            if (!up) {
                // The daemons were stopped. The logs stay: the message names them.
                forget(atExit);
            }
        }
    }

    public LocalCluster cluster() {
        return cluster;
    }

    /** Leaves the cluster running for the user. */
    public void keep() {
        forget(atExit);
    }

    @Override
    public void close() throws IOException {
        cluster.destroy();
        forget(atExit);
    }

    private static void forget(Thread atExit) {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException alreadyExiting) {
            // The hook is running or has run, and does the same as close.
            return;
        }
    }

    private static void destroy(Path dir, ClassPath classPath) {
        try {
            LocalCluster cluster = LocalCluster.in(dir, classPath).orElse(null);
            if (cluster != null) {
                cluster.destroy();
            }
        } catch (IOException e) {
            System.err.println("terrace: the cluster in " + dir + " could not be removed: " + e.getMessage());
        }
    }
}
