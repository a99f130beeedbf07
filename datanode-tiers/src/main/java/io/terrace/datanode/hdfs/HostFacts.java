package io.terrace.datanode.hdfs;

import io.terrace.datanode.hdfs.volume.ReplicaMover;
import io.terrace.datanode.heartbeat.HostDiagnostics;
import io.terrace.datanode.memory.MemoryDirectory;
import java.io.IOException;
import java.util.function.Supplier;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNode;

/** What a DataNode's own configuration says about memory. */
final class HostFacts {

    private HostFacts() {}

    static HostDiagnostics.Facts of(
            DataNode datanode,
            DataNodeConfig settings,
            MemoryDirectory directory,
            boolean grants,
            Supplier<String> rdmaProblem,
            Supplier<String> nvmProblem)
            throws IOException {
        long ramDiskVolumes = DataNode.getStorageLocations(datanode.getConf()).stream()
                .filter(location -> location.getStorageType() == StorageType.RAM_DISK)
                .count();
        return new HostDiagnostics.Facts(
                settings.capacityBytes(),
                directory.root(),
                directory.fileSystemType(),
                directory.fileSystemBytes(),
                datanode.getConf()
                        .getLongBytes(
                                DFSConfigKeys.DFS_DATANODE_MAX_LOCKED_MEMORY_KEY,
                                DFSConfigKeys.DFS_DATANODE_MAX_LOCKED_MEMORY_DEFAULT),
                (int) ramDiskVolumes,
                grants,
                rdmaProblem,
                nvmProblem,
                !ReplicaMover.removesDuplicates(datanode.getConf()));
    }
}
