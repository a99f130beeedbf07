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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Replicas on RAM disks stay stock's, beside the memory tier. */
@Tag("cluster")
class LazyPersistTest {
    private static final int BYTES = 100_000;

    /** Much less than the memory tier has. */
    private static final long LOCKABLE_BYTES = 4L * TerraceCluster.BLOCK_BYTES;

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
    void lockedMemory_isSharedWithDirectives_asInStock() throws Exception {
        Configuration conf = TerraceCluster.configuration();
        conf.setLong(DFSConfigKeys.DFS_DATANODE_MAX_LOCKED_MEMORY_KEY, LOCKABLE_BYTES);
        try (TerraceCluster cluster = TerraceCluster.start(1, conf, StorageType.RAM_DISK, StorageType.DISK)) {
            FsDatasetSpi<?> dataset = cluster.cluster().getDataNodes().get(0).getFSDataset();
            assertThat(dataset.getCacheCapacity()).isEqualTo(LOCKABLE_BYTES);
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
            assertThat(dataset.getCacheCapacity()).isEqualTo(LOCKABLE_BYTES);
        }
    }
}
