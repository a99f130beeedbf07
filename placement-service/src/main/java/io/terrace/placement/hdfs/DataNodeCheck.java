package io.terrace.placement.hdfs;

import io.terrace.protocol.PlacementDataNodePB;
import java.io.IOException;
import java.net.InetAddress;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeDescriptor;
import org.apache.hadoop.hdfs.server.blockmanagement.DatanodeManager;
import org.apache.hadoop.hdfs.server.namenode.FSNamesystem;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.SecurityUtil;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Tells a DataNode's heartbeat from anybody else's: its UUID is registered with the NameNode, it comes from the address
 * that registered, and with Kerberos from the DataNodes' principal, whether or not service-level authorization is on.
 */
public final class DataNodeCheck {

    private final FSNamesystem namesystem;
    private final Configuration conf;

    public DataNodeCheck(FSNamesystem namesystem, Configuration conf) {
        this.namesystem = namesystem;
        this.conf = conf;
    }

    /**
     * The DataNode as it registered.
     *
     * @throws IOException when the present RPC does not come from that DataNode of that block pool
     */
    DatanodeID check(String blockPool, String uuid) throws IOException {
        String ours = namesystem.getBlockManager().getBlockPoolId();
        if (!blockPool.equals(ours)) {
            throw new IOException("this NameNode serves block pool " + ours + ", not " + blockPool);
        }
        DatanodeManager datanodes = namesystem.getBlockManager().getDatanodeManager();
        DatanodeDescriptor node = datanodes.getDatanode(uuid);
        if (node == null) {
            throw new RetriableException("DataNode " + uuid + " is not registered with this NameNode yet");
        }
        InetAddress from = Server.getRemoteIp();
        if (from != null && !from.getHostAddress().equals(node.getIpAddr())) {
            throw new AccessControlException("DataNode " + uuid + " registered from " + node.getIpAddr()
                    + ", its heartbeat came from " + from.getHostAddress());
        }
        checkPrincipal(from);
        return node;
    }

    private void checkPrincipal(InetAddress from) throws IOException {
        if (!UserGroupInformation.isSecurityEnabled()) {
            return;
        }
        String wanted = SecurityUtil.getClientPrincipal(PlacementDataNodePB.class, conf);
        UserGroupInformation caller = Server.getRemoteUser();
        if (wanted == null || caller == null) {
            throw new AccessControlException("the principal of DataNodes is not configured, or the caller has none");
        }
        if (!SecurityUtil.getServerPrincipal(wanted, from).equals(caller.getUserName())) {
            throw new AccessControlException(caller.getUserName() + " is not a DataNode");
        }
    }
}
