package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.ControlSample;
import io.terrace.common.ControlSample.Arm;
import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.control.Benefit;
import io.terrace.placement.control.Benefit.Verdict;
import io.terrace.placement.move.Refusals;
import io.terrace.placement.report.BlockReport;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.MoveOrder;
import io.terrace.protocol.StampedBlock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Ten percent of blocks never climb by heat; a tier that turns out slow is left for a minute. */
class ControlPlacementTest extends TieredCluster {

    private static final ControlSample SAMPLE = new ControlSample(10);
    private static final StampedBlock CONTROL = block(13, 1);
    private static final StampedBlock TREATED = block(2, 1);
    private static final long NS_OF_DISK = 5_000_000;

    private final Random random = new Random(4711);

    ControlPlacementTest() {
        placement = new PlacementEngine(
                settings(Map.of("terrace.placement.control.share", "10", "terrace.placement.control.pause", "1m")),
                names,
                metricRegistry);
    }

    private BlockReport report(StampedBlock block) {
        return placement.reports().block(nowMs, block.id(), 1);
    }

    @Test
    void sample_doesNotComeIntoMemoryByHeat_othersDo() {
        assertThat(SAMPLE.arm(CONTROL.id())).isEqualTo(Arm.CONTROL);
        assertThat(SAMPLE.arm(TREATED.id())).isEqualTo(Arm.TREATED);
        for (int i = 0; i < 5; i++) {
            read(one, CONTROL, 9);
            read(one, TREATED, 9);
        }
        assertThat(one.memory).containsOnlyKeys(TREATED.id());
        assertThat(one.orders).hasSize(1);
        assertThat(metricRegistry.value(Metric.PLACEMENT_CONTROL_HELD)).isPositive();
        assertThat(report(CONTROL).heldBack().samplePercent()).isEqualTo(10);
        assertThat(report(TREATED).heldBack()).isNull();
    }

    @Test
    void sample_takesNothingsRoom() {
        placement.policy(nowMs, applied("policy: lru"));
        for (long id = 20; id < 30; id++) {
            read(one, block(id, 1), 3);
        }
        List<Long> before = List.copyOf(one.memory.keySet());
        one.orders.clear();
        read(one, CONTROL, 9);
        beats(4);
        assertThat(one.memory.keySet()).containsExactlyElementsOf(before);
        assertThat(one.orders).isEmpty();
    }

    @Test
    void operatorsPromotion_wins() {
        place(CONTROL, "/a/file", StorageTier.DISK, one);
        assertThat(placement
                        .operator()
                        .promote(
                                nowMs,
                                "bob",
                                new Located(CONTROL, CONTROL.id(), List.of(one.uuid)),
                                null,
                                new Refusals()))
                .isNotNull();
        beats(2);
        assertThat(one.memory).containsOnlyKeys(CONTROL.id());
    }

    @Test
    void pin_wins() {
        place(CONTROL, "/a/file", StorageTier.DISK, one);
        names.files.put(CONTROL.id(), List.of(new Located(CONTROL, CONTROL.id(), List.of(one.uuid))));
        placement.operatorState(OperatorState.initial().withPin(CONTROL.id(), true));
        beats(8);
        assertThat(one.memory).containsOnlyKeys(CONTROL.id());
    }

    @Test
    void sample_isBroughtIntoItsRange_butDoesNotClimbInIt() {
        rules("- path: /a/**", "  tiers: ssd..disk");
        place(CONTROL, "/a/13", StorageTier.ARCHIVE, one);
        place(TREATED, "/a/2", StorageTier.ARCHIVE, one);
        for (int i = 0; i < 8; i++) {
            read(one, CONTROL, 9);
            read(one, TREATED, 9);
            waits(6_000);
        }
        assertThat(tier(CONTROL, one)).isEqualTo(StorageTier.DISK);
        assertThat(tier(TREATED, one)).isEqualTo(StorageTier.SSD);
        assertThat(report(CONTROL).range())
                .isEqualTo("rule 1 of the policy keeps it in ssd..disk; it does not climb: it is in the control sample"
                        + " (terrace.placement.control.share)");
        assertThat(report(TREATED).range()).isEqualTo("rule 1 of the policy keeps it in ssd..disk");
    }

    /** Blocks of 10 KB, so that all of them fit. */
    private static StampedBlock small(long id) {
        return new StampedBlock(id, 1000 + id, 10_240);
    }

    private List<StampedBlock> manyBlocks() {
        List<StampedBlock> blocks = new ArrayList<>();
        for (long id = 1; id <= 200; id++) {
            blocks.add(small(id));
        }
        return blocks;
    }

