package io.terrace.channel.verbs.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChecksumType;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.verbs.Attachment;
import io.terrace.channel.verbs.LandedMessage;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The bytes that go over SEND: headers of frames, attaches and their answers. */
final class ControlFrameGoldenTest {
    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }

    private static String hex(ByteBuffer body) {
        byte[] bytes = new byte[body.remaining()];
        body.get(body.position(), bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static void assertFrame(byte type, int credits, long number, String body, String frame) throws Exception {
        byte[] expected = bytes(frame);
        ByteBuffer sent = ByteBuffer.allocate(expected.length);
        ControlFrame.put(sent, 0, type, credits, number, ByteBuffer.wrap(bytes(body)));
        assertThat(HexFormat.of().formatHex(sent.array()))
                .isEqualTo(HexFormat.of().formatHex(expected));
        assertThat(ControlFrame.get(ByteBuffer.wrap(expected), 0, expected.length))
                .isEqualTo(new ControlFrame(type, credits, number, expected.length - 16));
    }

    @Test
    void frames() throws Exception {
        assertFrame(ControlFrame.PART, 0, 0, "aa", "01 00 0000 00000001 0000000000000000 aa");
        assertFrame(ControlFrame.MESSAGE, 1, 0, "aabb", "02 00 0001 00000002 0000000000000000 aabb");
        assertFrame(ControlFrame.CREDIT, 8, 0, "", "03 00 0008 00000000 0000000000000000");
        assertFrame(ControlFrame.ATTACH, 2, 7, "cc", "04 00 0002 00000001 0000000000000007 cc");
        assertFrame(ControlFrame.ATTACHED, 16, -2, "dd", "05 00 0010 00000001 fffffffffffffffe dd");
    }

    @Test
    void landed() throws Exception {
        String body = "0123456789abcdef 1122334455667788 00001000 00000200";
        LandedMessage landing = new LandedMessage(0x0123456789abcdefL, 0x1122334455667788L, 0x1000, 0x200);
        assertThat(hex(landing.encode())).isEqualTo(body.replace(" ", ""));
        assertThat(LandedMessage.decode(ByteBuffer.wrap(bytes(body)))).isEqualTo(landing);
        assertFrame(ControlFrame.LANDED, 1, 9, body, "06 00 0001 00000018 0000000000000009" + body);
    }

    @Test
    void sizes() {
        assertThat(ControlFrame.FRAME_BYTES).isEqualTo(4096);
        assertThat(ControlFrame.WINDOW).isEqualTo(16);
        assertThat(Attachment.SEGMENT_BYTES).isEqualTo(1 << 30);
        assertThat(Attachment.MAX_SEGMENTS).isEqualTo(256);
    }

    @Test
    void attach() throws Exception {
        String expected = "0123456789abcdef 1122334455667788 0000000000001000 0000000000002000";
        for (Access access : Access.values()) {
            RegionKey key = new RegionKey(0x0123456789abcdefL, 0x1122334455667788L, 0x1000, 0x2000, access);
            String body = expected + (access == Access.READ_WRITE ? " 01" : " 00");
            assertThat(hex(Attachment.request(key))).isEqualTo(body.replace(" ", ""));
            assertThat(Attachment.requested(ByteBuffer.wrap(bytes(body)))).isEqualTo(key);
        }
    }

    @Test
    void attached() throws Exception {
        Attachment answer =
                new Attachment(0x1000, new int[] {0x11, 0x12}, 0x2000, 0x21, 5, ChecksumType.CRC32C, 512, 0x3000, 0x31);
        String body = "00 0000000000001000 0000000000002000 00000021 0000000000000005"
                + " 02 00000200 0000000000003000 00000031 00000002 00000011 00000012";
        assertThat(hex(answer.encode())).isEqualTo(body.replace(" ", ""));
        assertThat(Attachment.decode(ByteBuffer.wrap(bytes(body)), (1L << 30) + 1))
                .isEqualTo(answer);
    }

    @Test
    void attachRefused() {
        assertThat(hex(Attachment.refusal())).isEqualTo("02");
        assertThat(Attachment.isRefusal(ByteBuffer.wrap(bytes("02")))).isTrue();
    }
}
