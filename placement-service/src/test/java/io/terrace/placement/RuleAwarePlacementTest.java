package io.terrace.placement;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.placement.move.PinnedBlocks;
import io.terrace.placement.policy.RuleEvaluator;
import io.terrace.placement.state.NamespaceView.Asker;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.state.OperatorState;
import io.terrace.policy.api.PoolUsage;
import io.terrace.protocol.StampedBlock;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rules by path, pools and bounds of size. */
class RuleAwarePlacementTest extends SteppedLoop {

    @Test
    void rule_never_keepsOutAndTakesOut() {
        name(block(1, 1), 101, "/tmp/a");
        name(block(2, 1), 102, "/data/a");
        warm(one, block(1, 1), block(2, 1));
        placement.policy(nowMs, applied("policy: idecider", "rules: [{path: /tmp/**, place: never}]"));
        beat(one);
        beat(one);
        assertThat(one.memory.keySet()).as("taken out without being read").containsExactly(2L);
        one.reads(block(1, 1), 9);
        beat(one);
        beat(one);
        assertThat(one.memory.keySet()).containsExactly(2L);
        assertThat(placement.reports().block(nowMs, 1, 5).excluded()).contains("rule 1");
        assertThat(names.mostInOneLook).isLessThanOrEqualTo(names.lockBlocks());
        // Renamed: heeded within a minute.
        name(block(1, 1), 101, "/data/b");
        nowMs += RuleEvaluator.VALID_MS;
        one.reads(block(1, 1), 9);
        beat(one);
        beat(one);
        assertThat(one.memory.keySet()).containsExactly(2L, 1L);
    }

    @Test
    void lockHeldTooLong_knownPathsAreLookedUpLater_newOnesFirst() {
        placement.policy(nowMs, applied("policy: idecider", "rules: [{path: /tmp/**, place: never}]"));
        name(block(1, 1), 101, "/data/a");
        name(block(2, 1), 102, "/data/b");
        warm(one, block(1, 1));
        names.mayLook = false;
        names.pathLooksBy.clear();
        name(block(1, 1), 101, "/tmp/a");
        nowMs += 2 * RuleEvaluator.VALID_MS;
        one.reads(block(1, 1), 1);
        warm(one, block(2, 1));
        assertThat(names.pathLooksBy).containsExactly(entry(Asker.REPORTS, 1));
        assertThat(one.memory.keySet()).as("as was known").containsExactly(1L, 2L);
        names.mayLook = true;
        one.reads(block(1, 1), 1);
        beat(one);
        beat(one);
        assertThat(one.memory.keySet()).containsExactly(2L);
    }

    @Test
    void lockHeldMuchTooLong_noPolicyIsToldOfNewBlocks_untilTheyAreLookedUp() {
        placement.policy(nowMs, applied("policy: idecider", "rules: [{path: /tmp/**, place: never}]"));
        name(block(1, 1), 101, "/data/a");
        names.reportsMayLook = false;
        one.reads(block(1, 1), 9);
        beat(one);
        beat(one);
        assertThat(one.memory).isEmpty();
        assertThat(metricRegistry.value(Metric.PLACEMENT_RULES_DEFERRED)).isPositive();
        names.reportsMayLook = true;
        warm(one, block(1, 1));
        assertThat(one.memory.keySet()).containsExactly(1L);
    }

    @Test
    void pool_full_leavesTheRestAloneAndIsShown() {
        for (int i = 1; i <= 20; i++) {
            name(block(i, 1), 100 + i, (i <= 10 ? "/etl/f" : "/data/f") + i);
        }
        placement.policy(
                nowMs,
                applied("policy: lru", "pools: [{name: etl, share: 30%}]", "rules: [{path: /etl/**, pool: etl}]"));
        for (int i = 11; i <= 20; i++) {
            one.reads(block(i, 1), 1);
            beat(one);
        }
        beat(one);
        assertThat(one.memory).as("what the pool leaves unused is lent").hasSize(10);
        for (int i = 1; i <= 10; i++) {
            one.reads(block(i, 1), 1);
            beat(one);
        }
        beat(one);
        beat(one);
        assertThat(one.memory.keySet())
                .as("the pool has its share back, and no more")
                .containsExactlyInAnyOrder(14L, 15L, 16L, 17L, 18L, 19L, 20L, 8L, 9L, 10L);
        assertThat(placement.reports().nodes(nowMs).get(0).pools())
                .containsExactly(
                        new PoolUsage("memory", "default", 7 * MB, 10 * MB, 7 * MB),
                        new PoolUsage("memory", "etl", 3 * MB, 3 * MB, 3 * MB));
        String why =
                placement.reports().block(nowMs, 9, 1).replicas().get(0).why().sentence();
        assertThat(why).startsWith("pool etl, 3 of 3 MB used: ");

        // After a restart nobody knows whose the copies are; they stay, and join their pools within a minute.
        placement.standDown();
        placement.activate(9, OperatorState.initial());
        one.wantsFull = true;
        beat(one);
        beat(one);
        nowMs += RuleEvaluator.VALID_MS;
        beat(one);
        beat(one);
        assertThat(one.memory).hasSize(10);
        assertThat(placement.reports().nodes(nowMs).get(0).pools())
                .extracting(PoolUsage::usedBytes)
                .containsExactly(7 * MB, 3 * MB);
    }

