package io.terrace.placement.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.write.WriteSpeeds.Speed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WriteSpeedsTest {

    private static final String HOST = "10.0.0.1";

    private long nowNs = -5;
    private final WriteSpeeds speeds = new WriteSpeeds(() -> nowNs);

    /** By a list that is sorted anew for each speed. */
    @Test
    void of_isTheFastestFirst_ofTheDataNodesThatToldLast() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Speed> expected = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            nowNs += random.nextInt(10) == 0 ? WriteSpeeds.KEPT_NS / 50 : 1;
            String node = "node" + random.nextInt(2 * WriteSpeeds.MOST_NODES);
            Speed told = new Speed(node, 1 + random.nextInt(50), nowNs);
            assertThat(speeds.told(node, HOST, told.bytesPerSecond())).isTrue();
            expected.removeIf(
                    speed -> speed.node().equals(node) || told.toldNs() - speed.toldNs() >= WriteSpeeds.KEPT_NS);
            expected.sort(Comparator.comparingLong(Speed::toldNs).reversed());
            while (expected.size() >= WriteSpeeds.MOST_NODES) {
                expected.remove(expected.size() - 1);
            }
            expected.add(0, told);
            expected.sort(Comparator.comparingLong(Speed::bytesPerSecond).reversed());
            assertThat(speeds.of(HOST))
                    .as("seed " + seed)
                    .isSortedAccordingTo(
                            Comparator.comparingLong(Speed::bytesPerSecond).reversed());
            assertThat(speeds.of(HOST)).as("seed " + seed).containsExactlyInAnyOrderElementsOf(expected);
        }
    }
}
