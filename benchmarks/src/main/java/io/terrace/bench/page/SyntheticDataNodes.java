package io.terrace.bench.page;

import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.cluster.DataNodeConnection;
import io.terrace.bench.cluster.LocalCluster;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import io.terrace.protocol.proto.DataNodeProtos.FigureValueProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import io.terrace.protocol.proto.DataNodeProtos.TierStateProto;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.server.protocol.DatanodeRegistration;
import org.apache.hadoop.hdfs.server.protocol.SlowDiskReports;
import org.apache.hadoop.hdfs.server.protocol.SlowPeerReports;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;
import org.jspecify.annotations.Nullable;

/**
 * DataNodes without data: registered with a real NameNode, they send it and its placement service real heartbeats, with as
 * many metrics as a real DataNode has. A thread of this object sends them, from {@link #register} to {@link #close}.
 */
final class SyntheticDataNodes implements Closeable {
    /** Of one DataNode to the placement service, which gives a silent one up after 10 s. */
    private static final long BEAT_MS = 3_000;

    /** One in so many heartbeats goes to the NameNode, too. */
    private static final int NAMENODE_EVERY = 3;

    private static final long MEMORY_BYTES = 64L << 30;
    private static final long NVM_BYTES = 512L << 30;

    /** One in so many has NVM. */
    private static final int NVM_EVERY = 4;

    private final DataNodeConnection connection;
    private final NodeProto like;
    private final long incarnation = System.nanoTime() & Long.MAX_VALUE;
    private final List<DatanodeRegistration> nodes = new ArrayList<>();
    private final Thread sender = new Thread(this::send, "synthetic-datanodes");
    private volatile boolean closed;
    private volatile @Nullable Exception failure;
    private long sequence;

    /** @param like a real DataNode of the cluster, whose metrics and release these have */
    SyntheticDataNodes(LocalCluster cluster, NodeProto like) throws IOException {
        this.connection = new DataNodeConnection(cluster);
        this.like = like;
        sender.setDaemon(true);
    }

    /** Registers more, until there are so many; each has sent both heartbeats when this returns. */
    void register(int count) throws IOException {
        synchronized (nodes) {
            for (int i = nodes.size(); i < count; i++) {
                DatanodeRegistration node = connection.register(i);
                nodes.add(node);
                beat(node, true);
            }
        }
        if (sender.getState() == Thread.State.NEW) {
            sender.start();
        }
    }

    /** @throws IOException when a heartbeat has failed */
    void check() throws IOException {
        Exception failed = failure;
        if (failed != null) {
            throw new IOException("the synthetic DataNodes have stopped", failed);
        }
    }

    private void send() {
        try {
            for (int round = 0; !closed; round++) {
                List<DatanodeRegistration> all;
                synchronized (nodes) {
                    all = List.copyOf(nodes);
                }
                long startNs = System.nanoTime();
                for (int i = 0; i < all.size() && !closed; i++) {
                    beat(all.get(i), (round + i) % NAMENODE_EVERY == 0);
                    long aheadNs =
                            startNs + TimeUnit.MILLISECONDS.toNanos(BEAT_MS * (i + 1) / all.size()) - System.nanoTime();
                    if (aheadNs > 0) {
                        TimeUnit.NANOSECONDS.sleep(aheadNs);
                    }
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

    private synchronized void beat(DatanodeRegistration node, boolean nameNodeToo) throws IOException {
        if (nameNodeToo) {
            StorageReport[] none = {};
            connection
                    .nameNode()
                    .sendHeartbeat(
                            node,
                            none,
                            0,
                            0,
                            0,
                            0,
                            0,
                            null,
                            false,
                            SlowPeerReports.EMPTY_REPORT,
                            SlowDiskReports.EMPTY_REPORT);
        }
        connection.heartbeat(request(node));
    }

    private HeartbeatRequestProto request(DatanodeRegistration node) {
        int number = DataNodeConnection.number(node);
        HeartbeatRequestProto.Builder request = HeartbeatRequestProto.newBuilder()
                .setBlockPoolId(connection.pool())
                .setDatanodeUuid(node.getDatanodeUuid())
                .setHostName(node.getHostName())
                .setTransferPort(node.getXferPort())
                .setIncarnation(incarnation)
                .setSequence(++sequence)
                .setFullResidency(true)
                .setRelease(like.getRelease())
                .addTiers(tier(TierProto.MEMORY, MEMORY_BYTES, number))
                .addAllConditions(like.getConditionsList());
        if (number % NVM_EVERY == 0) {
            request.addTiers(tier(TierProto.NVM, NVM_BYTES, number));
        }
        for (FigureValueProto figure : like.getFiguresList()) {
            request.addFigures(figure.toBuilder().setValue(figure.getValue() * (1 + number % 7)));
        }
        return request.build();
    }

    private static TierStateProto tier(TierProto tier, long capacityBytes, int number) {
        long percent = 30 + number * 37 % 70;
        return TierStateProto.newBuilder()
                .setTier(tier)
                .setCapacityBytes(capacityBytes)
                .setUsedBytes(capacityBytes / 100 * percent)
                .setExtents(percent * 5)
                .build();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        sender.interrupt();
        try {
            sender.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted while the synthetic DataNodes ended", e);
        }
        connection.close();
    }
}
