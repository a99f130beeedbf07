package io.terrace.bench.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.load.SeededContent;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.apache.hadoop.hdfs.protocol.DatanodeInfoWithStorage;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WrittenReplicasTest {
    private static final long SEED = 3;
    private static final int BYTES = 1_300;
    private static final long STAMP = 1_001;

    @TempDir
    Path root;

    private WrittenReplicas.Flipped flipped = new Bit(0, 0, 0);

    @BeforeEach
    void write() throws IOException {
        for (Path datanode : datanodes()) {
            Files.createDirectory(datanode);
        }
        store("1/finalized", bytes(BYTES), bytes(BYTES), STAMP);
        store("2/finalized", bytes(BYTES), bytes(BYTES), STAMP);
    }

    @Test
    void replicas_alike_areRight() throws IOException {
        assertThat(fault(2)).isEmpty();
    }

    @Test
    void replica_thatIsMissing_isFound() throws IOException {
        Files.delete(root.resolve("2/finalized/blk_5"));
        assertThat(fault(2)).get().asString().contains("1 of 2 replicas in the volumes");
    }

    @Test
    void secondReplicaOfADataNode_isNoneOfAnother() throws IOException {
        Files.delete(root.resolve("2/finalized/blk_5"));
        store("1/ssd/finalized", bytes(BYTES), bytes(BYTES), STAMP);
        assertThat(fault(2)).get().asString().contains("1 of 2 replicas in the volumes");
    }

    @Test
    void replica_theNameNodeDoesNotKnow_isFound() throws IOException {
        assertThat(fault(1)).get().asString().contains("1 of 2 replicas at the NameNode");
    }

    @Test
    void replica_withOtherBytes_isFound() throws IOException {
        byte[] other = bytes(BYTES);
        other[700]++;
        store("2/finalized", other, other, STAMP);
        assertThat(fault(2)).get().asString().contains("differs from what was written at byte 700");
    }

    /** Of a copy that found no room; stock HDFS removes it with the DataNode's next start. */
    @Test
    void partOfACopyThatFailed_isNoReplica() throws IOException {
        store("2/tmp/subdir0/subdir0", bytes(BYTES + 1), bytes(BYTES + 1), STAMP);
        assertThat(fault(2)).isEmpty();
    }

    @Test
    void replica_ofAnotherLength_isFound() throws IOException {
        store("2/finalized", bytes(BYTES + 1), bytes(BYTES + 1), STAMP);
        assertThat(fault(2)).get().asString().contains("has 1301 bytes, not 1300");
    }

    @Test
    void replica_ofAnotherStamp_isFound() throws IOException {
        Files.delete(root.resolve("2/finalized/blk_5_" + STAMP + ".meta"));
        store("2/finalized", bytes(BYTES), bytes(BYTES), STAMP - 1);
        assertThat(fault(2)).get().asString().contains("another generation stamp");
    }

    @Test
    void replica_withOtherChecksums_isFound() throws IOException {
        byte[] other = bytes(BYTES);
        other[1_200]++;
        store("2/finalized", bytes(BYTES), other, STAMP);
        assertThat(fault(2)).get().asString().contains("wrong checksums");
    }

    @Test
    void replica_withTooFewChecksums_isFound() throws IOException {
        store("2/finalized", bytes(BYTES), bytes(600), STAMP);
        assertThat(fault(2)).get().asString().contains("has 8 bytes of checksums for 3 chunks");
    }

    @Test
    void replica_beingWritten_isFoundByItself() throws IOException {
        WrittenReplicas written = new WrittenReplicas(datanodes());
        assertThat(written.unfinished()).isEmpty();
        store("3/rbw", bytes(10), bytes(10), STAMP);
        assertThat(written.unfinished()).get().asString().contains("is left");
        assertThat(written.unfinished(file -> file.startsWith(root.resolve("3"))))
                .as("without those that are known")
                .isEmpty();
        assertThat(fault(2)).as("of the block itself").isEmpty();
    }

    @Test
    void replica_withABitThatWasFlipped_isRight_andMayBeTheOnlyBadOne() throws IOException {
        byte[] other = bytes(BYTES);
        other[700] ^= 4;
        store("2/finalized", other, bytes(BYTES), STAMP);
        flipped = new Bit(5, 700, 4);

        assertThat(fault(2)).isEmpty();
        assertThat(fault(1)).as("HDFS knows that it is bad").isEmpty();
        assertThat(fault(0)).isPresent();

        flipped = new Bit(5, 700, 8);
        assertThat(fault(2)).get().asString().contains("differs from what was written at byte 700");
        flipped = new Bit(6, 700, 4);
        assertThat(fault(2)).isPresent();
    }

    private Optional<String> fault(int locations) throws IOException {
        DatanodeInfoWithStorage[] nodes = new DatanodeInfoWithStorage[locations];
        for (int i = 0; i < locations; i++) {
            nodes[i] = new DatanodeInfoWithStorage(
                    new DatanodeInfoBuilder()
                            .setIpAddr("192.0.2." + i)
                            .setXferPort(9866)
                            .build(),
                    "storage",
                    StorageType.DISK);
        }
        LocatedBlock block = new LocatedBlock(new ExtendedBlock("pool", 5, BYTES, STAMP), nodes);
        block.setStartOffset(0);
        WrittenReplicas written = new WrittenReplicas(datanodes(), flipped);
        return written.fault(List.of(block), 2, WrittenReplicasTest::fill, written.files())
                .map(WrittenReplicas.Fault::what);
    }

    private List<Path> datanodes() {
        return List.of(root.resolve("1"), root.resolve("2"), root.resolve("3"));
    }

    private void store(String directory, byte[] data, byte[] summed, long stamp) throws IOException {
        Path into = Files.createDirectories(root.resolve(directory));
        Files.write(into.resolve("blk_5"), data);
        DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512);
        byte[] sums = new byte[(summed.length + 511) / 512 * 4];
        checksum.calculateChunkedSums(summed, 0, summed.length, sums, 0);
        try (DataOutputStream meta =
                new DataOutputStream(Files.newOutputStream(into.resolve("blk_5_" + stamp + ".meta")))) {
            BlockMetadataHeader.writeHeader(meta, checksum);
            meta.write(sums);
        }
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        fill(0, bytes);
        return bytes;
    }

    private static void fill(long position, byte[] target) {
        new SeededContent(SEED).fill(0, 0, position, target, target.length);
    }

    /** One bit, or none. */
    private record Bit(long block, long offset, int mask) implements WrittenReplicas.Flipped {
        @Override
        public boolean isIn(long other) {
            return block == other;
        }

        @Override
        public boolean explains(long other, long at, int expected, int actual) {
            return block == other && offset == at && ((expected ^ actual) & 0xff) == mask;
        }
    }
}
