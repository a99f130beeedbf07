package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.state.Move.Cause;
import io.terrace.placement.state.NamespaceView.Placed;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.StampedBlock;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Blocks in a range whose heat was forgotten: the rules in force hold for them too. */
class ForgottenHeatTest extends TieredCluster {

    private static final int TRACKED = 1_000;
    private static final StampedBlock BLOCK = block(1, 4);

    @BeforeEach
    void trackFewBlocks() {
        placement = new PlacementEngine(
                settings(Map.of("terrace.placement.tracked.blocks", String.valueOf(TRACKED))), names, metricRegistry);
        placement.activate(8, OperatorState.initial());
        one.wantsFull = true;
        two.wantsFull = true;
    }

    private void readAndForget(String path) {
        place(BLOCK, path, StorageTier.SSD, one);
        read(one, BLOCK, 1);
        waits(5_000);
        for (int id = 1; id <= TRACKED; id++) {
            two.reads(block(10_000 + id, 1), 1);
        }
        beats(20);
        assertThat(placement.reports().block(nowMs, BLOCK.id(), 1).heat()).isNull();
        assertThat(placement.reports().block(nowMs, BLOCK.id(), 1).range()).isNotNull();
    }

    private void ssdIsFull() {
        use(one, StorageTier.SSD, 95 * MB);
    }

    @Test
    void inARange_goesDownFromAFullTier() {
        rules("- path: /a/**", "  tiers: ssd..archive");
        readAndForget("/a/file");
        ssdIsFull();
        waits(20_000);
        assertThat(ordered(one)).containsExactly("1 SSD DISK");
    }

    @Test
    void notReadForLongByHdfsAccessTime_goesDown_onceNoReadSinceIsForgotten() {
        rules("- path: /a/**", "  tiers: ssd..archive", "  keep: 2h");
        readAndForget("/a/file");
        waits(70_000);
        assertThat(ordered(one)).as("HDFS keeps no access times").isEmpty();
        unread(BLOCK, TimeUnit.HOURS.toMillis(2));
        waits(70_000);
        assertThat(ordered(one)).as("it was read, from a file that stayed open").isEmpty();
        unread(BLOCK, TimeUnit.HOURS.toMillis(2) - 1);
        waits(TimeUnit.HOURS.toMillis(2));
        assertThat(ordered(one)).as("by HDFS's access time it was read").isEmpty();
        unread(BLOCK, TimeUnit.HOURS.toMillis(2));
        waits(70_000);
        assertThat(ordered(one)).containsExactly("1 SSD ARCHIVE");
        assertThat(lastMove().cause()).isEqualTo(Cause.COLD);
    }

    @Test
    void noRuleGivesARangeAnyMore_stays() {
        rules("- path: /a/**", "  tiers: ssd..archive");
        readAndForget("/a/file");
        rules("- path: /b/**", "  tiers: ssd..archive");
        ssdIsFull();
        waits(20_000);
        assertThat(ordered(one)).isEmpty();
        assertThat(placement.reports().block(nowMs, BLOCK.id(), 1).range()).isNull();
    }

    @Test
    void otherRules_notLookedAtSince_isNotThoughtOf() {
        rules("- path: /a/**", "  tiers: ssd..archive");
        readAndForget("/a/file");
        rules("- path: /b/**", "  tiers: ssd..archive");
        names.mayLook = false;
        ssdIsFull();
        waits(20_000);
        assertThat(metricRegistry.value(Metric.PLACEMENT_VOLUME_MOVES_WISHED)).isZero();
    }

    @Test
    void renamedOutOfTheRange_stays() {
        rules("- path: /a/**", "  tiers: ssd..archive");
        readAndForget("/a/file");
        Placed before = names.places.get(BLOCK.id());
        names.places.put(BLOCK.id(), new Placed(BLOCK, "/b/file", null, before.replicas()));
        names.mayLook = false;
        ssdIsFull();
        waits(20_000);
        assertThat(ordered(one)).isEmpty();
        names.mayLook = true;
        waits(70_000);
        assertThat(ordered(one)).isEmpty();
        assertThat(placement.reports().block(nowMs, BLOCK.id(), 1).range()).isNull();
    }

    @Test
    void fewerPools_joinsTheOneItHasNow() {
        pools(5);
        readAndForget("/4/file");
        pools(2);
        ssdIsFull();
        waits(130_000);
        assertThat(ordered(one)).containsExactly("1 SSD DISK");
    }

    private void pools(int count) {
        String pools = IntStream.range(0, count)
                .mapToObj(i -> "{name: p" + i + ", share: 10%, tiers: {ssd: {share: 10%, most: 100%}}}")
                .collect(Collectors.joining(", "));
        String rules = IntStream.range(0, count)
                .mapToObj(i -> "{path: /" + i + "/**, pool: p" + i + ", tiers: ssd..disk}")
                .collect(Collectors.joining(", "));
        placement.policy(
                nowMs,
                applied(
                        "policy: idecider",
                        "pools: [" + pools + "]",
                        "rules: [" + rules + ", {path: /**, tiers: ssd..disk}]"));
    }
}
