package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.placement.policy.RuleEvaluator;
import io.terrace.placement.policyfile.PathAnnotations;
import io.terrace.protocol.StampedBlock;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Annotations of files, heeded in memory and between volumes. */
class AnnotatedPlacementTest extends TieredCluster {

    private static final StampedBlock BLOCK = block(1, 4);

    @BeforeEach
    void place() {
        place(BLOCK, "/a/file", StorageTier.DISK, one);
    }

    private void annotate(StampedBlock block, String... attributes) {
        Map<String, byte[]> all = new HashMap<>();
        for (String attribute : attributes) {
            int equals = attribute.indexOf('=');
            all.put(
                    attribute.substring(0, equals),
                    attribute.substring(equals + 1).getBytes(StandardCharsets.UTF_8));
        }
        names.annotations.put(block.id(), PathAnnotations.of(all));
    }

    @Test
    void trustedTiers_moveAReplica_thoughNoRuleGivesTiers() {
        rules("- path: /**", "  annotations: []");
        annotate(BLOCK, "trusted.terrace.tiers=ssd..disk");
        read(one, BLOCK, 9);
        assertThat(ordered(one)).containsExactly("1 DISK SSD");
        assertThat(lastMove().reason()).startsWith("rule 1 of the policy with an annotation keeps it in ssd..disk");
        assertThat(placement.reports().block(nowMs, 1, 1).range())
                .isEqualTo("rule 1 of the policy with an annotation keeps it in ssd..disk");
    }

    @Test
    void withoutAnyRule_nothingIsLookedUpForIt() {
        annotate(BLOCK, "trusted.terrace.tiers=ssd..disk");
        read(one, BLOCK, 9);
        waits(10_000);
        assertThat(ordered(one)).isEmpty();
        assertThat(names.pathLooks).as("for readers of its file").isEqualTo(1);
        assertThat(names.placeLooks).isZero();
    }

    @Test
    void changed_isHeededWithinSeconds_whereItWasNoticed() {
        rules("- path: /**", "  place: allow", "  annotations: []");
        read(one, BLOCK, 9);
        waits(5_000);
        assertThat(ordered(one)).isEmpty();
        int looksBefore = names.placeLooks;
        annotate(BLOCK, "trusted.terrace.tiers=ssd..disk");
        waits(5_000);
        assertThat(ordered(one)).as("nobody has noticed, and nobody reads").isEmpty();
        assertThat(names.placeLooks).isEqualTo(looksBefore);
        names.annotationsVersion++;
        waits(5_000);
        assertThat(ordered(one)).containsExactly("1 DISK SSD");
    }

    @Test
    void changed_isHeededWithinAMinute_whereItWasNotNoticed() {
        rules("- path: /**", "  annotations: []");
        read(one, BLOCK, 9);
        annotate(BLOCK, "trusted.terrace.tiers=ssd..disk");
        for (int i = 0; i < 12; i++) {
            one.reads(BLOCK, 1);
            waits(5_500);
        }
        assertThat(ordered(one)).containsExactly("1 DISK SSD");
    }

    @Test
    void removed_leavesTheReplicaWhereItIs_orBringsItWhereTheRuleWantsIt() {
        rules("- path: /free/**", "  place: allow", "  annotations: []", "- path: /a/**", "  tiers: disk");
        StampedBlock free = block(2, 4);
        place(free, "/free/file", StorageTier.DISK, one);
        annotate(BLOCK, "trusted.terrace.tiers=ssd");
        annotate(free, "trusted.terrace.tiers=ssd");
        one.reads(free, 1);
        read(one, BLOCK, 1);
        assertThat(ordered(one)).containsExactlyInAnyOrder("1 DISK SSD", "2 DISK SSD");
        one.orders.clear();
        names.annotations.clear();
        names.annotationsVersion++;
        waits(5_000);
        assertThat(ordered(one)).containsExactly("1 SSD DISK");
        assertThat(placement.reports().block(nowMs, 2, 1).range()).isNull();
        assertThat(tier(free, one)).isEqualTo(StorageTier.SSD);
    }

    @Test
    void never_byAUser_takesTheCopyOutAndKeepsItOut() {
        rules("- path: /**", "  place: prefer");
        warm(one, BLOCK);
        annotate(BLOCK, "user.terrace.place=never");
        names.annotationsVersion++;
        waits(3_000);
        assertThat(one.memory).isEmpty();
        assertThat(placement.reports().block(nowMs, 1, 1).excluded())
                .isEqualTo("rule 1 of the policy with an annotation keeps it out of memory");
        read(one, BLOCK, 9);
        assertThat(one.memory).isEmpty();
        names.annotations.clear();
        names.annotationsVersion++;
        waits(2_000);
        read(one, BLOCK, 9);
        assertThat(one.memory).containsKey(1L);
    }

    @Test
    void ignored_isCounted_andNothingElseHappens() {
        rules("- path: /**", "  place: allow", "  smallest: 1k");
        annotate(BLOCK, "user.terrace.tiers=nvm", "user.terrace.plase=pin", "trusted.terrace.pool=nosuch");
        read(one, BLOCK, 9);
        assertThat(ordered(one)).isEmpty();
        assertThat(one.memory).containsKey(1L);
        assertThat(metricRegistry.value(Metric.PLACEMENT_ANNOTATIONS_IGNORED)).isPositive();
    }

    @Test
    void pinned_byTheSuperuser_oneBoundForAllAnnotationsOfARule() {
        rules("- path: /a/**", "  place: pin", "  most: 6m");
        StampedBlock other = block(2, 4);
        place(other, "/a/other", StorageTier.DISK, one);
        annotate(BLOCK, "user.terrace.place=pin");
        annotate(other, "trusted.terrace.place=pin", "trusted.terrace.tiers=disk");
        one.reads(other, 1);
        read(one, BLOCK, 1);
        assertThat(metricRegistry.value(Metric.PLACEMENT_RULES_PINS_REFUSED))
                .as("two files of 4 MB where 6 MB may be pinned")
                .isPositive();
    }

    @Test
    void keep_isTheTimeAfterWhichAReplicaGoesDown() {
        rules("- path: /a/**", "  tiers: ssd..disk", "  keep: 10m");
        read(one, BLOCK, 4);
        assertThat(ordered(one)).containsExactly("1 DISK SSD");
        one.orders.clear();
        waits(9 * RuleEvaluator.VALID_MS);
        assertThat(ordered(one)).isEmpty();
        annotate(BLOCK, "user.terrace.keep=5m");
        waits(RuleEvaluator.VALID_MS + 5_000);
        assertThat(ordered(one)).containsExactly("1 SSD DISK");
    }
}
