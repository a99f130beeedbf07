package io.terrace.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.terrace.bench.simulation.fault.Mutation;
import io.terrace.bench.simulation.kernel.Invariant;
import io.terrace.bench.simulation.kernel.SeedMix;
import io.terrace.bench.simulation.kernel.Violation;
import io.terrace.common.ControlSample;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The seeds that run with every build, and the proof that they can find something. */
@Tag("simulation")
final class SimulationTest {

    private static final int SEEDS = 200;
    private static final int SWARM_SEEDS = 50;

    @TempDir
    Path directory;

    @Test
    void everyInvariant_holdsInTheFirstSeeds() {
        StringWriter said = new StringWriter();
        Seeds seeds = new Seeds(directory, new PrintWriter(said, true));

        int failed = seeds.run(1, SEEDS);

        assertThat(failed).as(said.toString()).isZero();
        // Faults without reads would prove nothing.
        assertThat(seeds.grantReads()).isGreaterThan(50L * SEEDS);
        assertThat(seeds.stockReads()).isGreaterThan(50L * SEEDS);
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                463,
                954,
                999,
                2502,
                3730,
                5807,
                5955,
                7292,
                15_453,
                23_928,
                33_957,
                41_639,
                49_112,
                50_084,
                51_497,
                56_824,
                40_020_735,
                40_021_260,
                40_024_340,
                40_024_488,
                40_025_124,
                40_027_619,
                40_028_157,
                40_030_494,
                40_030_511,
                40_071_336,
                40_080_671,
                40_081_586,
                40_081_750,
                40_082_622,
                40_083_419,
                40_093_457
            })
    void everyInvariant_holdsInSeedsThatFailedOnce(long seed) {
        StringWriter said = new StringWriter();

        int failed = new Seeds(directory, new PrintWriter(said, true)).run(seed, 1);

        assertThat(failed).as(said.toString()).isZero();
    }

    @Test
    void everyInvariant_holdsInSeedsWithAMixOfTheirOwn() {
        StringWriter said = new StringWriter();

        int failed = new Seeds(directory, new PrintWriter(said, true), true).run(1, SWARM_SEEDS);

        assertThat(failed).as(said.toString()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {102_103})
    void everyInvariant_holdsInSeedsWhoseMixFailedOnce(long seed) {
        SeedRun run = SeedRun.of(seed, SeedMix.ofFaultsAndSizes(seed), null, false, directory);

        assertThat(run.violation()).isNull();
    }

    @ParameterizedTest
    @ValueSource(longs = {20_012_105, 20_017_410, 20_037_894})
    void everyInvariant_holdsInSeedsWhoseMixOfMessagesFailedOnce(long seed) {
        SeedRun run = SeedRun.of(seed, SeedMix.of(seed), null, false, directory);

        assertThat(run.violation()).isNull();
    }

    @Test
    void everyInvariant_hasAPlantedBugThatBreaksIt() {
        assertThat(Arrays.stream(Mutation.values()).map(Mutation::breaks).collect(Collectors.toSet()))
                .isEqualTo(EnumSet.complementOf(EnumSet.of(Invariant.SEED_ENDS)));
    }

    @Test
    void error_failsItsSeedAndEndsNoOther() {
        StackOverflowError error = new StackOverflowError();

        Violation violation = SeedRun.ended(() -> {
            throw error;
        });

        assertThat(violation).isNotNull().hasCause(error);
        assertThat(violation.invariant()).isEqualTo(Invariant.SEED_ENDS);
    }

    @Test
    void crashOfTheSimulation_isNoFindingOfAPlantedBug() {
        Violation crash = SeedRun.ended(() -> {
            throw new IllegalStateException("of the simulation");
        });
        Violation thrown = SeedRun.ended(() -> {
            throw new UncheckedIOException("of a simulated disk", new IOException(refusedByProduct()));
        });

        assertThat(crash).isNotNull();
        assertThat(thrown).isNotNull();
        for (Mutation mutation : Mutation.values()) {
            assertThat(new SeedRun(1, crash, List.of(), 0, 0, 0, 0).finds(mutation))
                    .as(mutation.title())
                    .isFalse();
        }
        assertThat(new SeedRun(1, thrown, List.of(), 0, 0, 0, 0).finds(Mutation.STREAM_GIVEN_BACK_TWICE))
                .isTrue();
    }

    private static Throwable refusedByProduct() {
        return catchThrowable(() -> new ControlSample(-1));
    }

    @Test
    void plantedBug_thatSetsOffAnythingElse_isNotFound() {
        Mutation mutation = Mutation.BUDGET_IGNORED;

        assertThat(ended(Invariant.BUDGET_KEPT).finds(mutation)).isTrue();
        assertThat(ended(Invariant.NOTHING_THROWN).finds(mutation)).isFalse();
        assertThat(ended(null).finds(mutation)).isFalse();
    }

    private static SeedRun ended(@Nullable Invariant broken) {
        Violation violation = broken == null ? null : new Violation(broken, "as said", null);
        return new SeedRun(1, violation, List.of(), 0, 0, 0, 0);
    }

    @Test
    void seed_runAgain_isTheSameToTheLastEvent() {
        SeedRun first = SeedRun.of(7, null, true, directory);
        SeedRun second = SeedRun.of(7, null, true, directory);

        assertThat(second.lines()).isEqualTo(first.lines()).isNotEmpty();
        assertThat(second.checksum()).isEqualTo(first.checksum());
    }

    @Test
    void seed_runWithoutItsLog_isTheSameRun() {
        SeedRun silent = SeedRun.of(8, null, false, directory);

        assertThat(silent.lines()).isEmpty();
        assertThat(silent.checksum())
                .isEqualTo(SeedRun.of(8, null, true, directory).checksum());
    }

    @Test
    void seed_failedWithAPlant_failsTheSameWayAgain() {
        SeedRun first = SeedRun.of(2, Mutation.SLOT_SEQUENCE_UNCHANGED, false, directory);
        SeedRun second = SeedRun.of(2, Mutation.SLOT_SEQUENCE_UNCHANGED, true, directory);

        assertThat(first.violation()).isNotNull();
        assertThat(second.violation()).isNotNull().hasMessage(first.violation().getMessage());
        assertThat(first.violation().invariant()).isEqualTo(Invariant.ONE_OWNER);
    }

    @Test
    void seeds_thatDiffer_areDifferentRuns() {
        assertThat(SeedRun.of(1, null, false, directory).checksum())
                .isNotEqualTo(SeedRun.of(2, null, false, directory).checksum());
    }
}
