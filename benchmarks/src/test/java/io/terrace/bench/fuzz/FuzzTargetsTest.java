package io.terrace.bench.fuzz;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The seeds, and input that is a seed with a few bytes changed. Coverage guides {@code bin/terrace test fuzz} alone. */
class FuzzTargetsTest {

    private static final int MUTATIONS = 500;

    @ParameterizedTest
    @EnumSource(FuzzTargets.class)
    void seeds_andInputLikeThem_leadToNoFinding(FuzzTargets each) throws Exception {
        FuzzTarget target = each.make();
        List<byte[]> seeds = target.seeds();
        for (byte[] input : seeds) {
            read(each, target, input, "seed");
        }
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < MUTATIONS; i++) {
            read(each, target, mutated(random, seeds.get(random.nextInt(seeds.size()))), "random seed " + seed);
        }
    }

    private static void read(FuzzTargets each, FuzzTarget target, byte[] input, String from) {
        assertThatCode(() -> target.read(input))
                .as("%s, %s, input %s", each, from, HexFormat.of().formatHex(input))
                .doesNotThrowAnyException();
    }

    private static byte[] mutated(Random random, byte[] input) {
        byte[] changed =
                Arrays.copyOf(input, Math.max(0, input.length + (random.nextInt(4) == 0 ? random.nextInt(9) - 4 : 0)));
        for (int changes = 1 + random.nextInt(4); changes > 0 && changed.length > 0; changes--) {
            int at = random.nextInt(changed.length);
            changed[at] = switch (random.nextInt(3)) {
                case 0 -> (byte) random.nextInt(256);
                case 1 -> (byte) (changed[at] ^ 1 << random.nextInt(8));
                default -> new byte[] {0, -1, 127, -128, '\n', '*'}[random.nextInt(6)];
            };
        }
        return changed;
    }
}
