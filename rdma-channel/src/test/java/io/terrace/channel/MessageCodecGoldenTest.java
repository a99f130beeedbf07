package io.terrace.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.channel.Message.Lease;
import io.terrace.common.BlockKey;
import io.terrace.common.StorageTier;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of every control message, as other versions of Terrace send and expect them. */
final class MessageCodecGoldenTest {
    private static final BlockKey BLOCK = new BlockKey("BP-1", 0x40000001L, 1001);
    private static final String BLOCK_BYTES = "0004 42502d31 0000000040000001 00000000000003e9";

    private static void assertGolden(Message message, String frame) throws MalformedMessageException {
        byte[] expected = HexFormat.of().parseHex(frame.replace(" ", ""));
        ByteBuffer encoded = MessageCodec.encode(message);
        byte[] bytes = new byte[encoded.remaining()];
        encoded.get(bytes);
        assertThat(HexFormat.of().formatHex(bytes)).isEqualTo(frame.replace(" ", ""));
        assertThat(MessageCodec.decode(ByteBuffer.wrap(expected).position(Integer.BYTES)))
                .isEqualTo(message);
    }

    @Test
    void hello() throws Exception {
        assertGolden(new Message.Hello("c1"), "00000006 01 01 0002 6331");
    }

    @Test
    void welcome() throws Exception {
        assertGolden(
                new Message.Welcome("dn", "/s", 0x1122334455667788L, "/l"),
                "00000016 01 02 0002 646e 0002 2f73 1122334455667788 0002 2f6c");
    }

    @Test
    void ask() throws Exception {
        assertGolden(
                new Message.Ask(5, new GrantRequest(BLOCK, new byte[] {1, 2, 3}, false)),
                "00000026 01 03 0000000000000005 " + BLOCK_BYTES + " 0003 010203 00");
        assertGolden(
                new Message.Ask(5, new GrantRequest(BLOCK, new byte[0], true)),
                "00000023 01 03 0000000000000005 " + BLOCK_BYTES + " 0000 01");
    }

    @Test
    void granted() throws Exception {
        ExtentDescriptor descriptor = new ExtentDescriptor(BLOCK, StorageTier.NVM, 0x100000, 4096, 3, 77);
        assertGolden(
                new Message.Granted(5, new Grant(9, descriptor, "ab", 60_000)),
                "00000051 01 04 0000000000000005 0000000000000009 " + BLOCK_BYTES
                        + " 01 0000000000100000 0000000000001000 00000003 000000000000004d"
                        + " 0002 6162 000000000000ea60");
    }

    @Test
    void refused() throws Exception {
        assertGolden(
                new Message.Refused(6, new Refusal(RefusalReason.BAD_TOKEN, "\u00e9")),
                "0000000f 01 05 0000000000000006 02 0002 c3a9");
    }

    @Test
    void opened() throws Exception {
        assertGolden(new Message.Opened(7), "0000000a 01 06 0000000000000007");
    }

    @Test
    void release() throws Exception {
        assertGolden(new Message.Release(List.of(1L, 2L)), "00000016 01 07 00000002 0000000000000001 0000000000000002");
    }

    @Test
    void renew() throws Exception {
        assertGolden(new Message.Renew(List.of(3L)), "0000000e 01 08 00000001 0000000000000003");
    }

    @Test
    void renewed() throws Exception {
        assertGolden(
                new Message.Renewed(List.of(new Lease(3, 60_000))),
                "00000016 01 09 00000001 0000000000000003 000000000000ea60");
    }

    @Test
    void revoke() throws Exception {
        assertGolden(new Message.Revoke(1, 2, 3), "00000016 01 0a 0000000000000001 00000002 0000000000000003");
    }

    @Test
    void revoked() throws Exception {
        assertGolden(new Message.Revoked(8), "0000000a 01 0b 0000000000000008");
    }

    @Test
    void report() throws Exception {
        assertGolden(
                new Message.Report(List.of(new ReadReport(9, 2, 8192))),
                "0000001e 01 0c 00000001 0000000000000009 0000000000000002 0000000000002000");
    }

    @Test
    void goodbye() throws Exception {
        assertGolden(new Message.Goodbye(), "00000002 01 0d");
    }

    @Test
    void limits() {
        assertThat(MessageCodec.MAX_FRAME_BYTES).isEqualTo(65_536);
        assertThat(MessageCodec.MAX_LIST).isEqualTo(1024);
        assertThat(MessageCodec.MAX_TOKEN_BYTES).isEqualTo(16_384);
    }

    @Test
    void startWrites() throws Exception {
        assertGolden(new Message.StartWrites(), "00000002 01 0e");
    }
}
