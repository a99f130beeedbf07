package io.terrace.channel.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.BlockKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The bytes of the slot table file, which clients of other versions map, and the fingerprint of a block. */
final class SlotTableGoldenTest {
    private static final int HEADER_BYTES = 4096;
    private static final int SLOT_BYTES = 16;
    private static final BlockKey BLOCK = new BlockKey("BP-1", 0x40000001L, 1004);
    private static final long FINGERPRINT_KEY = 0x0102030405060708L;

    /** Little-endian: magic, version, slots, incarnation, key of the fingerprints, heartbeat. */
    private static final String HEADER =
            "3165636172726554 01000000 10000000 8877665544332211 0807060504030201 bc0a000000000000";

    private static final int SLOT = 8;
    private static final String FINGERPRINT = "b9b0e7dd5730611a";

    @TempDir
    Path dir;

    /** The first is the incarnation, the second the key of the fingerprints. */
    private static final class Fixed extends Random {
        private static final long serialVersionUID = 1;
        private int calls;

        @Override
        public long nextLong() {
            return calls++ == 0 ? 0x1122334455667788L : FINGERPRINT_KEY;
        }
    }

    private static String slotOf(Path file) throws IOException {
        int at = HEADER_BYTES + SLOT * SLOT_BYTES;
        return HexFormat.of().formatHex(Arrays.copyOfRange(Files.readAllBytes(file), at, at + SLOT_BYTES));
    }

    @Test
    void fingerprint() {
        assertThat(Long.toHexString(SlotTable.fingerprint(FINGERPRINT_KEY, BLOCK)))
                .isEqualTo("1a613057dde7b0b9");
    }

    @Test
    void write() throws Exception {
        Path file = dir.resolve("slots");
        try (SlotTable table = SlotTable.create(file, 16, new Fixed())) {
            table.beat(0xabc);
            byte[] bytes = Files.readAllBytes(file);
            assertThat(bytes).hasSize(HEADER_BYTES + 16 * SLOT_BYTES);
            assertThat(HexFormat.of().formatHex(Arrays.copyOf(bytes, 40))).isEqualTo(HEADER.replace(" ", ""));
            assertThat(Arrays.copyOfRange(bytes, 40, bytes.length)).containsOnly(0);

            assertThat(table.claim(BLOCK)).isEqualTo(SLOT);
            assertThat(slotOf(file)).isEqualTo("0100000000000000" + FINGERPRINT);
            table.publish(SLOT);
            assertThat(slotOf(file)).isEqualTo("0200000000000000" + FINGERPRINT);
            table.retire(SLOT);
            assertThat(slotOf(file)).isEqualTo("0300000000000000" + FINGERPRINT);
            table.free(SLOT);
            assertThat(slotOf(file)).isEqualTo("0001000000000000" + FINGERPRINT);
        }
    }

    @Test
    void read() throws Exception {
        byte[] bytes = new byte[HEADER_BYTES + 16 * SLOT_BYTES];
        byte[] header = HexFormat.of().parseHex(HEADER.replace(" ", ""));
        System.arraycopy(header, 0, bytes, 0, header.length);
        byte[] live = HexFormat.of().parseHex("0205000000000000" + FINGERPRINT);
        System.arraycopy(live, 0, bytes, HEADER_BYTES + SLOT * SLOT_BYTES, SLOT_BYTES);
        try (SlotTable table = SlotTable.open(Files.write(dir.resolve("slots"), bytes))) {
            assertThat(table.slots()).isEqualTo(16);
            assertThat(table.incarnation()).isEqualTo(0x1122334455667788L);
            assertThat(table.fingerprintKey()).isEqualTo(FINGERPRINT_KEY);
            assertThat(table.heartbeat()).isEqualTo(0xabc);
            assertThat(table.lookup(BLOCK)).isEqualTo(SLOT);
            assertThat(table.isLive(SLOT, 5)).isTrue();
            assertThat(table.isReadable(SLOT, 4)).isFalse();
        }
    }
}
