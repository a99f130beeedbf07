package io.terrace.datanode.hdfs;

import java.io.Closeable;
import org.apache.hadoop.hdfs.protocol.proto.ClientDatanodeProtocolProtos.ClientDatanodeProtocolService;
import org.apache.hadoop.hdfs.protocol.proto.ClientDatanodeProtocolProtos.EvictWritersRequestProto;
import org.apache.hadoop.hdfs.protocol.proto.ClientDatanodeProtocolProtos.EvictWritersResponseProto;
import org.apache.hadoop.hdfs.protocolPB.ClientDatanodeProtocolPB;
import org.apache.hadoop.hdfs.protocolPB.ClientDatanodeProtocolServerSideTranslatorPB;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.jspecify.annotations.Nullable;

/**
 * {@code dfsadmin -evictWriters} for clients that write over the channel. The DataNode knows only its own writers, and nothing of it is
 * told of the call. So its RPC server is given stock's translator once more, with this call extended: the last one that is added for
 * a protocol serves it.
 */
final class WriterEviction extends ClientDatanodeProtocolServerSideTranslatorPB {
    private final Runnable evict;

    private WriterEviction(DataNode datanode, Runnable evict) {
        super(datanode);
        this.evict = evict;
    }

    /**
     * From now on it is called, until what this returns is closed.
     *
     * @param evict ends the blocks that are written over the channel
     */
    static Closeable serve(DataNode datanode, Runnable evict) {
        serve(datanode.ipcServer, new WriterEviction(datanode, evict));
        return () -> serve(datanode.ipcServer, new ClientDatanodeProtocolServerSideTranslatorPB(datanode));
    }

    private static void serve(RPC.@Nullable Server server, ClientDatanodeProtocolPB calls) {
        // A DataNode that stops may have none any more. The server's map has no lock, but no key is new: a value
        // changes.
        if (server != null) {
            server.addProtocol(
                    RPC.RpcKind.RPC_PROTOCOL_BUFFER,
                    ClientDatanodeProtocolPB.class,
                    ClientDatanodeProtocolService.newReflectiveBlockingService(calls));
        }
    }

    /** Stock's checks that the caller is a superuser, and throws where he is not. */
    @Override
    public EvictWritersResponseProto evictWriters(RpcController controller, EvictWritersRequestProto request)
            throws ServiceException {
        EvictWritersResponseProto answer = super.evictWriters(controller, request);
        evict.run();
        return answer;
    }
}
