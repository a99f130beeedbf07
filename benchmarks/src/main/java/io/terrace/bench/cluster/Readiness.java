package io.terrace.bench.cluster;

import io.terrace.channel.shm.SocketDirectory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.DatanodeReportType;
import org.apache.hadoop.hdfs.protocol.HdfsConstants.SafeModeAction;

/** Waits until a cluster serves, and says why when it never will. */
final class Readiness {
    private static final Duration LIMIT = Duration.ofSeconds(90);
    private static final long POLL_MS = 100;
    private static final int CONNECT_TIMEOUT_MS = 1_000;
    private static final int ERROR_LINES = 8;

    /** The log line with which the plugin leaves the daemon to stock. */
    private static final String OFF = "Terrace is off";

    private final HdfsCluster cluster;
    private final List<Daemon> needed;
    private final long deadlineNs = System.nanoTime() + LIMIT.toNanos();

    /** @param needed daemons whose end is the end of the wait */
    Readiness(HdfsCluster cluster, List<Daemon> needed) {
        this.cluster = cluster;
        this.needed = List.copyOf(needed);
    }

    /** Returns when the NameNode is out of safe mode, every DataNode is live and Terrace listens everywhere. */
    void await() throws IOException {
        Configuration conf = cluster.confStock();
        conf.setInt("ipc.client.connect.max.retries", 0);
        conf.setInt("ipc.client.connect.max.retries.on.timeouts", 0);
        poll("the NameNode to answer", () -> accepts(cluster.namenodePort()));
        try (DistributedFileSystem dfs =
                (DistributedFileSystem) FileSystem.newInstance(URI.create(cluster.fileSystemUri()), conf)) {
            poll(
                    "every DataNode to register",
                    () -> liveDatanodes(dfs) >= cluster.spec().datanodes());
            poll("the NameNode to leave safe mode", () -> !dfs.setSafeMode(SafeModeAction.SAFEMODE_GET));
        }
        if (cluster.spec().terrace()) {
            poll("the placement service to answer", () -> accepts(cluster.placementPort()));
            poll(
                    "Terrace's socket of every DataNode",
                    () -> sockets() >= cluster.spec().datanodes() || requireOn());
        }
    }

    interface Condition {
        boolean holds() throws IOException;
    }

    /** Waits for something that comes about while the daemons that are needed run. */
    void poll(String what, Condition condition) throws IOException {
        IOException last = null;
        while (System.nanoTime() < deadlineNs) {
            try {
                if (condition.holds()) {
                    return;
                }
            } catch (ClusterException never) {
                throw never;
            } catch (IOException notYet) {
                last = notYet;
            }
            requireAlive();
            sleep();
        }
        StringBuilder message = new StringBuilder("waited " + LIMIT.toSeconds() + " s for " + what + "\n");
        for (Daemon daemon : cluster.daemons()) {
            message.append(daemon.name()).append(", ").append(daemon.log()).append(":\n");
            message.append(daemon.errorLines(ERROR_LINES));
        }
        throw last == null
                ? new ClusterException(message.toString())
                : new ClusterException(message + last.toString(), last);
    }

    private void requireAlive() throws IOException {
        for (Daemon daemon : needed) {
            if (daemon.process().isEmpty()) {
                throw new ClusterException(
                        "the " + daemon.name() + " ended while the cluster came up; its last words in " + daemon.log()
                                + ":\n" + daemon.errorLines(ERROR_LINES));
            }
        }
    }

    /** Returns false. Throws if a DataNode logged that it stays stock. */
    private boolean requireOn() throws IOException {
        for (Daemon daemon : cluster.daemons()) {
            Optional<String> reason = daemon.logLine(OFF);
            if (reason.isPresent()) {
                throw new ClusterException(daemon.name() + ": " + reason.get());
            }
        }
        return false;
    }

    /**
     * Counts DataNodes that can take blocks: after registration a DataNode gets none until it has reported its storage.
     */
    private static long liveDatanodes(DistributedFileSystem dfs) throws IOException {
        return Arrays.stream(dfs.getDataNodeStats(DatanodeReportType.LIVE))
                .filter(datanode -> datanode.getRemaining() > 0)
                .count();
    }

    /** Counts those at which somebody listens: a DataNode that was killed leaves its own. */
    private long sockets() throws IOException {
        try (var entries = Files.list(cluster.layout().channel())) {
            return entries.filter(file -> file.toString().endsWith(SocketDirectory.SOCKET_SUFFIX))
                    .filter(Readiness::accepts)
                    .count();
        }
    }

    private static boolean accepts(Path socket) {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            return channel.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }

    static boolean accepts(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("localhost", port), CONNECT_TIMEOUT_MS);
            return true;
        } catch (IOException refused) {
            return false;
        }
    }

    private static void sleep() throws ClusterException {
        try {
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted while the cluster came up", e);
        }
    }
}
