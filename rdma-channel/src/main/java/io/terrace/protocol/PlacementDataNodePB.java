package io.terrace.protocol;

import io.terrace.protocol.proto.DataNodeProtos.PlacementDataNodeService;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.ipc.ProtocolInfo;
import org.apache.hadoop.security.KerberosInfo;

/** Hadoop RPC between the plugin of a DataNode and the placement service: DataNodes call, NameNodes answer. */
// The name must be that of a class: service-level authorization loads it to find its access list.
@ProtocolInfo(protocolName = "io.terrace.protocol.PlacementDataNodePB", protocolVersion = 1)
@KerberosInfo(
        serverPrincipal = HdfsClientConfigKeys.DFS_NAMENODE_KERBEROS_PRINCIPAL_KEY,
        clientPrincipal = "dfs.datanode.kerberos.principal")
public interface PlacementDataNodePB extends PlacementDataNodeService.BlockingInterface {}
