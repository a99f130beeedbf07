package io.terrace.channel.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.RegionKey;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The bytes of every frame of a write connection, as other versions of Terrace send and expect them. */
final class WriteFrameGoldenTest {
    private static final int SYNCED_END = WriteFrame.SYNC | WriteFrame.FLUSH | WriteFrame.LAST;

    private static void assertGolden(String expected, Consumer<ByteBuffer> encode) {
        ByteBuffer out = ByteBuffer.allocate(64);
        encode.accept(out);
        assertThat(HexFormat.of().formatHex(out.array(), 0, out.position())).isEqualTo(expected.replace(" ", ""));
    }

    private static ByteBuffer bytes(String hex) {
        return ByteBuffer.wrap(HexFormat.of().parseHex(hex.replace(" ", "")));
    }

    private static void assertHeader(String golden, WriteFrame frame) throws Exception {
        assertGolden(golden, frame::encode);
        assertThat(WriteFrame.decode(bytes(golden))).isEqualTo(frame);
    }

    @Test
    void firstFrame_overTcp() {
        assertThat(TcpFrame.startWrites()).isEqualTo(bytes("00000000 07 00 0000 0000000000000000"));
        assertThat(TcpFrame.startWrites(true)).isEqualTo(bytes("00000000 07 00 0000 0000000000000001"));
    }

    @Test
    void landingWindow() throws Exception {
        ByteBuffer offer = bytes("00000003 07 00 0000 0000000000000000 683a31");
        assertThat(WindowFrame.offer("h:1")).isEqualTo(offer);
        assertThat(WriteFrame.decode(offer)).isEqualTo(new WriteFrame(3, WriteFrame.OFFER, (byte) 0, 0));
        assertThat(WindowFrame.offered(offer)).isEqualTo("h:1");
        assertThat(WindowFrame.request()).isEqualTo(bytes("00000000 08 00 0000 0000000000000000"));
        assertThat(WindowFrame.answer(null)).isEqualTo(WindowFrame.request());
        RegionKey key = new RegionKey(0x0102030405060708L, 0x1112131415161718L, 0, 0x400000, Access.READ_WRITE);
        ByteBuffer answer = bytes("00000014 08 00 0000 0000000000000000 0102030405060708 1112131415161718 00400000");
        assertThat(WindowFrame.answer(key)).isEqualTo(answer);
        assertThat(WriteFrame.decode(answer)).isEqualTo(new WriteFrame(20, WriteFrame.WINDOW, (byte) 0, 0));
        assertThat(WindowFrame.answered(answer)).isEqualTo(key);
        assertThat(WindowFrame.answered(bytes(""))).isNull();
    }

    @Test
    void landingWindow_ofAnotherLength_isMalformed() {
        assertThatThrownBy(() -> WindowFrame.answered(bytes("0102"))).isInstanceOf(MalformedMessageException.class);
        assertThatThrownBy(() -> WindowFrame.answered(bytes("0102030405060708 1112131415161718 00000000")))
                .isInstanceOf(MalformedMessageException.class);
    }

    @Test
    void data_thatLanded_isNotInTheBody() throws Exception {
        WriteData data = new WriteData(0x100000200L, 513);
        String header = "00000014 03 08 0000 0000000000000008";
        assertHeader(header, data.frame(512, WriteFrame.LANDED, 8));
        assertThat(WriteData.decode(WriteFrame.decode(bytes(header)), 512, bytes("0000000100000200 00000201")))
                .isEqualTo(data);
    }

    @Test
    void headers_ofHadoopsBodies() throws Exception {
        assertHeader("00000123 01 00 0000 0000000000000005", new WriteFrame(0x123, WriteFrame.OPEN, (byte) 0, 5));
        assertHeader("00000002 02 00 0000 0000000000000005", new WriteFrame(2, WriteFrame.OPENED, (byte) 0, 5));
        assertHeader("00010000 06 00 0000 0000000000000007", new WriteFrame(0x10000, WriteFrame.FAILED, (byte) 0, 7));
    }

