package io.terrace.channel.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whichever verifies here, libhadoop or the JDK, finds what is wrong and where. */
final class NativeChunkVerifierTest {
    private static final int CHUNK_BYTES = 512;

    @ParameterizedTest
    @EnumSource(names = {"CRC32", "CRC32C"})
    void firstWrong_ofDirectBuffers_isTheChunkThatChanged(ChecksumType kind) {
        int lengthBytes = 10 * CHUNK_BYTES + 100;
        byte[] content = new byte[lengthBytes];
        new Random(3).nextBytes(content);
        ByteBuffer sums = ByteBuffer.allocateDirect(8 + 11 * 4).position(8);
        for (int at = 0; at < lengthBytes; at += CHUNK_BYTES) {
            Checksum sum = kind == ChecksumType.CRC32 ? new CRC32() : new CRC32C();
            sum.update(content, at, Math.min(CHUNK_BYTES, lengthBytes - at));
            sums.putInt((int) sum.getValue());
        }
        sums.position(8);
        ByteBuffer data = ByteBuffer.allocateDirect(lengthBytes + 16).position(16);
        data.put(content).position(16);
        ChunkVerifier verifier = NativeChunkVerifier.of(kind, CHUNK_BYTES);
        assertThat(verifier.firstWrong(data, sums)).isEqualTo(-1);
        assertThat(data.position()).isEqualTo(16);
        assertThat(sums.position()).isEqualTo(8);
        for (int wrong : new int[] {lengthBytes - 1, 3 * CHUNK_BYTES + 7, 0}) {
            data.put(16 + wrong, (byte) ~content[wrong]);
            assertThat(verifier.firstWrong(data, sums)).isEqualTo(wrong / CHUNK_BYTES * CHUNK_BYTES);
        }
    }
}
