package io.terrace.protocol;

import io.terrace.protocol.proto.AdminProtos.PlacementAdminService;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.ipc.ProtocolInfo;
import org.apache.hadoop.security.KerberosInfo;

/** Hadoop RPC between {@code placementctl} and the placement service: users call, NameNodes answer. */
@ProtocolInfo(protocolName = "io.terrace.protocol.PlacementAdmin", protocolVersion = 1)
@KerberosInfo(serverPrincipal = HdfsClientConfigKeys.DFS_NAMENODE_KERBEROS_PRINCIPAL_KEY)
public interface PlacementAdminPB extends PlacementAdminService.BlockingInterface {}
