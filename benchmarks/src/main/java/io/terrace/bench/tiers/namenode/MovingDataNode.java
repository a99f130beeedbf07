package io.terrace.bench.tiers.namenode;

import io.terrace.bench.cluster.DataNodeConnection;
import io.terrace.protocol.proto.AdminProtos.NodeProto;
import io.terrace.protocol.proto.DataNodeProtos.BlockProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.HeatProto;
import io.terrace.protocol.proto.DataNodeProtos.OutcomeProto;
import io.terrace.protocol.proto.DataNodeProtos.ResultProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import io.terrace.protocol.proto.DataNodeProtos.TierStateProto;
import io.terrace.protocol.proto.DataNodeProtos.VolumeMoveProto;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.protocol.DatanodeRegistration;
import org.apache.hadoop.hdfs.server.protocol.DatanodeStorage;
import org.apache.hadoop.hdfs.server.protocol.ReceivedDeletedBlockInfo;
import org.apache.hadoop.hdfs.server.protocol.SlowDiskReports;
import org.apache.hadoop.hdfs.server.protocol.SlowPeerReports;
import org.apache.hadoop.hdfs.server.protocol.StorageReceivedDeletedBlocks;
import org.apache.hadoop.hdfs.server.protocol.StorageReport;

/**
 * One of {@link MovingDataNodes}. A move takes as long as its bytes take at the rate of the order, one after the other; then
 * the NameNode hears of the replica, and the placement service of the move. Owned by one thread at a time.
 */
final class MovingDataNode {

    private static final long NAMENODE_BEAT_NS = TimeUnit.SECONDS.toNanos(3);
    private static final long FIGURES_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long SOONEST_NS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long FIRST_BEATS_NS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long CAPACITY_BYTES = 100L << 40;
    private static final long MEMORY_BYTES = 64L << 30;
    private static final long LEAST_BYTES_PER_SECOND = 100L << 20;

    /** So many blocks are read between two heartbeats. */
    private static final int READ_BLOCKS = 10;

    /** Read between two heartbeats, so that the DataNode is not idle. */
    private static final long SERVED_BYTES = 1L << 30;

    private static final class Replica {
        final Block block;
        StorageType on = StorageType.DISK;
        boolean isTold;

        Replica(Block block) {
            this.block = block;
        }
    }

    private record Running(VolumeMoveProto order, long epoch, long endNs) {}

    private final DataNodeConnection connection;
    private final DatanodeRegistration registration;
    private final Map<Long, Replica> replicas = new LinkedHashMap<>();
    private final Deque<Running> running = new ArrayDeque<>();
    private final List<ResultProto> results = new ArrayList<>();
    private final long incarnation = System.nanoTime() & Long.MAX_VALUE;
    private NodeProto like = NodeProto.getDefaultInstance();
    private final int number;
    private boolean fullWanted = true;
    private long sequence;
    private long moves;
    private long nameNodeBeatNs;
    private long beatNs;
    private long lastBeatNs;
    private boolean figuresKept;
    private long figuresNs;

    MovingDataNode(DataNodeConnection connection, int number) throws IOException {
        this.connection = connection;
        this.number = number;
        this.registration = connection.register(number);
        // Spread, as those of a cluster are.
        this.nameNodeBeatNs = NAMENODE_BEAT_NS * (number % 50) / 50;
        this.beatNs = FIRST_BEATS_NS * (number % 50) / 50;
    }

    /** @param real whose metrics and release this has */
    void like(NodeProto real) {
        like = real;
    }

    /** A client wrote a replica; it is on disk. */
    void store(Block block) throws IOException {
        Replica replica = new Replica(block);
        replicas.put(block.getBlockId(), replica);
        received(replica);
    }

    boolean isAllOn(StorageType type) {
        return replicas.values().stream().allMatch(replica -> replica.on == type);
    }

    long moves() {
        return moves;
    }

    /**
     * Sends what is due.
     *
     * @param nowNs time that passes only while the DataNodes send
     * @param hurry how many times as often as a DataNode it sends heartbeats to the service, and moves as fast
     */
    void turn(long nowNs, boolean terrace, int hurry) throws IOException {
        if (nowNs - nameNodeBeatNs >= 0) {
            nameNodeBeatNs = nowNs + NAMENODE_BEAT_NS;
            tellNameNode();
        }
        if (!terrace) {
            return;
        }
        while (!running.isEmpty() && nowNs - running.element().endNs >= 0) {
            end(running.remove());
        }
        // Results hurry a heartbeat, as those of a DataNode do.
        boolean hurries = !results.isEmpty() && nowNs - lastBeatNs >= SOONEST_NS / hurry;
        if (hurries || nowNs - beatNs >= 0) {
            lastBeatNs = nowNs;
            beatNs = nowNs + beat(nowNs, hurry) / hurry;
        }
    }

