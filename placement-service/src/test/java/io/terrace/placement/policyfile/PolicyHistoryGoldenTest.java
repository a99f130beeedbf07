package io.terrace.placement.policyfile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.InflaterInputStream;
import org.junit.jupiter.api.Test;

/** The bytes of the extended attribute that keeps the applied policies. */
final class PolicyHistoryGoldenTest {

    private static final PolicyHistory HISTORY =
            PolicyHistory.EMPTY.apply(0x18bcfe56800L, "alice", "policy: lru\n").apply(0x18bcfe56801L, "bob", null);

    /** In force, count; number, before, time, user, text of each step. */
    private static final String PLAIN = "0000000000000002 00000002"
            + " 0000000000000001 0000000000000000 0000018bcfe56800 0005 616c696365 0000000c 706f6c6963793a206c72750a"
            + " 0000000000000002 0000000000000001 0000018bcfe56801 0003 626f62 ffffffff";

    private static final String STORED = "01789c636000032628060146063860ec3eff34838181353127333915c8e729c8"
            + "07b22aad14728a4ab918105aa1dac0ca19199893f293fe030100e96e10e2";

    /** Deflate may give other bytes with another zlib, so what is compared is the content. */
    @Test
    void write() throws Exception {
        byte[] stored = HISTORY.encoded();
        assertThat(stored[0]).isEqualTo((byte) 1);
        byte[] deflated = Arrays.copyOfRange(stored, 1, stored.length);
        byte[] plain = new InflaterInputStream(new ByteArrayInputStream(deflated)).readAllBytes();
        assertThat(HexFormat.of().formatHex(plain)).isEqualTo(PLAIN.replace(" ", ""));
    }

    @Test
    void read() {
        assertThat(PolicyHistory.decoded(HexFormat.of().parseHex(STORED))).isEqualTo(HISTORY);
    }
}
