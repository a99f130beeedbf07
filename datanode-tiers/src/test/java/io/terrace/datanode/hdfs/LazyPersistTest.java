package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.io.nativeio.NativeIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Replicas on RAM disks stay stock's, beside the memory tier. */
class LazyPersistTest {
    private static final int BYTES = 100_000;

    private NativeIO.POSIX.CacheManipulator locking;

    @BeforeEach
    void lockNothing() {
        locking = NativeIO.POSIX.getCacheManipulator();
        NativeIO.POSIX.setCacheManipulator(new NativeIO.POSIX.NoMlockCacheManipulator());
    }

    @AfterEach
    void lockAgain() {
        NativeIO.POSIX.setCacheManipulator(locking);
    }

    @Test
    void lockedMemory_countsAsUsed_andTakesNothingFromDirectives() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.setLong(DFSConfigKeys.DFS_DATANODE_MAX_LOCKED_MEMORY_KEY, 4L * TerraceCluster.BLOCK_BYTES);
        try (TerraceCluster cluster = TerraceCluster.start(1, conf, StorageType.RAM_DISK, StorageType.DISK)) {
            FsDatasetSpi<?> dataset = cluster.cluster().getDataNodes().get(0).getFSDataset();
            long left = dataset.getCacheCapacity() - dataset.getCacheUsed();
            assertThat(dataset.getCacheUsed()).isZero();
            Path file = new Path("/lazy");
            try (FSDataOutputStream out = cluster.fs()
                    .create(
                            file,
                            FsPermission.getFileDefault(),
                            EnumSet.of(CreateFlag.CREATE, CreateFlag.LAZY_PERSIST),
                            4096,
                            (short) 1,
                            TerraceCluster.BLOCK_BYTES,
                            null)) {
                out.write(TerraceCluster.contents("lazy", BYTES));
            }
            assertThat(dataset.getCacheUsed()).isGreaterThanOrEqualTo(BYTES);
            assertThat(dataset.getCacheCapacity() - dataset.getCacheUsed()).isEqualTo(left);
        }
    }
}
