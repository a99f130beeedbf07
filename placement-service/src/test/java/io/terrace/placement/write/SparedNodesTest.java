package io.terrace.placement.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.write.SparedNodes.Slow;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SparedNodesTest {
    private static final long MB = 1 << 20;

    private final AtomicLong nowNs = new AtomicLong();
    private final SparedNodes spared = new SparedNodes(nowNs::get);

    private void client(String node, String rack, long mbPerSecond) {
        spared.told(node, rack, "client", false, mbPerSecond * MB);
    }

    private void forwarded(String node, String rack, String from, long mbPerSecond) {
        spared.told(node, rack, from, true, mbPerSecond * MB);
    }

    private void compare() {
        nowNs.addAndGet(SparedNodes.COMPARED_EVERY_NS);
        spared.compare();
    }

    @Test
    void slowOne_isSparedByItsShareOfTheSecondFastest() {
        client("a", "/1", 27);
        client("b", "/1", 25);
        client("slow", "/1", 6);
        compare();
        assertThat(spared.slow()).containsExactly(new Slow("slow", 24));
    }

    /** It may have told nonsense, or be the only one on NVMe. */
    @Test
    void oneThatIsFarFasterThanAllOthers_sparesNone() {
        client("a", "/1", 1L << 22);
        for (String other : new String[] {"b", "c", "d", "e"}) {
            client(other, "/1", 500);
        }
        compare();
        assertThat(spared.slow()).isEmpty();
    }

    @Test
    void slowOne_getsATenthAtLeast() {
        client("a", "/1", 1L << 22);
        client("b", "/1", 500);
        compare();
        assertThat(spared.slow()).containsExactly(new Slow("b", 10));
    }

    /** Those of a rack behind a slow link are all slow, and blocks are to be on two racks. */
    @Test
    void racks_areNotCompared() {
        client("a", "/1", 27);
        client("b", "/2", 6);
        client("c", "/2", 5);
        compare();
        assertThat(spared.slow()).isEmpty();
    }

    /** It may be slow because the one before it is. */
    @Test
    void afterOneOther_isNotSpared_untilASecondSaysTheSame() {
        client("a", "/1", 27);
        forwarded("b", "/1", "x", 6);
        compare();
        assertThat(spared.slow()).isEmpty();
        forwarded("b", "/1", "y", 7);
        compare();
        assertThat(spared.slow()).containsExactly(new Slow("b", 25));
        forwarded("b", "/1", "z", 26);
        compare();
        assertThat(spared.slow()).isEmpty();
    }

    @Test
    void whatHasBecomeSlow_isSpared_onceTheLatestSaySo() {
        client("a", "/1", 27);
        for (int i = 0; i < SparedNodes.MOST_SENDERS; i++) {
            forwarded("b", "/1", "early" + i, 27);
        }
        for (int i = 0; i < SparedNodes.MOST_SENDERS; i++) {
            compare();
            assertThat(spared.slow()).isEmpty();
            forwarded("b", "/1", "late" + i, 6);
        }
        compare();
        assertThat(spared.slow()).containsExactly(new Slow("b", 22));
    }

    @Test
    void whatIsNotToldAgain_isForgotten() {
        client("slow", "/1", 6);
        nowNs.addAndGet(WriteSpeeds.KEPT_NS / 2);
        client("a", "/1", 27);
        compare();
        assertThat(spared.slow()).hasSize(1);
        nowNs.addAndGet(WriteSpeeds.KEPT_NS / 2);
        compare();
        assertThat(spared.slow()).isEmpty();
    }

    @Test
    void dataNodesAndSenders_areBounded() {
        client("a", "/1", 27);
        for (int i = 0; i < 2 * SparedNodes.MOST_SENDERS; i++) {
            forwarded("b", "/1", "host" + i, i == 0 ? 27 : 6);
        }
        compare();
        assertThat(spared.slow()).containsExactly(new Slow("b", 22));
        for (int i = 0; i < SparedNodes.MOST_NODES; i++) {
            client("node" + i, "/1", 6);
        }
        compare();
        assertThat(spared.slow()).isEmpty();
    }
}
