package io.terrace.channel.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.MalformedMessageException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WriteFrameTest {
    private static ByteBuffer header(int bodyBytes, int type, int flags) {
        ByteBuffer out = ByteBuffer.allocate(WriteFrame.HEADER_BYTES);
        new WriteFrame(bodyBytes, (byte) type, (byte) flags, 1).encode(out);
        return out.flip();
    }

    @ParameterizedTest
    @CsvSource({
        "-1, 1, 0",
        "65537, 1, 0",
        "0, 0, 0",
        "0, 9, 0",
        "301, 7, 0",
        "21, 8, 0",
        "0, 8, 1",
        "1, 5, 0",
        "11, 3, 0",
        "1114125, 3, 0",
        "23, 4, 0",
        "25, 4, 0",
        "24, 4, 1",
        "24, 4, 2",
        "24, 4, 16",
        "20, 3, 16",
        "20, 1, 8",
        "0, 5, 4",
        "20, 3, -128"
    })
    void decode_ofAWrongHeader_isMalformed(int bodyBytes, int type, int flags) {
        ByteBuffer header = header(bodyBytes, type, flags);
        assertThatThrownBy(() -> WriteFrame.decode(header)).isInstanceOf(MalformedMessageException.class);
    }

    @Test
    void decode_ofAnyBytes_isAFrameWithinLimitsOrMalformed() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        byte[] noise = new byte[WriteFrame.HEADER_BYTES];
        int taken = 0;
        for (int round = 0; round < 100_000; round++) {
            random.nextBytes(noise);
            noise[0] = 0;
            noise[4] = (byte) random.nextInt(8);
            noise[5] = (byte) random.nextInt(10);
            try {
                WriteFrame frame = WriteFrame.decode(ByteBuffer.wrap(noise));
                assertThat(frame.bodyBytes()).as("seed %d", seed).isBetween(0, WriteFrame.MAX_BODY_BYTES);
                taken++;
            } catch (MalformedMessageException e) {
                // Expected of most.
            }
        }
        assertThat(taken).as("seed %d", seed).isPositive();
    }

    private static ByteBuffer fields(long offset, int dataBytes) {
        ByteBuffer out = ByteBuffer.allocate(WriteData.BYTES);
        new WriteData(offset, dataBytes).encode(out);
        return out.flip();
    }

    @ParameterizedTest
    @CsvSource({
        "-512, 512, 528",
        "0, -1, 12",
        "0, 1048577, 1056781",
        "1, 512, 528",
        "513, 1, 17",
        "0, 512, 527",
        "0, 512, 529",
        "0, 512, 524",
        "0, 0, 16"
    })
    void decodeData_thatDoesNotFit_isMalformed(long offset, int dataBytes, int bodyBytes) {
        WriteFrame frame = new WriteFrame(bodyBytes, WriteFrame.DATA, (byte) 0, 1);
        assertThatThrownBy(() -> WriteData.decode(frame, 512, fields(offset, dataBytes)))
                .isInstanceOf(MalformedMessageException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "512, 1048576, 1048576",
        "512, 1000, 512",
        "1000, 1048576, 1048000",
        "1, 1048576, 16384",
        "1048576, 1048576, 1048576",
        "1048577, 2000000, 0",
        "2147483647, 2147483647, 0"
    })
    void mostBytes_areWholeChunksWithinTheLimits(int chunkBytes, int wanted, int expected) {
        assertThat(WriteData.mostBytes(chunkBytes, wanted)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"5, 1, 6, 0", "5, 1, -1, 0", "5, -1, 5, 0", "5, 9, 5, 0", "5, 8, 5, 8", "5, 8, 4, 12", "5, 7, 5, 12"})
    void decodeAck_ofFalseFigures_isMalformed(long written, long number, long replicated, int flags) {
        ByteBuffer out = ByteBuffer.allocate(WriteAck.BYTES);
        WriteAck ack = new WriteAck(written, number, replicated);
        ack.encode(out);
        assertThatThrownBy(() -> WriteAck.decode(ack.frame(flags, 8), out.flip()))
                .isInstanceOf(MalformedMessageException.class);
    }
}
