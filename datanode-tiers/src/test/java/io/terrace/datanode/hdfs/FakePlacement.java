package io.terrace.datanode.hdfs;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.protocol.PlacementDataNodePB;
import io.terrace.protocol.ProtoConverter;
import io.terrace.protocol.proto.DataNodeProtos.BlockProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderKindProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderProto;
import io.terrace.protocol.proto.DataNodeProtos.PlacementDataNodeService;
import io.terrace.protocol.proto.DataNodeProtos.ResultProto;
import io.terrace.protocol.proto.DataNodeProtos.VolumeMoveProto;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.thirdparty.protobuf.RpcController;

/** A placement service that does what a test tells it, over Hadoop's RPC. */
final class FakePlacement implements PlacementDataNodePB, AutoCloseable {

    private final int port;
    private RPC.Server server;
    final List<HeartbeatRequestProto> heartbeats = new CopyOnWriteArrayList<>();
    /** One for each connection that a heartbeat came over. */
    final Set<Integer> clientPorts = ConcurrentHashMap.newKeySet();

    private final ConcurrentLinkedQueue<OrderProto> orders = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<VolumeMoveProto> moves = new ConcurrentLinkedQueue<>();
    private long lastMoveId;
    volatile long epoch = 1;
    volatile boolean serve = true;
    volatile boolean active = true;

    FakePlacement() throws IOException {
        server = listen(0);
        port = server.getListenerAddress().getPort();
    }

    private RPC.Server listen(int onPort) throws IOException {
        Configuration conf = new Configuration();
        RPC.setProtocolEngine(conf, PlacementDataNodePB.class, ProtobufRpcEngine2.class);
        RPC.Server listening = new RPC.Builder(conf)
                .setProtocol(PlacementDataNodePB.class)
                .setInstance(PlacementDataNodeService.newReflectiveBlockingService(this))
                .setBindAddress("localhost")
                .setPort(onPort)
                .setNumHandlers(2)
                .build();
        listening.start();
        return listening;
    }

    /** As a NameNode that went away. */
    void goAway() throws InterruptedException {
        server.stop();
        server.join();
    }

    /** As the same NameNode, started again. */
    void comeBack() throws IOException {
        server = listen(port);
    }

    String address() {
        return "localhost:" + port;
    }

    long order(OrderKindProto kind, BlockKey key, long lengthBytes) {
        long moveId = ++lastMoveId;
        orders.add(OrderProto.newBuilder()
                .setMoveId(moveId)
                .setKind(kind)
                .setBlock(BlockProto.newBuilder()
                        .setBlockId(key.blockId())
                        .setGenerationStamp(key.generationStamp())
                        .setLengthBytes(lengthBytes))
                .build());
        return moveId;
    }

    /** Orders a move between volumes. */
    long move(BlockVersion block, StorageTier to) {
        long moveId = ++lastMoveId;
        moves.add(VolumeMoveProto.newBuilder()
                .setMoveId(moveId)
                .setBlock(ProtoConverter.block(block))
                .setTo(ProtoConverter.tier(to))
                .build());
        return moveId;
    }

    Optional<ResultProto> result(long moveId) {
        return heartbeats.stream()
                .flatMap(heartbeat -> heartbeat.getResultsList().stream())
                .filter(result -> result.getMoveId() == moveId)
                .findFirst();
    }

    @Override
    public HeartbeatResponseProto heartbeat(RpcController controller, HeartbeatRequestProto request) {
        heartbeats.add(request);
        clientPorts.add(Server.getRemotePort());
        HeartbeatResponseProto.Builder response = HeartbeatResponseProto.newBuilder()
                .setActive(active)
                .setEpoch(epoch)
                .setServe(serve);
        for (OrderProto order = orders.poll(); order != null; order = orders.poll()) {
            response.addOrders(order);
        }
        for (VolumeMoveProto move = moves.poll(); move != null; move = moves.poll()) {
            response.addVolumeMoves(move);
        }
        return response.build();
    }

    @Override
    public void close() {
        server.stop();
    }
}