    @Test
    void rule_pathUnknown_isNotPromoted() {
        placement.policy(nowMs, applied("policy: idecider", "rules: [{path: /tmp/**, place: never}]"));
        one.reads(block(1, 1), 9);
        beat(one);
        beat(one);
        assertThat(one.orders).isEmpty();
        assertThat(metricRegistry.value(Metric.PLACEMENT_RULES_DEFERRED)).isEqualTo(1);
    }

    @Test
    void rule_prefer_countsTwiceAndMore() {
        name(block(1, 1), 101, "/w/a");
        name(block(2, 1), 102, "/x/a");
        placement.policy(nowMs, applied("policy: idecider", "rules: [{path: /w/*, place: prefer, weight: 3}]"));
        one.reads(block(1, 1), 1);
        one.reads(block(2, 1), 1);
        beat(one);
        beat(one);
        assertThat(one.memory.keySet()).containsExactly(1L);
    }

    @Test
    void rule_pin_keepsWhatWasReadOnceWithinItsBound() {
        List<StampedBlock> blocks = List.of(block(1, 2), block(2, 2), block(3, 2));
        for (int i = 0; i < 3; i++) {
            name(blocks.get(i), 101 + i, "/dim/" + i);
            names.files.put(101L + i, List.of(new Located(blocks.get(i), 101 + i, List.of("one"))));
        }
        placement.policy(nowMs, applied("policy: lru", "rules: [{path: /dim/*, place: pin, most: 4m}]"));
        beat(one);
        blocks.forEach(block -> one.reads(block, 1));
        beat(one);
        nowMs += PinnedBlocks.REFRESH_MS;
        beat(one);
        beat(one);
        assertThat(one.memory.keySet()).contains(1L, 2L);
        assertThat(metricRegistry.value(Metric.PLACEMENT_RULES_PINS_REFUSED)).isPositive();
        for (int i = 10; i < 20; i++) {
            name(block(i, 5), 200 + i, "/other/" + i);
            one.reads(block(i, 5), 3);
            beat(one);
            beat(one);
        }
        assertThat(one.memory.keySet()).as("nothing pushes pinned blocks out").contains(1L, 2L);
        placement.policy(nowMs, applied("policy: lru"));
        one.orders.clear();
        nowMs += PinnedBlocks.REFRESH_MS;
        beat(one);
        beat(one);
        assertThat(one.orders).as("no longer pinned, and no reason to go").isEmpty();
    }

    @Test
    void length_isAskedOnceALookAndOnlyOfFilesThatARuleWouldPin() {
        name(block(1, 2), 101, "/dim/a");
        name(block(2, 2), 101, "/dim/a");
        name(block(3, 11), 102, "/dim/tooLong");
        name(block(4, 11), 102, "/dim/tooLong");
        name(block(5, 2), 103, "/other/a");
        names.lengths.put(101L, 4 * MB);
        names.lengths.put(102L, 22 * MB);
        names.files.put(101L, List.of(new Located(block(1, 2), 101, List.of("one"))));
        placement.policy(nowMs, applied("policy: lru", "rules: [{path: /dim/*, place: pin, most: 8m}]"));
        beat(one);
        for (int i = 1; i <= 5; i++) {
            one.reads(block(i, i == 3 || i == 4 ? 11 : 2), 1);
        }
        beat(one);
        assertThat(names.lengthsAsked).containsExactlyInAnyOrder(101L, 102L);
        nowMs += RuleEvaluator.VALID_MS;
        one.reads(block(1, 2), 1);
        one.reads(block(5, 2), 1);
        beat(one);
        assertThat(names.lengthsAsked).as("it is pinned").hasSize(2);
        // What has taken all of its rule's room leaves none to ask for.
        names.lengths.put(101L, 8 * MB);
        names.files.remove(101L); // Its blocks are not looked at before the next round.
        placement.policy(nowMs, applied("policy: lru", "rules: [{path: /dim/*, place: pin, most: 8m}]", "smallest: 1"));
        nowMs += RuleEvaluator.VALID_MS;
        one.reads(block(1, 2), 1);
        beat(one);
        names.lengthsAsked.clear();
        one.reads(block(3, 11), 1);
        beat(one);
        assertThat(names.lengthsAsked).isEmpty();
    }

    @Test
    void size_outOfBounds_isNotPromoted() {
        placement.policy(nowMs, applied("policy: idecider", "smallest: 2m"));
        one.reads(block(1, 1), 5);
        one.reads(block(2, 2), 5);
        beat(one);
        beat(one);
        assertThat(one.memory.keySet()).containsExactly(2L);
    }
}
