package io.terrace.datanode.hdfs.write;

import io.terrace.datanode.write.BlockStore;
import java.io.IOException;
import java.net.InetAddress;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stock's trace of what clients do, by its logger and in its format. */
final class ClientTrace {
    private static final Logger LOG = LoggerFactory.getLogger(DataNode.class.getName() + ".clienttrace");

    private static final String UNIX = "unix:";

    private ClientTrace() {}

    /** A client has written a block. */
    static void wrote(
            DataNode datanode,
            ReplicaInPipeline replica,
            ExtendedBlock block,
            BlockStore.Client client,
            String clientName,
            long tookNs)
            throws IOException {
        if (LOG.isInfoEnabled()) {
            LOG.info(String.format(
                    DataNode.DN_CLIENTTRACE_FORMAT,
                    client.from(),
                    client.to(),
                    replica.getVolume(),
                    block.getNumBytes(),
                    "HDFS_WRITE",
                    clientName,
                    0,
                    datanode.getDNRegistrationForBP(block.getBlockPoolId()).getDatanodeUuid(),
                    block,
                    tookNs));
        }
    }

    /** The host of an address, as stock cuts it out; loopback's for a client of the Unix socket, which has none. */
    static String host(String address) {
        if (address.startsWith(UNIX)) {
            return InetAddress.getLoopbackAddress().getHostAddress();
        }
        int colon = address.indexOf(':');
        return colon < 0 ? address : address.substring(0, colon);
    }
}
