package io.terrace.datanode.hdfs;

import io.terrace.datanode.DataNodeSettings;
import io.terrace.datanode.HostConditions;
import io.terrace.datanode.MemoryDirectory;
import java.io.IOException;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNode;

/** What a DataNode's own configuration says about memory. */
final class StockFacts {

    private StockFacts() {}

    static HostConditions.Facts of(
            DataNode datanode, DataNodeSettings settings, MemoryDirectory directory, boolean grants, String rdmaTrouble)
            throws IOException {
        long ramDiskVolumes = DataNode.getStorageLocations(datanode.getConf()).stream()
                .filter(location -> location.getStorageType() == StorageType.RAM_DISK)
                .count();
        return new HostConditions.Facts(
                settings.capacityBytes(),
                directory.fileSystemType(),
                directory.fileSystemBytes(),
                datanode.getConf()
                        .getLongBytes(
                                DFSConfigKeys.DFS_DATANODE_MAX_LOCKED_MEMORY_KEY,
                                DFSConfigKeys.DFS_DATANODE_MAX_LOCKED_MEMORY_DEFAULT),
                (int) ramDiskVolumes,
                grants,
                rdmaTrouble,
                settings.testSwitches());
    }
}
