package io.terrace.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.Explanation;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.api.TierSpec;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ExplanationTest {

    @Test
    void tenths_areThoseOfStringFormat() {
        double[] values = {0, -0.04, 0.05, -0.05, 9.95, -9.96, 1e9, -1e9, Double.MIN_VALUE};
        for (double value : values) {
            assertTenths(value);
        }
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 1000; i++) {
            assertTenths((random.nextDouble() - 0.5) * 200);
        }
    }

    private static void assertTenths(double value) {
        String expected = String.format(Locale.ROOT, "%.1f", value);
        assertThat(Explanation.tenths(value)).isEqualTo(expected.equals("-0.0") ? "0.0" : expected);
    }

    @Test
    void tenths_ofWhatIsNoNumber_areWords() {
        assertThat(Explanation.tenths(Double.NaN)).isEqualTo("NaN");
        assertThat(Explanation.tenths(Double.NEGATIVE_INFINITY)).isEqualTo("-Infinity");
    }

    @Test
    void worth_ofWhatWasReadLongAgo_isComparedStill() {
        TierHierarchy hierarchy = TierHierarchy.of(
                new TierSpec("memory", 20, 1, 1_000_000_000, true),
                new TierSpec("home", TierSpec.UNBOUNDED, 1000, 1_000_000, false));
        CheckedTiers tiers = new CheckedTiers(hierarchy);
        PlacementPolicy policy = PolicyCatalog.create("decay-admit", Map.of(), hierarchy);
        for (long object : new long[] {1, 2, 2, 2, 2}) {
            policy.access(new Access().read(0, object, 10, 10, tiers.tier(object)), tiers.sized(object, 10));
            policy.moved(0, object, 10, tiers.tier(object), tiers);
        }
        Explanation.Worth worth =
                policy.explain(TimeUnit.DAYS.toMillis(1000), 2).worth();
        assertThat(worth.ratio()).isBetween(1.0, 100.0);
    }
}
