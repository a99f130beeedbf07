package io.terrace.datanode.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.common.TokenBucket;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DurableCopyTest {

    private final long[] sleptNs = {0};
    private final TokenBucket bucket = new TokenBucket(1 << 20, () -> sleptNs[0], ns -> sleptNs[0] += ns);
    private final VerifiedCopy copier = new VerifiedCopy(bucket);

    private Path data;
    private Path meta;

    @BeforeEach
    void paths(@TempDir Path directory) {
        data = directory.resolve("tmp/subdir0/blk_1");
        meta = directory.resolve("tmp/subdir0/blk_1_1.meta");
    }

    private static byte[] block(int bytes) {
        byte[] block = new byte[bytes];
        new Random(bytes).nextBytes(block);
        return block;
    }

    private static byte[] meta(byte[] block) throws IOException {
        DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512);
        ByteArrayOutputStream meta = new ByteArrayOutputStream();
        BlockMetadataHeader.writeHeader(new DataOutputStream(meta), checksum);
        byte[] sums = new byte[block.length == 0 ? 0 : checksum.getChecksumSize(block.length)];
        if (block.length > 0) {
            checksum.calculateChunkedSums(ByteBuffer.wrap(block), ByteBuffer.wrap(sums));
        }
        meta.write(sums);
        return meta.toByteArray();
    }

    private void run(byte[] block, byte[] sums, long length, DurableCopy.Checkpoint checkpoint) throws IOException {
        DurableCopy.run(
                copier,
                Channels.newChannel(new ByteArrayInputStream(block)),
                Channels.newChannel(new ByteArrayInputStream(sums)),
                length,
                data,
                meta,
                checkpoint);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 512, 513, 900_001, 5_000_000})
    void run_ofSoundReplica_makesBothFilesAgain(int bytes) throws IOException {
        byte[] block = block(bytes);
        run(block, meta(block), bytes, () -> {});
        assertThat(Files.readAllBytes(data)).isEqualTo(block);
        assertThat(Files.readAllBytes(meta)).isEqualTo(meta(block));
    }

    @Test
    void run_whereMoreFollowsInTheSource_copiesTheBlockAndItsChecksumsAlone() throws IOException {
        byte[] longer = block(900_000);
        int bytes = 300_000 / 512 * 512;
        byte[] block = Arrays.copyOf(longer, bytes);
        run(longer, meta(longer), bytes, () -> {});
        assertThat(Files.readAllBytes(data)).isEqualTo(block);
        assertThat(Files.readAllBytes(meta)).isEqualTo(meta(block));
    }

    @Test
    void run_overWhatAnEarlierOneLeft_makesTheFilesAnew() throws IOException {
        Files.createDirectories(data.getParent());
        Files.write(data, block(2_000_000));
        Files.write(meta, block(200_000));
        byte[] block = block(10_000);
        run(block, meta(block), block.length, () -> {});
        assertThat(Files.readAllBytes(data)).isEqualTo(block);
        assertThat(Files.readAllBytes(meta)).isEqualTo(meta(block));
    }

    @Test
    void run_keepsToTheRateOfItsCopier() throws IOException {
        byte[] block = block(8 << 20);
        run(block, meta(block), block.length, () -> {});
        assertThat(sleptNs[0]).isBetween(7_500_000_000L, 8_000_000_000L);
    }

    @Test
    void run_withOneWrongBit_writesNothingOfThatPiece() throws IOException {
        byte[] block = block(900_000);
        byte[] sums = meta(block);
        block[600_000] ^= 1;
        assertThatThrownBy(() -> run(block, sums, block.length, () -> {})).isInstanceOf(CorruptReplicaException.class);
        assertThat(Files.size(data)).isLessThanOrEqualTo(600_000);
    }

    @Test
    void run_thatItsCheckpointEnds_throwsWhatThatThrew() throws IOException {
        byte[] block = block(900_000);
        int[] asked = {0};
        assertThatThrownBy(() -> run(block, meta(block), block.length, () -> {
                    if (++asked[0] == 3) {
                        throw new IOException("enough");
                    }
                }))
                .hasMessage("enough");
        assertThat(Files.size(data)).isLessThan(block.length);
    }

    @Test
    void run_intoWhatCannotBeWritten_blamesTheTarget() throws IOException {
        byte[] block = block(1_000);
        Files.write(data.getParent().getParent(), new byte[0]);
        assertThatThrownBy(() -> run(block, meta(block), block.length, () -> {}))
                .isInstanceOf(DurableCopy.TargetException.class)
                .hasMessageContaining(data.toString());
    }
}
