package io.terrace.placementctl;

import io.terrace.protocol.PlacementAdminPB;
import io.terrace.protocol.proto.AdminProtos.PlacementAdminService;
import io.terrace.protocol.proto.AdminProtos.StatusResponseProto;
import java.io.IOException;
import java.lang.reflect.Proxy;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

/** A placement service that answers as a test says. */
final class FakeService implements AutoCloseable {

    /** What a call, named as in the protocol, is answered; an exception is sent instead. */
    interface Answers {
        Object to(String call, Object request) throws Exception;
    }

    private final RPC.Server server;

    FakeService(Answers answers) throws IOException {
        Configuration conf = new Configuration(false);
        RPC.setProtocolEngine(conf, PlacementAdminPB.class, ProtobufRpcEngine2.class);
        PlacementAdminPB service = (PlacementAdminPB) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {PlacementAdminPB.class}, (proxy, method, arguments) -> {
                    try {
                        return answers.to(method.getName(), arguments[1]);
                    } catch (IOException e) {
                        throw new ServiceException(e);
                    }
                });
        server = new RPC.Builder(conf)
                .setProtocol(PlacementAdminPB.class)
                .setInstance(PlacementAdminService.newReflectiveBlockingService(service))
                .setBindAddress("127.0.0.1")
                .setPort(0)
                .setNumHandlers(2)
                .build();
        server.start();
    }

    static StatusResponseProto status(boolean active, long epoch) {
        return StatusResponseProto.newBuilder()
                .setNameNode("nn1:8020")
                .setBlockPoolId("BP-1")
                .setActive(active)
                .setEpoch(epoch)
                .setServe(true)
                .setMoves(true)
                .setPolicy("adaptive")
                .setMoveBytesPerSecond(1)
                .build();
    }

    /** For {@code --service}. */
    String address() {
        return "127.0.0.1:" + server.getListenerAddress().getPort();
    }

    @Override
    public void close() {
        server.stop();
    }
}
