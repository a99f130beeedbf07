package io.terrace.bench.tiers.namenode;

import com.sun.management.OperatingSystemMXBean;
import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.cluster.DataNodeConnection;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.crypto.CryptoProtocolVersion;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.io.EnumSetWritable;
import org.jspecify.annotations.Nullable;

/**
 * DataNodes that are no processes, with replicas of which the NameNode knows and a disk and an SSD each. They send the heartbeats
 * of a DataNode, and with Terrace those to the placement service and the moves that it orders: a rule asks for the other
 * storage type once all replicas are where the last one wanted them. They send from {@link #resume} to {@link #pause}, by a
 * thread of this object.
 */
final class MovingDataNodes implements Closeable {

    static final int BLOCK_BYTES = 128 << 20;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean PROCESS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final String CLIENT = "moving-datanodes";
    private static final long LOOK_MS = 2;

    /** What was sent from {@link #resume} to {@link #pause}, and the processors that it kept busy, without what was burnt. */
    record Sent(long moves, double processors) {}

    private final DataNodeConnection connection;
    private final @Nullable PlacementAdmin placement;
    private final List<MovingDataNode> nodes = new ArrayList<>();
    private final Thread sender = new Thread(this::send, CLIENT);
    private boolean quiet = true;
    private double burnt;
    private int hurry = 1;
    private long burntNs;
    private long movesBefore;
    private long resumedNs;
    private long resumedCpuNs;
    private volatile boolean closed;
    private volatile @Nullable Exception failure;
    private StorageType wanted = StorageType.DISK;

    /** @param placement of a cluster with Terrace; null for a stock one */
    MovingDataNodes(LocalCluster cluster, @Nullable PlacementAdmin placement) throws IOException {
        this.connection = new DataNodeConnection(cluster);
        this.placement = placement;
        sender.setDaemon(true);
    }

    /** Registers DataNodes and stores files of one block on them, without bytes; then they begin to send. */
    void start(DistributedFileSystem fs, int count, int files) throws IOException {
        DatanodeInfo[] others = fs.getDataNodeStats();
        for (int i = 0; i < count; i++) {
            MovingDataNode node = new MovingDataNode(connection, i);
            node.tellNameNode();
            nodes.add(node);
        }
        for (int file = 0; file < files; file++) {
            store(fs.getClient().getNamenode(), "/data/file-" + file, others);
        }
        if (placement != null) {
            for (MovingDataNode node : nodes) {
                node.like(placement.nodes().get(0));
            }
        }
        sender.start();
    }

    private void store(ClientProtocol namenode, String path, DatanodeInfo[] others) throws IOException {
        HdfsFileStatus file = namenode.create(
                path,
                FsPermission.getFileDefault(),
                CLIENT,
                new EnumSetWritable<>(EnumSet.of(CreateFlag.CREATE)),
                true,
                (short) 1,
                BLOCK_BYTES,
                CryptoProtocolVersion.supported(),
                null,
                null);
        LocatedBlock located = namenode.addBlock(path, CLIENT, null, others, file.getFileId(), null, null);
        ExtendedBlock block = new ExtendedBlock(located.getBlock());
        block.setNumBytes(BLOCK_BYTES);
        nodes.get(DataNodeConnection.number(located.getLocations()[0])).store(block.getLocalBlock());
        while (!namenode.complete(path, CLIENT, block, file.getFileId())) {
            JavaProcess.pause(LOOK_MS);
        }
    }

    /**
     * Heartbeats and moves as on a busy cluster from now on. The NameNode must not be in safe mode.
     *
     * @param processors to keep busy besides, so that sending costs the host the same at another cluster
     * @param hurrying how many times as much is sent and moved, until a NameNode has compiled what serves it
     */
    void resume(double processors, int hurrying) throws IOException {
        askForOther();
        synchronized (nodes) {
            burnt = processors;
            hurry = hurrying;
            burntNs = 0;
            movesBefore = moves();
            resumedNs = System.nanoTime();
            resumedCpuNs = PROCESS.getProcessCpuTime();
            quiet = false;
        }
    }

    /** Moves so far that the NameNode was told of. */
    private long moves() {
        return nodes.stream().mapToLong(MovingDataNode::moves).sum();
    }

    /** Nothing is sent any more. */
    Sent pause() throws IOException {
        synchronized (nodes) {
            quiet = true;
            Exception failed = failure;
            if (failed != null) {
                throw new IOException("the DataNodes have stopped", failed);
            }
            double tookNs = System.nanoTime() - resumedNs;
            return new Sent(moves() - movesBefore, (PROCESS.getProcessCpuTime() - resumedCpuNs - burntNs) / tookNs);
        }
    }

    private void send() {
        try {
            long lastNs = System.nanoTime();
            long sendingNs = 0;
            while (!closed) {
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
                synchronized (nodes) {
                    long nowNs = System.nanoTime();
                    if (!quiet) {
                        sendingNs += nowNs - lastNs;
                        for (MovingDataNode node : nodes) {
                            node.turn(sendingNs, placement != null, hurry);
                        }
                        burn((long) (burnt * (nowNs - lastNs)));
                    }
                    lastNs = nowNs;
                }
            }
        } catch (IOException e) {
            if (!closed) {
                failure = e;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void burn(long ns) {
        long fromNs = THREADS.getCurrentThreadCpuTime();
        long usedNs = 0;
        while (usedNs < ns) {
            usedNs = THREADS.getCurrentThreadCpuTime() - fromNs;
        }
        burntNs += usedNs;
    }

    private void askForOther() throws IOException {
        if (placement != null && nodes.stream().allMatch(node -> node.isAllOn(wanted))) {
            wanted = wanted == StorageType.DISK ? StorageType.SSD : StorageType.DISK;
            placement.apply("policy: idecider\nparameters: {threshold: 1000000000}\nrules:\n- path: /data/**\n  tiers: "
                    + wanted.name().toLowerCase(Locale.ROOT) + "\n");
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        sender.interrupt();
        try {
            sender.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted while the DataNodes ended", e);
        }
        connection.close();
    }
}
