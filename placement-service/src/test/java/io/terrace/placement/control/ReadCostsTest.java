package io.terrace.placement.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.terrace.common.StorageTier;
import io.terrace.placement.heartbeat.Heartbeat.ReadTime;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class ReadCostsTest {

    private static final long BLOCK = 128L << 20;
    private static final long SHORT = 16L << 10;

    private final ReadCosts costs = new ReadCosts();

    private void report(StorageTier tier, long reads, long bytesOfEach, double nsOfEach) {
        costs.add(new ReadTime(tier, reads, reads * bytesOfEach, (long) (reads * nsOfEach)));
    }

    private double saved(StorageTier tier, long bytes) {
        return costs.savedNs(tier, 1000, bytes) / 1000.0;
    }

    @Test
    void nothingTimed_isAsAssumed() {
        assertThat(saved(StorageTier.DISK, SHORT)).isCloseTo(8.13e6, Percentage.withPercentage(1));
        assertThat(saved(StorageTier.DISK, BLOCK)).isCloseTo(1.109e9, Percentage.withPercentage(1));
        assertThat(saved(StorageTier.SSD, SHORT)).isLessThan(saved(StorageTier.DISK, SHORT) / 20);
        assertThat(costs.savedNs(StorageTier.MEMORY, 3, BLOCK))
                .as("known, and little")
                .isEqualTo(3);
    }

    @Test
    void shortReadsAndScansTogether_bothPartsAreFound() {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 400; i++) {
            int reads = random.nextInt(50);
            int scans = random.nextInt(3);
            double noise = 0.7 + 0.6 * random.nextDouble();
            costs.add(new ReadTime(StorageTier.DISK, reads + scans, reads * SHORT + scans * BLOCK, (long)
                    (noise * (reads * (2e6 + SHORT * 5.0) + scans * (2e6 + BLOCK * 5.0)))));
        }
        assertThat(saved(StorageTier.DISK, SHORT)).isCloseTo(2.08e6, Percentage.withPercentage(20));
        assertThat(saved(StorageTier.DISK, BLOCK)).isCloseTo(0.67e9 - 0.017e9, Percentage.withPercentage(10));
    }

    @Test
    void shortReadsOnly_scansStayNearTheAssumption() {
        report(StorageTier.DISK, 100_000, SHORT, 100_000);
        assertThat(saved(StorageTier.DISK, SHORT)).as("from the page cache").isLessThan(200_000);
        assertThat(saved(StorageTier.DISK, BLOCK)).isCloseTo(1.1e9, Percentage.withPercentage(5));
    }

    @Test
    void scansOnly_shortReadsStayNearTheAssumption() {
        for (int i = 0; i < 1000; i++) {
            report(StorageTier.DISK, 3, BLOCK, (i % 2 == 0 ? 0.4 : 0.6) * 1e9);
        }
        assertThat(saved(StorageTier.DISK, BLOCK)).isCloseTo(0.483e9, Percentage.withPercentage(5));
        assertThat(costs.savedAccessNs(StorageTier.DISK)).isCloseTo(8e6, Percentage.withPercentage(5));
    }

    @Test
    void memorySlower_savesNothingButIsKnown() {
        report(StorageTier.MEMORY, 10_000, SHORT, 50e6);
        assertThat(costs.savedNs(StorageTier.DISK, 7, SHORT)).isEqualTo(7);
        assertThat(costs.savedAccessNs(StorageTier.DISK)).isZero();
    }

    @Test
    void nonsense_isBounded() {
        costs.add(new ReadTime(StorageTier.DISK, 0, 5, 5));
        costs.add(new ReadTime(StorageTier.DISK, -1, 5, 5));
        costs.add(new ReadTime(StorageTier.DISK, 1, -5, 5));
        costs.add(new ReadTime(StorageTier.DISK, 1, 5, -5));
        assertThat(saved(StorageTier.DISK, SHORT)).isCloseTo(8.13e6, Percentage.withPercentage(1));
        costs.add(new ReadTime(StorageTier.DISK, 1, SHORT, Long.MAX_VALUE));
        assertThat(saved(StorageTier.DISK, SHORT)).as("one read of a minute").isBetween(8e6, 4e9);
        costs.add(new ReadTime(StorageTier.DISK, Long.MAX_VALUE, Long.MAX_VALUE, 0));
        assertThat(saved(StorageTier.DISK, SHORT)).isFinite();
        assertThat(saved(StorageTier.DISK, BLOCK)).isFinite();
    }

    @Test
    void halvedOften_returnsToTheAssumption() {
        report(StorageTier.DISK, 1000, SHORT, 100_000);
        for (int i = 0; i < 30; i++) {
            costs.halve();
        }
        assertThat(saved(StorageTier.DISK, SHORT)).isEqualTo(8.13e6, within(0.1e6));
    }
}
