package io.terrace.bench.tiers.namenode;

import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.cluster.DataNodeConnection;
import io.terrace.bench.cluster.JavaProcess;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.bench.cluster.PlacementAdmin;
import java.io.Closeable;
import java.io.IOException;
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
 * storage type once all replicas are where the last one wanted them. Quiet until {@link #resume}: then a DataNode only says
 * that it lives. A thread of this object sends, from {@link #start} to {@link #close}.
 */
final class MovingDataNodes implements Closeable {

    static final int BLOCK_BYTES = 128 << 20;

    private static final String CLIENT = "moving-datanodes";
    private static final long LOOK_MS = 2;

    private final DataNodeConnection connection;
    private final @Nullable PlacementAdmin placement;
    private final List<MovingDataNode> nodes = new ArrayList<>();
    private final Thread sender = new Thread(this::send, CLIENT);
    private volatile boolean quiet = true;
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

    /** Heartbeats and moves as on a busy cluster from now on. The NameNode must not be in safe mode. */
    void resume() throws IOException {
        synchronized (nodes) {
            askForOther();
            nodes.forEach(node -> node.spread(System.nanoTime(), nodes.size()));
            quiet = false;
        }
    }

    /** Moves so far that the NameNode was told of. */
    long moves() {
        synchronized (nodes) {
            return nodes.stream().mapToLong(MovingDataNode::moves).sum();
        }
    }

    /** Nothing but signs of life. */
    void pause() throws IOException {
        quiet = true;
        Exception failed = failure;
        if (failed != null) {
            throw new IOException("the DataNodes have stopped", failed);
        }
    }

    private void send() {
        try {
            long lastNs = System.nanoTime();
            long movingNs = 0;
            while (!closed) {
                long nowNs = System.nanoTime();
                movingNs += quiet ? 0 : nowNs - lastNs;
                lastNs = nowNs;
                synchronized (nodes) {
                    for (MovingDataNode node : nodes) {
                        node.turn(nowNs, movingNs, placement != null, quiet);
                    }
                }
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
            }
        } catch (IOException e) {
            if (!closed) {
                failure = e;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
