package io.terrace.channel;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The body of a RESIDENT frame. */
final class ResidentBlocksGoldenTest {
    private static final String EVERYTHING = "01 1122334455667788 00000000 00000002 0000000000000005 8000000000000006";
    private static final String CHANGE = "00 1122334455667788 00000001 00000001 0000000000000005 0000000000000007";

    private static ByteBuffer bytes(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex.replace(" ", "")));
    }

    private static String hex(ByteBuffer body) {
        byte[] bytes = new byte[body.remaining()];
        body.get(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void write() {
        long key = 0x1122334455667788L;
        assertThat(hex(ResidentBlocks.frame(true, key, new long[0], new long[] {5, Long.MIN_VALUE + 6})))
                .isEqualTo(EVERYTHING.replace(" ", ""));
        assertThat(hex(ResidentBlocks.frame(false, key, new long[] {5}, new long[] {7})))
                .isEqualTo(CHANGE.replace(" ", ""));
    }

    @Test
    void read() throws Exception {
        ResidentBlocks first = ResidentBlocks.NONE.after(bytes(EVERYTHING));
        assertThat(first.fingerprintKey()).isEqualTo(0x1122334455667788L);
        assertThat(first.size()).isEqualTo(2);
        assertThat(first.contains(5)).isTrue();
        assertThat(first.contains(Long.MIN_VALUE + 6)).isTrue();
        ResidentBlocks second = first.after(bytes(CHANGE));
        assertThat(second.size()).isEqualTo(2);
        assertThat(second.contains(5)).isFalse();
        assertThat(second.contains(7)).isTrue();
    }

    @Test
    void limit() {
        assertThat(ResidentBlocks.MAX_IN_FRAME).isEqualTo(4096);
    }
}