    /** The heartbeat of every DataNode. */
    void tellNameNode() throws IOException {
        StorageReport[] reports = {report(StorageType.DISK), report(StorageType.SSD)};
        connection
                .nameNode()
                .sendHeartbeat(
                        registration,
                        reports,
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

    private StorageReport report(StorageType type) {
        long used = replicas.values().stream()
                .filter(replica -> replica.on == type)
                .mapToLong(replica -> replica.block.getNumBytes())
                .sum();
        return new StorageReport(storage(type), false, CAPACITY_BYTES, used, CAPACITY_BYTES - used, used, 0);
    }

    private DatanodeStorage storage(StorageType type) {
        return new DatanodeStorage(
                "DS-" + type + "-" + registration.getDatanodeUuid(), DatanodeStorage.State.NORMAL, type);
    }

    private void received(Replica replica) throws IOException {
        ReceivedDeletedBlockInfo[] blocks = {
            new ReceivedDeletedBlockInfo(replica.block, ReceivedDeletedBlockInfo.BlockStatus.RECEIVED_BLOCK, null)
        };
        StorageReceivedDeletedBlocks[] reports = {new StorageReceivedDeletedBlocks(storage(replica.on), blocks)};
        connection.nameNode().blockReceivedAndDeleted(registration, connection.pool(), reports);
    }

    private void end(Running move) throws IOException {
        BlockProto block = move.order.getBlock();
        Replica replica = replicas.get(block.getBlockId());
        ResultProto.Builder result = ResultProto.newBuilder()
                .setMoveId(move.order.getMoveId())
                .setBlock(block)
                .setEpoch(move.epoch);
        if (replica == null) {
            results.add(result.setOutcome(OutcomeProto.NOT_HERE).build());
            return;
        }
        replica.on = StorageType.valueOf(move.order.getTo().name());
        received(replica);
        moves++;
        results.add(result.setOutcome(OutcomeProto.DONE)
                .setBytesMoved(replica.block.getNumBytes())
                .setTier(move.order.getTo())
                .build());
    }

    /** Sends a heartbeat to the placement service and takes its orders; answers when the next one is due. */
    private long beat(long nowNs, int hurry) throws IOException {
        HeartbeatResponseProto answer = connection.heartbeat(request(nowNs, hurry));
        results.clear();
        // Nothing is in memory, so one page is all. One that nobody asked for would mean that the last answer was lost.
        fullWanted = answer.getFullResidencyWanted();
        figuresKept = answer.getKeepsFigures() && !fullWanted;
        long fromNs = running.isEmpty() ? nowNs : running.getLast().endNs;
        for (VolumeMoveProto order : answer.getVolumeMovesList()) {
            long rate = order.getBytesPerSecond() > 0 ? order.getBytesPerSecond() : LEAST_BYTES_PER_SECOND;
            long tookNs = (long) (1e9 * order.getBlock().getLengthBytes() / rate / hurry);
            // The first one is shorter, so that not all DataNodes end theirs at the same time.
            fromNs += moves == 0 && running.isEmpty() ? tookNs * (number % 50) / 50 : tookNs;
            running.add(new Running(order, answer.getEpoch(), fromNs));
        }
        return TimeUnit.MILLISECONDS.toNanos(answer.getHeartbeatIntervalMs());
    }

    private HeartbeatRequestProto request(long nowNs, int hurry) {
        HeartbeatRequestProto.Builder request = HeartbeatRequestProto.newBuilder()
                .setBlockPoolId(connection.pool())
                .setDatanodeUuid(registration.getDatanodeUuid())
                .setHostName(registration.getHostName())
                .setTransferPort(registration.getXferPort())
                .setIncarnation(incarnation)
                .setSequence(++sequence)
                .setFullResidency(fullWanted)
                .setTakesVolumeMoves(true)
                .setBytesServed(SERVED_BYTES)
                .setRelease(like.getRelease())
                .addTiers(TierStateProto.newBuilder()
                        .setTier(TierProto.MEMORY)
                        .setCapacityBytes(MEMORY_BYTES)
                        .setUsedBytes(0))
                .addAllResults(results);
        if (figuresKept && results.isEmpty() && nowNs - figuresNs < FIGURES_NS / hurry) {
            request.setFiguresOmitted(true);
        } else {
            figuresNs = nowNs;
            request.addAllFigures(like.getFiguresList()).addAllConditions(like.getConditionsList());
        }
        int at = 0;
        for (Replica replica : replicas.values()) {
            boolean isRead = Math.floorMod(at++ + sequence * READ_BLOCKS, Math.max(1, replicas.size())) < READ_BLOCKS;
            if (isRead || !replica.isTold) {
                request.addHeat(heat(replica));
                replica.isTold = true;
            }
        }
        return request.build();
    }

    private static HeatProto heat(Replica replica) {
        return HeatProto.newBuilder()
                .setBlock(BlockProto.newBuilder()
                        .setBlockId(replica.block.getBlockId())
                        .setGenerationStamp(replica.block.getGenerationStamp())
                        .setLengthBytes(replica.block.getNumBytes()))
                .setReplicaTier(TierProto.valueOf(replica.on.name()))
                .setReads(1)
                .setBytesRead(replica.block.getNumBytes())
                .build();
    }
}
