package io.terrace.bench.faults;

import io.terrace.bench.cluster.HdfsCluster;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.client.BlockReportOptions;
import org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Block reports on demand, as {@code hdfs dfsadmin -triggerBlockReport} orders them. Without one, HDFS may keep a replica for hours
 * that its NameNode has forgotten, such as one of a block that was abandoned.
 */
public final class FullBlockReports {

    private FullBlockReports() {}

    /** Has every DataNode of a cluster send a full block report with its next heartbeat. */
    public static void send(HdfsCluster cluster, Configuration conf) throws IOException {
        for (int i = 1; i <= cluster.spec().datanodes(); i++) {
            ClientDatanodeProtocol datanode = DFSUtilClient.createClientDatanodeProtocolProxy(
                    new InetSocketAddress("localhost", cluster.ipcPort(i)),
                    UserGroupInformation.getCurrentUser(),
                    conf,
                    NetUtils.getDefaultSocketFactory(conf));
            try {
                datanode.triggerBlockReport(
                        new BlockReportOptions.Factory().setIncremental(false).build());
            } finally {
                RPC.stopProxy(datanode);
            }
        }
    }
}
