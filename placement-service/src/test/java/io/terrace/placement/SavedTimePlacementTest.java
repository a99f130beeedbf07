package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.terrace.common.StorageTier;
import io.terrace.policy.ForwardingPolicy;
import io.terrace.policy.api.Access;
import io.terrace.policy.api.MoveRequests;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Policies are told what memory saves of the time of reads, by the pattern of reading and by the tier below. */
class SavedTimePlacementTest extends SteppedLoop {

    private static final StampedBlock BLOCK = block(1, 64);
    private static final long SHORT = 16 << 10;

    /** In milliseconds, of each access. */
    private final List<Double> told = new ArrayList<>();

    SavedTimePlacementTest() {
        Map<String, String> conf = Map.of(
                "terrace.placement.policy", "adaptive",
                "terrace.placement.policy.parameters", "objective=time");
        placement = new PlacementEngine(
                PlacementSettings.from(conf::get),
                names,
                metricRegistry,
                (spec, tiers) -> new ForwardingPolicy(spec.make(tiers)) {
                    @Override
                    public void access(Access access, MoveRequests moveRequests) {
                        told.add(access.savedNs() / 1e6);
                        super.access(access, moveRequests);
                    }
                });
        one.capacityBytes = 100 * MB;
        names.store(BLOCK, one);
    }

    private double saved() {
        beat(one);
        assertThat(told).hasSize(1);
        return told.remove(0);
    }

    @Test
    void shortReads_saveTheAccess_scansTheirBytes() {
        one.shortReads(BLOCK, StorageTier.DISK, 10, SHORT);
        assertThat(saved()).isEqualTo(81, within(2.0));
        StampedBlock scanned = block(2, 64);
        names.store(scanned, one);
        one.reads(scanned, 1);
        assertThat(saved()).isEqualTo(559, within(5.0));
    }

    @Test
    void fasterVolume_savesLess() {
        one.shortReads(BLOCK, StorageTier.SSD, 10, SHORT);
        assertThat(saved()).isEqualTo(1.3, within(0.1));
    }

    @Test
    void scanThatGoesOn_countsAsOneOfTheWholeBlock_untilItsLengthIsKnown() {
        one.stockReads(BLOCK, 1);
        assertThat(saved()).isEqualTo(559, within(5.0));
        one.shortReads(BLOCK, StorageTier.DISK, 3, SHORT);
        assertThat(saved()).isEqualTo(24, within(1.0));
    }

    @Test
    void timesOfTheTier_replaceWhatWasAssumed() {
        two.took(StorageTier.DISK, 10_000, 10_000 * SHORT, 10_000 * 60_000L);
        beat(two);
        one.shortReads(BLOCK, StorageTier.DISK, 10, SHORT);
        assertThat(saved()).as("it comes from the page cache").isLessThan(2);
    }
}
