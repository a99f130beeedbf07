package io.terrace.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ChunkSummerTest {
    private static final int CHUNK_BYTES = 512;

    @ParameterizedTest
    @EnumSource(names = {"CRC32", "CRC32C"})
    void sum_isStocks(DataChecksum.Type type) {
        DataChecksum stock = DataChecksum.newDataChecksum(type, CHUNK_BYTES);
        byte[] data = new byte[5 * CHUNK_BYTES + 17];
        new Random(1).nextBytes(data);
        byte[] expected = new byte[6 * 4];
        stock.calculateChunkedSums(data, 0, data.length, expected, 0);
        for (boolean libhadoop : new boolean[] {false, true}) {
            ByteBuffer sums = ByteBuffer.allocateDirect(expected.length);
            ByteBuffer direct = ByteBuffer.allocateDirect(data.length).put(data).flip();
            ChunkSummer.of(stock, libhadoop).sum(direct, sums.duplicate());
            byte[] got = new byte[expected.length];
            sums.get(got);
            assertThat(got).as("libhadoop " + libhadoop).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @EnumSource
    void knows_whatHasChecksums(DataChecksum.Type type) {
        assertThat(ChunkSummer.knows(type)).isEqualTo(type.name().startsWith("CRC"));
    }
}
