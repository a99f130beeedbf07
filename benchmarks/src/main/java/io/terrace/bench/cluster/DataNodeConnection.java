package io.terrace.bench.cluster;

import io.terrace.protocol.PlacementDataNodePB;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatResponseProto;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocolPB.DatanodeProtocolClientSideTranslatorPB;
import org.apache.hadoop.hdfs.security.token.block.ExportedBlockKeys;
import org.apache.hadoop.hdfs.server.common.HdfsServerConstants.NodeType;
import org.apache.hadoop.hdfs.server.common.StorageInfo;
import org.apache.hadoop.hdfs.server.datanode.DataNodeLayoutVersion;
import org.apache.hadoop.hdfs.server.protocol.DatanodeProtocol;
import org.apache.hadoop.hdfs.server.protocol.DatanodeRegistration;
import org.apache.hadoop.hdfs.server.protocol.NamespaceInfo;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.apache.hadoop.util.VersionInfo;
import org.jspecify.annotations.Nullable;

/**
 * Says to a real NameNode, and to its placement service, what DataNodes say that are no processes. Such DataNodes make a
 * cluster large; they are numbered from 0.
 */
public final class DataNodeConnection implements Closeable {
    private static final int FIRST_PORT = 1024;

    private final DatanodeProtocolClientSideTranslatorPB nameNode;
    private final @Nullable PlacementDataNodePB service;
    private final NamespaceInfo namespace;

    /** @param cluster with Terrace or stock */
    public DataNodeConnection(LocalCluster cluster) throws IOException {
        Configuration conf = cluster.confStock();
        this.nameNode = new DatanodeProtocolClientSideTranslatorPB(
                new InetSocketAddress("localhost", cluster.ports().namenodeRpc()), conf);
        this.service = cluster.spec().terrace() ? service(conf, cluster.ports().placementRpc()) : null;
        this.namespace = nameNode.versionRequest();
    }

    private static PlacementDataNodePB service(Configuration conf, int port) throws IOException {
        RPC.setProtocolEngine(conf, PlacementDataNodePB.class, ProtobufRpcEngine2.class);
        return RPC.getProxy(
                PlacementDataNodePB.class,
                RPC.getProtocolVersion(PlacementDataNodePB.class),
                new InetSocketAddress("localhost", port),
                conf);
    }

    /** Registers a DataNode with the NameNode. */
    public DatanodeRegistration register(int number) throws IOException {
        StorageInfo storage = new StorageInfo(
                DataNodeLayoutVersion.getCurrentLayoutVersion(),
                namespace.getNamespaceID(),
                namespace.getClusterID(),
                namespace.getCTime(),
                NodeType.DATA_NODE);
        DatanodeID id = new DatanodeID(
                "127.0.0.1",
                "dn%04d.example".formatted(number),
                new UUID(0x7e55ace, number).toString(),
                FIRST_PORT + number,
                0,
                0,
                0);
        return nameNode.registerDatanode(
                new DatanodeRegistration(id, storage, new ExportedBlockKeys(), VersionInfo.getVersion()));
    }

    /** The number of a DataNode that was registered here. */
    public static int number(DatanodeID node) {
        return node.getXferPort() - FIRST_PORT;
    }

    public DatanodeProtocol nameNode() {
        return nameNode;
    }

    /** The block pool's id. */
    public String pool() {
        return namespace.getBlockPoolID();
    }

    /** Sends a heartbeat to the placement service. */
    public HeartbeatResponseProto heartbeat(HeartbeatRequestProto request) throws IOException {
        if (service == null) {
            throw new IllegalStateException("a stock cluster has no placement service");
        }
        try {
            return service.heartbeat(null, request);
        } catch (ServiceException e) {
            throw new IOException("no answer to a heartbeat of " + request.getHostName() + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        if (service != null) {
            RPC.stopProxy(service);
        }
        nameNode.close();
    }
}