    @Test
    void open_thatAsksForCopiesInMemory() throws Exception {
        WriteFrame first = new WriteFrame(3, WriteFrame.OPEN, WriteThrough.FIRST.flags(), 0);
        WriteFrame all = new WriteFrame(3, WriteFrame.OPEN, WriteThrough.ALL.flags(), 0);
        assertHeader("00000003 01 01 0000 0000000000000000", first);
        assertHeader("00000003 01 03 0000 0000000000000000", all);
        assertThat(WriteThrough.of(first)).isEqualTo(WriteThrough.FIRST);
        assertThat(WriteThrough.of(all)).isEqualTo(WriteThrough.ALL);
        assertThat(WriteThrough.of(new WriteFrame(3, WriteFrame.OPEN, WriteFrame.MEMORY_ALL, 0)))
                .isEqualTo(WriteThrough.NONE);
    }

    @Test
    void open_thatAsksForASyncOfTheReplica() throws Exception {
        assertHeader(
                "00000003 01 04 0000 0000000000000000", new WriteFrame(3, WriteFrame.OPEN, WriteFrame.SYNC_REPLICA, 0));
    }

    @Test
    void open_withAllOfTheBlock_saysHowLongThatIs() throws Exception {
        assertHeader("00000003 01 03 0000 0000000000010000", new WriteFrame(3, WriteFrame.OPEN, (byte) 3, 0x10000));
        for (String number : new String[] {"0000000000010001", "ffffffffffffffff", "0000000100000000"}) {
            assertThatThrownBy(() -> WriteFrame.decode(bytes("00000003 01 00 0000 " + number)))
                    .isInstanceOf(MalformedMessageException.class);
        }
    }

    @Test
    void ping() throws Exception {
        assertHeader("00000000 05 00 0000 0000000000000009", new WriteFrame(0, WriteFrame.PING, (byte) 0, 9));
    }

    @Test
    void data() throws Exception {
        WriteData data = new WriteData(0x100000200L, 513);
        String header = "00000215 03 02 0000 0000000000000008";
        assertHeader(header, data.frame(512, WriteFrame.FLUSH, 8));
        assertGolden("0000000100000200 00000201", data::encode);
        assertThat(WriteData.decode(WriteFrame.decode(bytes(header)), 512, bytes("0000000100000200 00000201")))
                .isEqualTo(data);
    }

    @Test
    void data_withoutBytes_endsABlockAnywhere() throws Exception {
        WriteData end = new WriteData(513, 0);
        assertHeader("0000000c 03 07 0000 0000000000000002", end.frame(512, SYNCED_END, 2));
        assertGolden("0000000000000201 00000000", end::encode);
        assertThat(WriteData.decode(end.frame(512, SYNCED_END, 2), 512, bytes("0000000000000201 00000000")))
                .isEqualTo(end);
    }

    @Test
    void ack() throws Exception {
        WriteAck ack = new WriteAck(0x100000401L, 5, 0x200);
        String header = "00000018 04 04 0000 0000000000000008";
        String body = "0000000100000401 0000000000000005 0000000000000200";
        assertHeader(header, ack.frame(WriteFrame.FINALIZED, 8));
        assertGolden(body, ack::encode);
        assertThat(WriteAck.decode(WriteFrame.decode(bytes(header)), bytes(body)))
                .isEqualTo(ack);
    }

    @Test
    void ack_ofAll() throws Exception {
        WriteAck ack = new WriteAck(0x401, 8, 0x401);
        String header = "00000018 04 0c 0000 0000000000000008";
        assertHeader(header, ack.frame(WriteFrame.FINALIZED | WriteFrame.ALL_FINALIZED, 8));
        assertGolden("0000000000000401 0000000000000008 0000000000000401", ack::encode);
    }

    @Test
    void limits() {
        assertThat(WriteFrame.MAX_DATA_BYTES).isEqualTo(1 << 20);
        assertThat(WriteFrame.MAX_WHOLE_BYTES).isEqualTo(1 << 16);
        assertThat(WriteFrame.MAX_SUM_BYTES).isEqualTo(1 << 16);
        assertThat(WriteFrame.MAX_PROTO_BYTES).isEqualTo(1 << 16);
        assertThat(WriteFrame.MAX_BODY_BYTES).isEqualTo(12 + (1 << 16) + (1 << 20));
    }
}
