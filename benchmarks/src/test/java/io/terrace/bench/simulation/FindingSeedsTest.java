package io.terrace.bench.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.simulation.fault.Mutation;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class FindingSeedsTest {

    @Test
    void file_namesMutations_andSeedsWithinTheBound() {
        FindingSeeds findingSeeds = new FindingSeeds();
        for (String title : findingSeeds.titles()) {
            assertThat(findingSeeds.last(Mutation.of(title)).getAsLong())
                    .as(title)
                    .isBetween(1L, (long) Simulation.SEEDS_TO_FIND);
        }
    }

    @Test
    void sequence_beginsWithTheSeedThatFoundItLast_andHasEachOnce() {
        assertThat(FindingSeeds.sequence(1, 5, OptionalLong.of(4))).containsExactly(4L, 1L, 2L, 3L, 5L);
    }

    @Test
    void sequence_withoutSuchASeed_isInOrder() {
        assertThat(FindingSeeds.sequence(1, 3, OptionalLong.empty())).containsExactly(1L, 2L, 3L);
        assertThat(FindingSeeds.sequence(10, 3, OptionalLong.of(4))).containsExactly(10L, 11L, 12L);
        assertThat(FindingSeeds.sequence(10, 3, OptionalLong.of(13))).containsExactly(10L, 11L, 12L);
    }
}
