package io.terrace.placement.hdfs;

import io.terrace.protocol.PlacementDataNodePB;
import io.terrace.protocol.proto.DataNodeProtos.BlockProto;
import io.terrace.protocol.proto.DataNodeProtos.ConditionProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.HeatProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderKindProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderProto;
import io.terrace.protocol.proto.DataNodeProtos.OutcomeProto;
import io.terrace.protocol.proto.DataNodeProtos.ReadTimeProto;
import io.terrace.protocol.proto.DataNodeProtos.ResidencyProto;
import io.terrace.protocol.proto.DataNodeProtos.ResultProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import io.terrace.protocol.proto.DataNodeProtos.TierStateProto;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

/** Speaks for a stock DataNode what Terrace's plugin would: heat it is told, and orders that it carries out in a map. */
public final class StandInDataNode implements AutoCloseable {

    public final Map<Long, BlockProto> memory = new LinkedHashMap<>();
    public final List<OrderProto> orders = new ArrayList<>();
    private final PlacementDataNodePB proxy;
    private final DataNode dataNode;
    private final String pool;
    private final long capacityBytes;
    private final List<HeatProto> heat = new ArrayList<>();
    /** Whether reads are by a client on its own host, as far as it says. */
    public boolean saysReaders;

    private final List<ResultProto> results = new ArrayList<>();
    private final List<ResidencyProto> changes = new ArrayList<>();
    private final List<ConditionProto> conditions = new ArrayList<>();
    private final List<ReadTimeProto> readTimes = new ArrayList<>();
    private final long incarnation = System.nanoTime() & Long.MAX_VALUE;
    private boolean full = true;
    private long sequence;

    public StandInDataNode(
            InetSocketAddress service, Configuration conf, DataNode dataNode, String pool, long capacityBytes)
            throws IOException {
        RPC.setProtocolEngine(conf, PlacementDataNodePB.class, ProtobufRpcEngine2.class);
        this.proxy = RPC.getProxy(
                PlacementDataNodePB.class, RPC.getProtocolVersion(PlacementDataNodePB.class), service, conf);
        this.dataNode = dataNode;
        this.pool = pool;
        this.capacityBytes = capacityBytes;
    }

    static BlockProto proto(ExtendedBlock block) {
        return BlockProto.newBuilder()
                .setBlockId(block.getBlockId())
                .setGenerationStamp(block.getGenerationStamp())
                .setLengthBytes(block.getNumBytes())
                .build();
    }

    public void reads(ExtendedBlock block, int times) {
        HeatProto.Builder read = HeatProto.newBuilder()
                .setBlock(proto(block))
                .setReplicaTier(TierProto.DISK)
                .setInMemory(memory.containsKey(block.getBlockId()))
                .setReads(times)
                .setBytesRead(times * block.getNumBytes());
        heat.add(saysReaders ? read.addReaders(0).addReadersReads(times).build() : read.build());
    }

    public void writes(ExtendedBlock block) {
        heat.add(HeatProto.newBuilder()
                .setBlock(proto(block))
                .setReplicaTier(TierProto.DISK)
                .setInMemory(false)
                .setWrites(1)
                .setBytesWritten(block.getNumBytes())
                .build());
    }

    /** Reads that took so long in all. */
    public void timedReads(ExtendedBlock block, int times, long ns) {
        boolean inMemory = memory.containsKey(block.getBlockId());
        heat.add(HeatProto.newBuilder()
                .setBlock(proto(block))
                .setReplicaTier(TierProto.DISK)
                .setInMemory(inMemory)
                .setReads(times)
                .setBytesRead(times * block.getNumBytes())
                .setTimedReads(times)
                .setTimedNs(ns)
                .build());
        readTimes.add(ReadTimeProto.newBuilder()
                .setTier(inMemory ? TierProto.MEMORY : TierProto.DISK)
                .setReads(times)
                .setBytes(times * block.getNumBytes())
                .setNs(ns)
                .build());
    }

    public void condition(String id, ConditionProto.Severity severity, String text) {
        conditions.add(ConditionProto.newBuilder()
                .setId(id)
                .setSeverity(severity)
                .setText(text)
                .build());
    }

    HeartbeatRequestProto.Builder request() {
        List<ResidencyProto> residency = new ArrayList<>(changes);
        if (full) {
            residency.clear();
            memory.values().forEach(block -> residency.add(resident(block, true)));
        }
        long used =
                memory.values().stream().mapToLong(BlockProto::getLengthBytes).sum();
        HeartbeatRequestProto.Builder request = HeartbeatRequestProto.newBuilder()
                .setBlockPoolId(pool)
                .setDatanodeUuid(dataNode.getDatanodeUuid())
                .setHostName("localhost")
                .setTransferPort(dataNode.getXferPort())
                .setIncarnation(incarnation)
                .setSequence(++sequence)
                .addTiers(TierStateProto.newBuilder()
                        .setTier(TierProto.MEMORY)
                        .setCapacityBytes(capacityBytes)
                        .setUsedBytes(used)
                        .setExtents(memory.size()))
                .addAllHeat(heat)
                .addAllResidency(residency)
                .setFullResidency(full)
                .addAllResults(results)
                .addAllConditions(conditions)
                .addAllReadTimes(readTimes)
                .setBytesServed(1L << 40);
        heat.clear();
        readTimes.clear();
        changes.clear();
        results.clear();
        return request;
    }

    public HeartbeatResponseProto beat() throws ServiceException {
        HeartbeatResponseProto response = proxy.heartbeat(null, request().build());
        full = response.getFullResidencyWanted();
        for (OrderProto order : response.getOrdersList()) {
            orders.add(order);
            long id = order.getBlock().getBlockId();
            if (order.getKind() == OrderKindProto.PROMOTE) {
                memory.put(id, order.getBlock());
            } else {
                memory.remove(id);
            }
            changes.add(resident(order.getBlock(), order.getKind() == OrderKindProto.PROMOTE));
            results.add(ResultProto.newBuilder()
                    .setMoveId(order.getMoveId())
                    .setOutcome(OutcomeProto.DONE)
                    .setBlock(order.getBlock())
                    .setBytesMoved(order.getBlock().getLengthBytes())
                    .setEpoch(response.getEpoch())
                    .build());
        }
        return response;
    }

    private static ResidencyProto resident(BlockProto block, boolean is) {
        return ResidencyProto.newBuilder().setBlock(block).setResident(is).build();
    }

    PlacementDataNodePB proxy() {
        return proxy;
    }

    @Override
    public void close() {
        RPC.stopProxy(proxy);
    }
}
