package io.terrace.bench.scale;

import io.terrace.metrics.FigureTable;
import io.terrace.metrics.Metric;
import io.terrace.protocol.StampedBlock;
import io.terrace.protocol.proto.DataNodeProtos.BlockProto;
import io.terrace.protocol.proto.DataNodeProtos.FigureValueProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.HeatProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderKindProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderProto;
import io.terrace.protocol.proto.DataNodeProtos.OutcomeProto;
import io.terrace.protocol.proto.DataNodeProtos.ResidencyProto;
import io.terrace.protocol.proto.DataNodeProtos.ResultProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import io.terrace.protocol.proto.DataNodeProtos.TierStateProto;
import it.unimi.dsi.fastutil.longs.LongOpenHashSet;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * A DataNode that is no process: it says what one says in a heartbeat, with all its figures, and has carried out what it was
 * ordered when it sends the next one. Used by one thread.
 */
final class ScaleDataNode {

    private static final long MEMORY_BYTES = 16L << 30;

    /** Read between two heartbeats, so that the DataNode is not idle. */
    private static final long SERVED_BYTES = 8L << 30;

    private final int number;
    private final String pool;
    private final LongOpenHashSet resident = new LongOpenHashSet();
    private final List<ResultProto> results = new ArrayList<>();
    private final List<ResidencyProto> changes = new ArrayList<>();
    private long sequence;
    private boolean fullWanted = true;
    private boolean tabled;

    ScaleDataNode(int number, String pool) {
        this.number = number;
        this.pool = pool;
    }

    int number() {
        return number;
    }

    /** The bytes of its next heartbeat, which tells of a read of each of these blocks. */
    byte[] heartbeat(LongStream read) {
        HeartbeatRequestProto.Builder request = HeartbeatRequestProto.newBuilder()
                .setBlockPoolId(pool)
                .setDatanodeUuid(RealNameNode.uuid(number))
                .setHostName(RealNameNode.host(number))
                .setTransferPort(9866)
                .setIncarnation(1)
                .setSequence(++sequence)
                .setFullResidency(fullWanted)
                .setBytesServed(SERVED_BYTES)
                .setTakesVolumeMoves(true)
                .setRelease("bench scale")
                .addTiers(TierStateProto.newBuilder()
                        .setTier(TierProto.MEMORY)
                        .setCapacityBytes(MEMORY_BYTES)
                        .setUsedBytes(resident.size() * BlockSpread.BLOCK_BYTES)
                        .setExtents(resident.size()))
                .addAllResults(results);
        if (fullWanted) {
            resident.forEach(block -> request.addResidency(residency(block, true)));
        } else {
            request.addAllResidency(changes);
        }
        results.clear();
        changes.clear();
        read.forEach(block -> request.addHeat(heat(block)));
        if (tabled) {
            request.setFigureTable(FigureTable.ID);
            FigureTable.METRICS.forEach(metric -> request.addFigureValues(figure(metric)));
        } else {
            FigureTable.METRICS.forEach(metric -> request.addFigures(
                    FigureValueProto.newBuilder().setId(metric.id()).setValue(figure(metric))));
        }
        return request.build().toByteArray();
    }

    private long figure(Metric metric) {
        return metric.id().length() * (number + sequence);
    }

    private HeatProto heat(long block) {
        boolean inMemory = resident.contains(block);
        return HeatProto.newBuilder()
                .setBlock(block(block))
                .setReplicaTier(TierProto.DISK)
                .setInMemory(inMemory)
                .setReads(3)
                .setBytesRead(BlockSpread.BLOCK_BYTES)
                .setBytesReadFromMemory(inMemory ? BlockSpread.BLOCK_BYTES : 0)
                .setAgeMs(100)
                .build();
    }

    private static BlockProto block(long block) {
        StampedBlock stamped = BlockSpread.stamped(block);
        return BlockProto.newBuilder()
                .setBlockId(stamped.id())
                .setGenerationStamp(stamped.stamp())
                .setLengthBytes(stamped.lengthBytes())
                .build();
    }

    private static ResidencyProto residency(long block, boolean isResident) {
        return ResidencyProto.newBuilder()
                .setBlock(block(block))
                .setResident(isResident)
                .build();
    }

    /** Takes an answer and carries out its orders. */
    void answered(HeartbeatResponseProto answer, BlockSpread spread) {
        fullWanted = answer.getFullResidencyWanted();
        tabled = answer.getFigureTable() == FigureTable.ID;
        for (OrderProto order : answer.getOrdersList()) {
            long block = spread.number(order.getBlock().getBlockId());
            boolean promotion = order.getKind() == OrderKindProto.PROMOTE;
            boolean changed = promotion ? resident.add(block) : resident.remove(block);
            if (changed) {
                changes.add(residency(block, promotion));
            }
            results.add(ResultProto.newBuilder()
                    .setMoveId(order.getMoveId())
                    .setEpoch(answer.getEpoch())
                    .setOutcome(OutcomeProto.DONE)
                    .setBlock(order.getBlock())
                    .setBytesMoved(promotion ? BlockSpread.BLOCK_BYTES : 0)
                    .setTookMs(500)
                    .build());
        }
    }

    int residentBlocks() {
        return resident.size();
    }
}
