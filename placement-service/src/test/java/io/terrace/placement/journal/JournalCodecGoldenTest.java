package io.terrace.placement.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.common.StorageTier;
import io.terrace.placement.journal.HeatRecord.Share;
import io.terrace.protocol.StampedBlock;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes of the journal's records. Other bytes need another {@link JournalCodec#VERSION}. */
final class JournalCodecGoldenTest {

    private static final HeatRecord HEAT = new HeatRecord(
            new StampedBlock(-2, 1001, 134_217_728),
            1_700_000_000_123L,
            300,
            1L << 40,
            5,
            "b",
            List.of(new Share("a", 1.5f), new Share("b", 0.25f)));

    private static final String HEAT_KEY = "fffffffffffffffe";
    private static final String HEAT_VALUE = "01e90780808040fbd095ffbc31ac02808080808020050102013fc00000003e800000";

    private static final MoveRecord MOVE = new MoveRecord(
            9,
            77,
            new StampedBlock(5, 1005, 4096),
            "host:9866",
            true,
            StorageTier.DISK,
            StorageTier.SSD,
            "heat",
            "read 9 times",
            "done",
            "\u00e9",
            1_700_000_000_000L,
            1_700_000_001_000L,
            4096);

    private static final String MOVE_KEY = "0000000000000005fffffe74301a9417000000000000004d";
    private static final String MOVE_VALUE =
            "01094ded07802003030280d095ffbc31802009686f73743a3938363604686561740c7265616420392074696d657304646f6e6502c3a9";

    private static NodeNumbers nodes() {
        NodeNumbers nodes = new NodeNumbers();
        nodes.number("b");
        nodes.number("a");
        return nodes;
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void heat_bytes() throws Exception {
        assertThat(hex(JournalCodec.heatKey(-2))).isEqualTo(HEAT_KEY);
        assertThat(hex(new JournalCodec(nodes()).value(HEAT))).isEqualTo(HEAT_VALUE);
        byte[] value = HexFormat.of().parseHex(HEAT_VALUE);
        assertThat(JournalCodec.heat(-2, value, nodes())).isEqualTo(HEAT);
        ByteBuffer in = ByteBuffer.wrap(value);
        JournalCodec.skipToLast(in);
        assertThat(JournalCodec.number(in)).isEqualTo(1_700_000_000_123L);
        assertThat(JournalCodec.sumOfShares(in)).isEqualTo(1.75f);
    }

    @Test
    void move_bytes() throws Exception {
        assertThat(hex(JournalCodec.moveKey(MOVE))).isEqualTo(MOVE_KEY);
        assertThat(hex(new JournalCodec(nodes()).value(MOVE))).isEqualTo(MOVE_VALUE);
        HexFormat format = HexFormat.of();
        assertThat(JournalCodec.move(format.parseHex(MOVE_KEY), format.parseHex(MOVE_VALUE)))
                .isEqualTo(MOVE);
    }

    @Test
    void record_ofAnotherVersionOrCutOff_isRefused() {
        byte[] value = HexFormat.of().parseHex(HEAT_VALUE);
        for (int length = 0; length < value.length; length++) {
            byte[] cut = java.util.Arrays.copyOf(value, length);
            assertThatThrownBy(() -> JournalCodec.heat(-2, cut, nodes())).isInstanceOf(JournalException.class);
        }
        value[0] = 2;
        assertThatThrownBy(() -> JournalCodec.heat(-2, value, nodes()))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("format 2");
    }

    @Test
    void note() throws Exception {
        NoteRecord note = new NoteRecord("satisfy", 1_700_000_000_000L, "\u00e9");
        byte[] value = new JournalCodec(nodes()).value(note);
        assertThat(hex(value)).isEqualTo("0180d095ffbc3102c3a9");
        assertThat(JournalCodec.note("satisfy", value)).isEqualTo(note);
        assertThatThrownBy(() -> JournalCodec.note("satisfy", new byte[] {1, 0, 9}))
                .isInstanceOf(JournalException.class);
    }
}
