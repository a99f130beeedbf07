package io.terrace.bench.tiers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.protocol.proto.AdminProtos.BlockReportProto;
import io.terrace.protocol.proto.AdminProtos.ReplicaProto;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.DFSTestUtil;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.io.nativeio.NativeIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a range of tiers may not move stays where HDFS put it, and {@code explain} says why. */
@Tag("cluster")
class ImmovableReplicasTest {

    private static final Duration PATIENCE = FourTierCluster.PATIENCE;

    private final Path moved = new Path("/data/moved");
    private NativeIO.POSIX.CacheManipulator locking;
    private FourTierCluster tiers;
    private DistributedFileSystem fs;

    @BeforeEach
    void start() throws Exception {
        locking = NativeIO.POSIX.getCacheManipulator();
        NativeIO.POSIX.setCacheManipulator(new NativeIO.POSIX.NoMlockCacheManipulator());
        tiers = new FourTierCluster(
                Map.of(DFSConfigKeys.DFS_DATANODE_MAX_LOCKED_MEMORY_KEY, Integer.toString(4 << 20)),
                StorageType.RAM_DISK);
        fs = tiers.fs;
        tiers.create(moved);
    }

    @AfterEach
    void stop() throws IOException {
        tiers.close();
        NativeIO.POSIX.setCacheManipulator(locking);
    }

    /** Other blocks move, so what stays does not do so for want of time. */
    private void ruleMoves() {
        tiers.rules("- path: /data/**", "  tiers: nvm");
        readUntilMoved(moved);
    }

    private void readUntilMoved(Path path) {
        await().atMost(PATIENCE).until(() -> {
            read(path);
            return tiers.types(path).equals(List.of(StorageType.NVDIMM, StorageType.NVDIMM));
        });
    }

    private void read(Path path) throws IOException {
        assertThat(DFSTestUtil.readFileAsBytes(fs, path)).isEqualTo(tiers.bytes);
    }

    private BlockReportProto explain(Path path) throws Exception {
        return tiers.explain(path).getBlocks(0);
    }

    private void assertStays(Path path, int replicas, String why) throws Exception {
        BlockReportProto block = explain(path);
        assertThat(block.getReplicasList())
                .as("%s", block)
                .hasSize(replicas)
                .extracting(ReplicaProto::getStays)
                .containsOnly(why);
        assertThat(block.getRange()).startsWith("rule 1 of the policy keeps it in nvm");
        assertThat(block.getTiers()).contains("Rule 1 of the policy keeps it in nvm", " stays: " + why + ".");
    }

    @Test
    void openFile_staysUntilItIsClosed() throws Exception {
        Path written = new Path("/data/open");
        try (FSDataOutputStream out = fs.create(written, (short) 2)) {
            out.write(tiers.bytes);
            out.hflush();
            read(written);
            ruleMoves();
            read(written);
            assertStays(written, 2, "the block is being written or recovered");
            assertThat(tiers.types(written)).containsExactly(StorageType.DISK, StorageType.DISK);
        }
        assertThat(explain(written).getReplicasList())
                .extracting(ReplicaProto::getStays)
                .containsOnly("");
        readUntilMoved(written);
    }

    @Test
    void erasureCodedFile_stays() throws Exception {
        Path directory = new Path("/data/coded");
        Path coded = new Path(directory, "file");
        fs.mkdirs(directory);
        fs.enableErasureCodingPolicy("XOR-2-1-1024k");
        fs.setErasureCodingPolicy(directory, "XOR-2-1-1024k");
        // One cell of data; for its parity there is no third DataNode.
        tiers.create(coded);
        ruleMoves();
        read(coded);
        assertStays(coded, 1, "the block is erasure-coded");
        assertThat(tiers.types(coded)).containsExactly(StorageType.DISK);
    }

    @Test
    void fileOnRamDisk_stays() throws Exception {
        Path lazy = new Path("/data/lazy");
        EnumSet<CreateFlag> flags = EnumSet.of(CreateFlag.CREATE, CreateFlag.LAZY_PERSIST);
        try (FSDataOutputStream out =
                fs.create(lazy, FsPermission.getFileDefault(), flags, 4096, (short) 1, 1 << 20, null)) {
            // Stock keeps no checksums of such a file, and cannot read one that ends within a chunk.
            out.write(tiers.bytes, 0, 512 * 500);
        }
        assertThat(tiers.types(lazy)).containsExactly(StorageType.RAM_DISK);
        ruleMoves();
        await().atMost(PATIENCE).until(() -> {
            assertThat(DFSTestUtil.readFileAsBytes(fs, lazy)).hasSize(512 * 500);
            return explain(lazy).hasRange();
        });
        assertStays(lazy, 1, "replicas on RAM_DISK are not moved");
        assertThat(tiers.types(lazy)).containsExactly(StorageType.RAM_DISK);
    }

    @Test
    void outsideOfARange_nothingIsSaidToStay() throws Exception {
        Path written = new Path("/other/open");
        try (FSDataOutputStream out = fs.create(written, (short) 2)) {
            out.write(tiers.bytes);
            out.hflush();
            ruleMoves();
            BlockReportProto block = explain(written);
            assertThat(block.hasRange()).isFalse();
            assertThat(block.getReplicasList()).hasSize(2);
            assertThat(block.getReplicasList())
                    .extracting(ReplicaProto::getStays)
                    .containsOnly("");
        }
    }
}
