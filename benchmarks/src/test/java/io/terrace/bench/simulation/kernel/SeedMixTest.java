package io.terrace.bench.simulation.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class SeedMixTest {
    @Test
    void usual_drawsAsSeedsAlwaysDid() {
        SplittableRandom one = new SplittableRandom(3);
        SplittableRandom other = new SplittableRandom(3);

        for (int i = 0; i < 1_000; i++) {
            assertThat(SeedMix.usual().fault(one)).isEqualTo(other.nextInt(SeedMix.FAULTS));
        }
    }

    @Test
    void mix_leavesFaultsOut_andDrawsTheOthers() {
        Set<Integer> kinds = new TreeSet<>();
        for (long seed = 1; seed <= 300; seed++) {
            SeedMix mix = SeedMix.of(seed);
            assertThat(mix).isEqualTo(SeedMix.of(seed));
            SplittableRandom random = new SplittableRandom(seed);
            Set<Integer> drawn = new TreeSet<>();
            for (int i = 0; i < 500; i++) {
                drawn.add(mix.fault(random));
            }
            assertThat(drawn).allMatch(fault -> mix.faults().get(fault) > 0);
            kinds.add(drawn.size());
        }
        // From seeds that know a fault or two to seeds that know most.
        assertThat(kinds).contains(2, 20).hasSizeGreaterThan(15);
    }

    @Test
    void mix_drawsWhatBecomesOfMessages() {
        Set<SeedMix.Messages> drawn = new HashSet<>();
        for (long seed = 1; seed <= 300; seed++) {
            drawn.add(SeedMix.of(seed).messages());
        }

        assertThat(drawn).hasSizeGreaterThan(250).doesNotContainNull();
        assertThat(drawn).anyMatch(messages -> messages.lossPerMille() == 0 && messages.twicePerMille() > 200);
        assertThat(drawn).anyMatch(messages -> messages.lossPerMille() > 200 && messages.slowestMs() > 500);
        assertThat(SeedMix.usual().messages()).isNull();
    }
}
