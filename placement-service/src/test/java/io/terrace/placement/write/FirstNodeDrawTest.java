package io.terrace.placement.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.write.FirstNodeDraw.Drawn;
import io.terrace.placement.write.FirstNodeDraw.Kind;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class FirstNodeDrawTest {
    private static final long SEED = 20;
    private static final String HOST = "10.0.0.1";
    private static final long MB = 1_000_000;
    private static final Predicate<String> ALL = node -> true;
    private static final int DRAWS = 20_000;

    private final AtomicLong nowNs = new AtomicLong();
    private final WriteSpeeds speeds = new WriteSpeeds(nowNs::get);
    private final FirstNodeDraw draw = new FirstNodeDraw(speeds, new Random(SEED)::nextInt);

    private void told(String node, long mbPerSecond) {
        assertThat(speeds.told(node, HOST, mbPerSecond * MB)).isTrue();
    }

    /** Shares of what is drawn, in percent. */
    private Map<String, Long> shares(String own, int most, Predicate<String> usable) {
        Map<String, Long> drawn = new TreeMap<>();
        for (int i = 0; i < DRAWS; i++) {
            Drawn one = draw.draw(HOST, own, most, usable);
            drawn.merge(one.kind() == Kind.DRAWN ? one.node() : one.kind().name(), 1L, Long::sum);
        }
        drawn.replaceAll((what, count) -> Math.round(count * 100.0 / DRAWS));
        return drawn;
    }

    @Test
    void nothingKnown_isStocks() {
        assertThat(shares(null, 3, ALL)).as("seed %d", SEED).containsExactly(Map.entry("STOCK", 100L));
    }

    @Test
    void fastOnes_shareEvenly_slowOnesAreNotDrawn() {
        told("a", 27);
        told("b", 25);
        told("c", 24);
        told("d", 21);
        told("slow", 6);
        Map<String, Long> shares = shares(null, 3, ALL);
        assertThat(shares).as("seed %d", SEED).containsOnlyKeys("a", "b", "c", "d", "ANY");
        assertThat(List.of("a", "b", "c", "d"))
                .allSatisfy(
                        node -> assertThat(shares.get(node)).as("seed %d", SEED).isBetween(22L, 26L));
        assertThat(shares.get("ANY")).as("seed %d", SEED).isBetween(4L, 6L);
    }

    @Test
    void fewKnown_restIsStocks_unlessSomeAreSlow() {
        told("a", 27);
        Map<String, Long> shares = shares(null, 3, ALL);
        assertThat(shares.get("a")).as("seed %d", SEED).isBetween(29L, 35L);
        assertThat(shares.get("STOCK")).as("seed %d", SEED).isBetween(60L, 66L);
        told("slow", 6);
        assertThat(shares(null, 3, ALL)).as("seed %d", SEED).containsOnlyKeys("a", "ANY");
    }

    @Test
    void excludedOnes_areNeverDrawn_andNotTheMeasure() {
        told("fast", 100);
        told("a", 27);
        told("b", 26);
        assertThat(shares(null, 2, Set.of("a", "b")::contains))
                .as("seed %d", SEED)
                .containsOnlyKeys("a", "b", "ANY");
        assertThat(draw.draw(HOST, null, 1, node -> false).kind()).isEqualTo(Kind.STOCK);
    }

    @Test
    void ownDataNode_staysFirst_unlessTwiceAsSlow() {
        told("a", 100);
        assertThat(draw.draw(HOST, "own", 1, ALL).kind()).as("not known").isEqualTo(Kind.STOCK);
        told("own", 50);
        assertThat(draw.draw(HOST, "own", 1, ALL).kind()).isEqualTo(Kind.STOCK);
        told("own", 49);
        assertThat(shares("own", 1, ALL)).as("seed %d", SEED).containsOnlyKeys("a", "ANY");
    }

    @Test
    void slowOne_isToldFromFastAndUnknown() {
        told("a", 100);
        told("b", 74);
        assertThat(draw.isSlow(HOST, "a", ALL)).isFalse();
        assertThat(draw.isSlow(HOST, "b", ALL)).isTrue();
        assertThat(draw.isSlow(HOST, "unknown", ALL)).isFalse();
        assertThat(draw.isSlow(HOST, "b", "b"::equals)).isFalse();
    }

    @Test
    void speed_thatIsNotToldAgain_isForgotten() {
        told("slow", 6);
        nowNs.addAndGet(WriteSpeeds.KEPT_NS - 1);
        told("a", 27);
        assertThat(draw.isSlow(HOST, "slow", ALL)).isTrue();
        nowNs.addAndGet(1);
        assertThat(draw.isSlow(HOST, "slow", ALL)).isFalse();
        nowNs.addAndGet(WriteSpeeds.KEPT_NS);
        assertThat(speeds.of(HOST)).isEmpty();
    }

    @Test
    void impossibleSpeeds_areRefused() {
        for (long speed : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            assertThat(speeds.told("a", HOST, speed)).isFalse();
        }
        assertThat(speeds.told("a", "", 1)).isFalse();
        assertThat(speeds.told("a", "x".repeat(65), 1)).isFalse();
        assertThat(speeds.of(HOST)).isEmpty();
    }

    @Test
    void table_isBounded() {
        for (int i = 0; i < 2 * WriteSpeeds.MOST_NODES; i++) {
            nowNs.incrementAndGet();
            assertThat(speeds.told("node" + i, HOST, MB)).isTrue();
        }
        assertThat(speeds.of(HOST)).hasSize(WriteSpeeds.MOST_NODES).noneMatch(speed -> speed.node()
                .equals("node0"));
        for (int i = 0; i < 2 * WriteSpeeds.MOST_HOSTS; i++) {
            assertThat(speeds.told("node", "host" + i, MB)).isTrue();
        }
        assertThat(speeds.hosts()).isLessThanOrEqualTo(WriteSpeeds.MOST_HOSTS + 1);
    }
}
