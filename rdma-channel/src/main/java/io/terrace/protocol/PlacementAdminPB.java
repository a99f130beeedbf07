package io.terrace.protocol;

import io.terrace.protocol.proto.AdminProtos.PlacementAdminService;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.ipc.ProtocolInfo;
import org.apache.hadoop.security.KerberosInfo;

/** Hadoop RPC between {@code placementctl} and the placement service: users call, NameNodes answer. */
// The name must be that of a class: service-level authorization loads it to find its access list.
@ProtocolInfo(protocolName = "io.terrace.protocol.PlacementAdminPB", protocolVersion = 1)
@KerberosInfo(serverPrincipal = HdfsClientConfigKeys.DFS_NAMENODE_KERBEROS_PRINCIPAL_KEY)
public interface PlacementAdminPB extends PlacementAdminService.BlockingInterface {}