    /** Each block is read four times, from memory as fast as said; two heartbeats follow. */
    private void round(List<StampedBlock> blocks, double nsOfMemory) {
        for (StampedBlock block : blocks) {
            double mean = one.memory.containsKey(block.id()) ? nsOfMemory : NS_OF_DISK;
            one.timedReads(block, 4, (long) (4 * mean * (0.5 + random.nextDouble())));
        }
        beats(1);
    }

    private Benefit ofMemory() {
        return placement.reports().benefits(nowMs).get(0);
    }

    private long promotions() {
        return one.orders.stream().filter(MoveOrder::isPromotion).count();
    }

    @Test
    void slowMemory_isLeftSoon_andTriedAgainLater() {
        List<StampedBlock> blocks = manyBlocks();
        int turns = 0;
        while (placement.tiersLeft().isEmpty() && turns++ < 100) {
            round(blocks, 4 * NS_OF_DISK);
        }
        assertThat(turns)
                .as("heartbeats until it is left, of blocks read four times each")
                .isLessThan(60);
        assertThat(placement.engineStatus().tiersLeft()).isEqualTo(1);
        long leftMs = nowMs;
        assertThat(report(small(300)).heldBack().leftForMs()).isPositive();
        one.memory.values().stream().toList().forEach(one::leaves);
        beats(2); // What was sent before comes to its end; what waited is taken back.
        one.orders.clear();
        while (nowMs < leftMs + 55_000) {
            round(blocks, 4 * NS_OF_DISK);
        }
        assertThat(promotions()).isZero();
        while (nowMs < leftMs + 75_000) {
            round(blocks, NS_OF_DISK / 10.0);
        }
        assertThat(promotions()).as("tried again").isPositive();
        assertThat(placement.tiersLeft()).isEmpty();
        assertThat(placement.engineStatus().tiersLeft()).isZero();
        assertThat(ofMemory().verdict()).as("now memory is fast").isEqualTo(Verdict.FASTER);
    }

    @Test
    void fastMemory_isNotLeft_andItsBenefitIsFoundAgain() {
        List<StampedBlock> blocks = manyBlocks();
        for (int i = 0; i < 100; i++) {
            round(blocks, NS_OF_DISK / 5.0);
        }
        Benefit benefit = ofMemory();
        assertThat(benefit.tier()).isEqualTo(StorageTier.MEMORY);
        assertThat(benefit.verdict()).isEqualTo(Verdict.FASTER);
        assertThat(benefit.timesAsFast().mean()).isBetween(4.0, 5.2);
        assertThat(placement.tiersLeft()).isEmpty();
    }

    @Test
    void slowSsd_isLeft_andNothingClimbsThereMeanwhile() {
        rules("- path: /**", "  tiers: ssd..disk", "  place: never");
        List<StampedBlock> blocks = manyBlocks();
        blocks.forEach(block -> place(block, "/a/" + block.id(), StorageTier.DISK, one));
        int turns = 0;
        while (placement.tiersLeft().isEmpty() && turns++ < 600) {
            for (StampedBlock block : blocks) {
                long ns = tier(block, one) == StorageTier.SSD ? 4 * NS_OF_DISK : NS_OF_DISK;
                one.timedReads(block, 4, (long) (4 * ns * (0.5 + random.nextDouble())));
            }
            beats(1);
        }
        assertThat(placement.tiersLeft()).singleElement().satisfies(left -> assertThat(left.tier())
                .isEqualTo(StorageTier.SSD));
        long leftMs = nowMs;
        beats(2); // What was sent before comes to its end; what waited is taken back.
        one.orders.clear();
        StampedBlock other = small(250);
        place(other, "/a/250", StorageTier.DISK, one);
        while (nowMs < leftMs + 55_000) {
            read(one, other, 9);
        }
        assertThat(ordered(one)).noneMatch(order -> order.endsWith(" DISK SSD"));
        assertThat(report(other).range()).contains("nothing climbs to ssd for another ");
        while (nowMs < leftMs + 75_000) {
            read(one, other, 9);
        }
        assertThat(ordered(one)).contains("250 DISK SSD");
    }

    @Test
    void evidence_outlivesAnEpoch() {
        List<StampedBlock> blocks = manyBlocks();
        for (int i = 0; i < 20; i++) {
            round(blocks, NS_OF_DISK / 5.0);
        }
        long before = ofMemory().control().reads();
        placement.standDown();
        placement.activate(EPOCH + 1, OperatorState.initial());
        assertThat(ofMemory().control().reads()).isEqualTo(before);
    }
}
