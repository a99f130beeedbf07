package io.terrace.bench.fuzz;

import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.PlacementEngine;
import io.terrace.placement.PlacementSettings;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.HeartbeatCodec;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.proto.DataNodeProtos.BlockProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeatProto;
import io.terrace.protocol.proto.DataNodeProtos.OutcomeProto;
import io.terrace.protocol.proto.DataNodeProtos.ReadTimeProto;
import io.terrace.protocol.proto.DataNodeProtos.ResidencyProto;
import io.terrace.protocol.proto.DataNodeProtos.ResizedProto;
import io.terrace.protocol.proto.DataNodeProtos.ResultProto;
import io.terrace.protocol.proto.DataNodeProtos.TierProto;
import io.terrace.protocol.proto.DataNodeProtos.TierStateProto;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.thirdparty.protobuf.InvalidProtocolBufferException;

/** Heartbeats as the service takes them, all the way to the engine and its answer: one DataNode must not break the loop. */
final class Heartbeats implements FuzzTarget {

    private static final int ENTRIES = 10_000;
    private static final int NODES = 4;

    /** Of one engine: what is in it makes findings hard to repeat. */
    private static final int INPUTS = 2_000;

    private MetricRegistry metrics = new MetricRegistry();
    private PlacementEngine engine = started();
    private long nowMs = 1_000;
    private int inputs;

    private PlacementEngine started() {
        metrics = new MetricRegistry();
        PlacementEngine fresh = new PlacementEngine(PlacementSettings.from(key -> null), new FitForAll(), metrics);
        fresh.activate(1, OperatorState.initial());
        return fresh;
    }

    @Override
    public List<byte[]> seeds() {
        BlockProto block = BlockProto.newBuilder()
                .setBlockId(7)
                .setGenerationStamp(1001)
                .setLengthBytes(1 << 20)
                .build();
        HeartbeatRequestProto.Builder request = HeartbeatRequestProto.newBuilder()
                .setBlockPoolId("BP")
                .setDatanodeUuid("a")
                .setHostName("h")
                .setTransferPort(9866)
                .setIncarnation(1)
                .setSequence(1)
                .setFullResidency(true)
                .addTiers(TierStateProto.newBuilder()
                        .setTier(TierProto.MEMORY)
                        .setCapacityBytes(1 << 30)
                        .setUsedBytes(1 << 20));
        byte[] small = request.build().toByteArray();
        byte[] large = request.addHeat(HeatProto.newBuilder()
                        .setBlock(block)
                        .setReplicaTier(TierProto.DISK)
                        .setReads(3)
                        .setBytesRead(9))
                .addResidency(ResidencyProto.newBuilder().setBlock(block).setResident(true))
                .addResults(ResultProto.newBuilder()
                        .setMoveId(1)
                        .setOutcome(OutcomeProto.DONE)
                        .setEpoch(1)
                        .setBlock(block))
                .setResized(
                        ResizedProto.newBuilder().setId(1).setCapacityBytes(5).setConfiguredBytes(6))
                .addReadTimes(ReadTimeProto.newBuilder()
                        .setTier(TierProto.NVM)
                        .setReads(1)
                        .setBytes(2)
                        .setNs(3))
                .setTakesVolumeMoves(true)
                .setSequence(2)
                .build()
                .toByteArray();
        return List.of(small, large);
    }

    @Override
    public void read(byte[] input) {
        HeartbeatRequestProto request;
        Heartbeat heartbeat;
        try {
            request = HeartbeatRequestProto.parseFrom(input);
            heartbeat = HeartbeatCodec.heartbeat(request, "host", request.getTransferPort() & 0xffff, ENTRIES, metrics);
        } catch (InvalidProtocolBufferException | IllegalArgumentException e) {
            return;
        }
        if (++inputs % INPUTS == 0) {
            engine = started();
        }
        // The NameNode knows its DataNodes, and no other is heard.
        if (heartbeat.node().length() > NODES) {
            return;
        }
        nowMs += 250;
        int unused = HeartbeatCodec.answer(engine.heartbeat(nowMs, heartbeat)).getSerializedSize();
        int looked = engine.turn(nowMs);
        FuzzTarget.require(looked > 0 && engine.engineStatus().resident() >= 0, "the DataNode was lost");
        FuzzTarget.require(engine.reports().nodes(nowMs).size() == looked, "a DataNode without a report");
    }

    /** Says of every block that it is what the DataNode says, so that as much as possible is done with it. */
    private static final class FitForAll implements NamespaceView {
        @Override
        public int lockBlocks() {
            return 256;
        }

        @Override
        public List<Verdict> examine(List<Candidate> candidates) {
            return Collections.nCopies(candidates.size(), Verdict.FIT);
        }

        @Override
        public List<Located> blocksOf(Collection<Long> inodes, int limit) {
            return List.of();
        }
    }
}
