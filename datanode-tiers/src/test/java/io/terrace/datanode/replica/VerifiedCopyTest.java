package io.terrace.datanode.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.common.TokenBucket;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.util.Random;
import org.apache.hadoop.hdfs.server.datanode.BlockMetadataHeader;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies checked against meta files that Hadoop's own code wrote. */
class VerifiedCopyTest {

    private final VerifiedCopy copy = new VerifiedCopy(new TokenBucket(0, () -> 0, ns -> {}));

    private static byte[] block(int bytes) {
        byte[] block = new byte[bytes];
        new Random(bytes).nextBytes(block);
        return block;
    }

    private static byte[] meta(byte[] block, DataChecksum checksum) throws IOException {
        ByteArrayOutputStream meta = new ByteArrayOutputStream();
        BlockMetadataHeader.writeHeader(new java.io.DataOutputStream(meta), checksum);
        ByteBuffer sums = ByteBuffer.allocate(Math.max(1, checksum.getChecksumSize(Math.max(1, block.length))));
        checksum.calculateChunkedSums(ByteBuffer.wrap(block), sums);
        meta.write(sums.array(), 0, checksum.getChecksumSize(block.length));
        return meta.toByteArray();
    }

    private static DataChecksum crc32c() {
        return DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512);
    }

    /** Gives its bytes in pieces that fit nobody's buffers. */
    private static ReadableByteChannel dribble(byte[] bytes) {
        return Channels.newChannel(new ByteArrayInputStream(bytes) {
            @Override
            public synchronized int read(byte[] into, int offset, int length) {
                return super.read(into, offset, Math.min(length, 777));
            }
        });
    }

    private byte[] run(byte[] block, byte[] meta, long lengthBytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        copy.run(dribble(block), dribble(meta), lengthBytes, Channels.newChannel(out));
        return out.toByteArray();
    }

    @ParameterizedTest
    @CsvSource({"CRC32C,512", "CRC32,512", "CRC32C,4096", "CRC32,1000", "CRC32C,1"})
    void run_ofSoundReplica_copiesEveryByte(DataChecksum.Type type, int bytesPerChecksum) throws IOException {
        for (int bytes : new int[] {1, 511, 512, 513, 70_000, (256 << 10) + 1, 600_001}) {
            byte[] block = block(bytesPerChecksum == 1 ? Math.min(bytes, 5_000) : bytes);
            byte[] meta = meta(block, DataChecksum.newDataChecksum(type, bytesPerChecksum));
            assertThat(run(block, meta, block.length)).isEqualTo(block);
        }
    }

    @Test
    void run_withChunksLargerThanAPiece_copiesEveryByte() throws IOException {
        byte[] block = block(2_500_000);
        assertThat(run(
                        block,
                        meta(block, DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 1 << 20)),
                        block.length))
                .isEqualTo(block);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 511, 512, 262_143, 262_144, 599_999})
    void run_withOneWrongBit_throwsAndSaysWhere(int at) throws IOException {
        byte[] block = block(600_000);
        byte[] meta = meta(block, crc32c());
        block[at] ^= 4;
        assertThatThrownBy(() -> run(block, meta, block.length))
                .isInstanceOf(CorruptReplicaException.class)
                .hasMessageContaining("offset " + at / 512 * 512);
    }

    @Test
    void run_withShortReplicaOrShortMeta_throws() throws IOException {
        byte[] block = block(10_000);
        byte[] meta = meta(block, crc32c());
        assertThatThrownBy(() -> run(block, meta, block.length + 1)).isInstanceOf(CorruptReplicaException.class);
        byte[] shortMeta = java.util.Arrays.copyOf(meta, meta.length - 1);
        assertThatThrownBy(() -> run(block, shortMeta, block.length)).isInstanceOf(CorruptReplicaException.class);
        assertThatThrownBy(() -> run(block, new byte[6], block.length)).isInstanceOf(CorruptReplicaException.class);
    }

    @Test
    void run_withoutChecksumsThatCanBeChecked_throws_butCallsNothingCorrupt() throws IOException {
        byte[] block = block(1_000);
        byte[] none = meta(block, DataChecksum.newDataChecksum(DataChecksum.Type.NULL, 512));
        assertThatThrownBy(() -> run(block, none, block.length))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(CorruptReplicaException.class);
        byte[] garbage = {0, 1, 2, 127, 127, 127, 127, 0};
        assertThatThrownBy(() -> run(block, garbage, block.length))
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(CorruptReplicaException.class);
    }

    @Test
    void pace_takenByTwo_givesBothTogetherTheRate() {
        long[] nowNs = {0};
        long[] sleptNs = {0};
        TokenBucket tokenBucket = new TokenBucket(1_000_000, () -> nowNs[0], ns -> {
            nowNs[0] += ns;
            sleptNs[0] += ns;
        });
        for (int i = 0; i < 40; i++) {
            tokenBucket.takeAndSleep(100_000);
        }
        assertThat(sleptNs[0]).isBetween(3_700_000_000L, 4_000_000_000L);
        tokenBucket.rate(0);
        tokenBucket.takeAndSleep(Long.MAX_VALUE);
        assertThat(sleptNs[0]).isLessThanOrEqualTo(4_000_000_000L);
    }
}
