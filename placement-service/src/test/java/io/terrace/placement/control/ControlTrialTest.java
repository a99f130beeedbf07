package io.terrace.placement.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.ControlSample;
import io.terrace.common.ControlSample.Arm;
import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.control.Benefit.Verdict;
import io.terrace.placement.heartbeat.Heartbeat.ReadTime;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ControlTrialTest {

    private static final long PAUSE_MS = 3_600_000;
    private static final ControlSample SAMPLE = new ControlSample(10);
    private static final List<Long> CONTROLS = blocks(Arm.CONTROL);
    private static final List<Long> TREATED = blocks(Arm.TREATED);

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final ControlTrial trial = new ControlTrial(new ControlSettings(SAMPLE, PAUSE_MS), metricRegistry);
    private final Random random = new Random(7);
    private long nowMs = 1_000;

    private static List<Long> blocks(Arm arm) {
        return LongStream.range(0, 1_000)
                .filter(id -> SAMPLE.arm(id) == arm)
                .limit(40)
                .boxed()
                .toList();
    }

    private void ask(StorageTier tier) {
        CONTROLS.forEach(id -> assertThat(trial.mayClimb(tier, id)).isFalse());
        TREATED.forEach(id -> {
            assertThat(trial.mayClimb(tier, id)).isTrue();
            trial.climbed(tier, id);
        });
    }

    private void read(List<Long> blocks, long reads, double ns) {
        for (long id : blocks) {
            trial.read(id, reads, reads, (long) (reads * ns * (0.5 + random.nextDouble())));
        }
    }

    private void turn() {
        nowMs += 1_000;
        trial.turn(nowMs);
    }

    private Benefit benefit() {
        List<Benefit> all = trial.benefits(nowMs);
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    @Test
    void faster_isSaidWithItsInterval() {
        ask(StorageTier.MEMORY);
        read(CONTROLS, 10, 3e6);
        read(TREATED, 10, 1e6);
        turn();
        Benefit benefit = benefit();
        assertThat(benefit.verdict()).isEqualTo(Verdict.FASTER);
        assertThat(benefit.control().blocks()).isEqualTo(40);
        assertThat(benefit.timesAsFast().mean()).isBetween(2.5, 3.5);
        assertThat(benefit.timesAsFast().low())
                .isBetween(2.0, benefit.timesAsFast().mean());
        assertThat(benefit.text())
                .matches("memory: reads of blocks that climbed are [0-9.]+ \\([0-9.]+ to [0-9.]+\\) times as fast as of"
                        + " blocks that stayed");
        assertThat(trial.isLeft(nowMs, StorageTier.MEMORY)).isFalse();
    }

    @Test
    void noDifference_isSaid_andTheTierIsNotLeft() {
        ask(StorageTier.SSD);
        for (int i = 0; i < 50; i++) {
            read(CONTROLS, 1, 1e6);
            read(TREATED, 1, 1e6);
            turn();
        }
        assertThat(benefit().verdict()).isEqualTo(Verdict.NO_DIFFERENCE);
        assertThat(benefit().text()).startsWith("ssd: no difference is seen: ");
        assertThat(trial.left(nowMs)).isEmpty();
    }

    @Test
    void slower_theTierIsLeft_andTriedAgainWithFreshEvidence() {
        ask(StorageTier.SSD);
        read(CONTROLS, 10, 1e6);
        read(TREATED, 10, 3e6);
        turn();
        assertThat(trial.left(nowMs)).containsExactly(StorageTier.SSD);
        assertThat(trial.isLeft(nowMs, StorageTier.MEMORY)).isFalse();
        assertThat(metricRegistry.value(Metric.PLACEMENT_TIERS_LEFT_TIMES)).isEqualTo(1);
        assertThat(benefit().text())
                .matches("ssd: reads of blocks that climbed are 0[0-9.]+ \\(0[0-9.]+ to 0[0-9.]+\\) times as fast as of"
                        + " blocks that stayed; nothing climbs there by heat for another .*, then it is tried again");
        assertThat(benefit().control().reads()).as("what it was left for").isEqualTo(400);
        assertThat(trial.obstacle(nowMs, StorageTier.SSD, 1).leftForMs()).isEqualTo(PAUSE_MS);

        nowMs += PAUSE_MS;
        turn();
        assertThat(trial.left(nowMs)).isEmpty();
        ask(StorageTier.SSD);
        read(CONTROLS, 10, 3e6);
        read(TREATED, 10, 1e6);
        turn();
        assertThat(benefit().verdict()).isEqualTo(Verdict.FASTER);
        ask(StorageTier.SSD);
        for (int i = 0; i < 8; i++) {
            read(CONTROLS, 40, 1e6);
            read(TREATED, 40, 9e6);
            turn();
        }
        assertThat(trial.left(nowMs)).as("slow again").containsExactly(StorageTier.SSD);
    }

    @Test
    void fewReads_orFewBlocks_sayNothing() {
        ask(StorageTier.MEMORY);
        read(CONTROLS, 1, 1e6);
        read(TREATED, 1, 9e6);
        turn();
        assertThat(benefit().verdict()).as("40 reads").isEqualTo(Verdict.TOO_FEW_READS);
        read(CONTROLS.subList(0, 4), 1_000, 1e6);
        read(TREATED, 1_000, 9e6);
        ControlTrial few = new ControlTrial(new ControlSettings(SAMPLE, PAUSE_MS), metricRegistry);
        CONTROLS.subList(0, 4).forEach(id -> few.mayClimb(StorageTier.MEMORY, id));
        TREATED.forEach(id -> few.mayClimb(StorageTier.MEMORY, id));
        TREATED.forEach(id -> few.climbed(StorageTier.MEMORY, id));
        CONTROLS.forEach(id -> few.read(id, 100, 100, 100_000_000));
        TREATED.forEach(id -> few.read(id, 100, 100, 900_000_000));
        few.turn(nowMs);
        assertThat(few.benefits(nowMs)).singleElement().satisfies(benefit -> {
            assertThat(benefit.verdict()).isEqualTo(Verdict.TOO_FEW_READS);
            assertThat(benefit.text()).isEqualTo("memory: too few reads to tell");
        });
        assertThat(few.left(nowMs)).isEmpty();
    }

    @Test
    void readsThatClientsMakeThemselves_areNotJudged() {
        ask(StorageTier.MEMORY);
        read(CONTROLS, 10, 1e6);
        read(TREATED, 10, 9e6);
        TREATED.forEach(id -> trial.read(id, 1_000, 0, 0));
        turn();
        assertThat(benefit().verdict()).isEqualTo(Verdict.NOT_TIMED);
        assertThat(trial.left(nowMs)).isEmpty();
    }

    @Test
    void readsWhileABlockIsOnItsWay_doNotCount() {
        CONTROLS.forEach(id -> trial.mayClimb(StorageTier.MEMORY, id));
        TREATED.forEach(id -> trial.mayClimb(StorageTier.MEMORY, id));
        read(CONTROLS, 10, 1e6);
        read(TREATED, 10, 1e6);
        assertThat(benefit().treated().reads()).isZero();
        TREATED.forEach(id -> trial.climbed(StorageTier.SSD, id));
        read(TREATED, 10, 1e6);
        assertThat(benefit().treated().reads()).as("another tier").isZero();
        TREATED.forEach(id -> trial.climbed(StorageTier.MEMORY, id));
        read(TREATED, 10, 1e6);
        assertThat(benefit().treated().reads()).isEqualTo(400);
    }

    @Test
    void readsBeforeABlockWasAskedFor_doNotCount_norOfOthers() {
        read(CONTROLS, 100, 1e6);
        read(TREATED, 100, 9e6);
        trial.read(1, 100, 100, 1);
        turn();
        assertThat(trial.benefits(nowMs)).isEmpty();
    }

    @Test
    void block_countsForTheFastestTierThatItWasAskedFor() {
        ask(StorageTier.SSD);
        read(CONTROLS, 10, 1e6);
        ask(StorageTier.MEMORY);
        ask(StorageTier.SSD);
        read(CONTROLS, 1, 1e6);
        assertThat(benefit().tier()).isEqualTo(StorageTier.MEMORY);
        assertThat(benefit().control().reads()).isEqualTo(40);
    }

    @Test
    void blocks_areBounded_andFade() {
        ControlSample all = new ControlSample(10);
        LongStream.range(0, 200_000).forEach(id -> {
            trial.mayClimb(StorageTier.MEMORY, id);
            trial.climbed(StorageTier.MEMORY, id);
            trial.read(id, 1, 1, 1_000);
        });
        assertThat(all.arm(13)).isEqualTo(Arm.CONTROL);
        assertThat(benefit().control().blocks()).isEqualTo(ComparedBlocks.MOST_BLOCKS);
        assertThat(benefit().treated().blocks()).isEqualTo(ComparedBlocks.MOST_BLOCKS);
        for (int i = 0; i < 3; i++) {
            turn();
            nowMs += ControlTrial.HALVED_MS;
        }
        turn();
        assertThat(trial.benefits(nowMs)).as("one read each").isEmpty();
    }

    @Test
    void tierTimes_areMeansOverHeartbeats() {
        for (int i = 0; i < 6; i++) {
            trial.read(List.of(
                    new ReadTime(StorageTier.DISK, 2, 4_000, 20_000), new ReadTime(StorageTier.MEMORY, 0, 0, 0)));
        }
        assertThat(trial.times()).singleElement().satisfies(disk -> {
            assertThat(disk.tier()).isEqualTo(StorageTier.DISK);
            assertThat(disk.reads()).isEqualTo(12);
            assertThat(disk.bytes()).isEqualTo(24_000);
            assertThat(disk.readNs().mean()).isEqualTo(10_000);
            assertThat(disk.byteNs().mean()).isEqualTo(5);
        });
    }

    @Test
    void off_allClimb() {
        ControlTrial off = new ControlTrial(ControlSettings.OFF, metricRegistry);
        CONTROLS.forEach(id -> assertThat(off.mayClimb(StorageTier.MEMORY, id)).isTrue());
        assertThat(off.benefits(nowMs)).isEmpty();
        assertThat(off.obstacle(nowMs, StorageTier.MEMORY, CONTROLS.get(0))).isNull();
    }
}
