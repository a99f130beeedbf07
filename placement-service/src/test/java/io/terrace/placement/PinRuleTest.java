package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.Metric;
import io.terrace.placement.move.PinnedBlocks;
import io.terrace.placement.policy.RuleEvaluator;
import io.terrace.placement.state.NamespaceView.Located;
import io.terrace.placement.state.OperatorState;
import io.terrace.protocol.StampedBlock;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A rule's bound of what it pins, while files grow. */
class PinRuleTest extends SteppedLoop {

    private void name(long inode, StampedBlock block) {
        name(block, inode, "/dim/" + inode);
    }

    /** Lets a file have these blocks, and the loop look at it. */
    private void grow(long inode, StampedBlock... blocks) {
        long bytes = Stream.of(blocks).mapToLong(StampedBlock::lengthBytes).sum();
        names.lengths.put(inode, bytes);
        names.files.put(
                inode,
                Stream.of(blocks)
                        .map(block -> new Located(block, inode, List.of("one")))
                        .toList());
        nowMs += PinnedBlocks.REFRESH_MS;
        beat(one);
        beat(one);
    }

    private long pinnedBytes() {
        return placement.reports().nodes(nowMs).get(0).pinnedBytes();
    }

    @Test
    void rule_pin_ofFilesThatGrow_keepsItsBound() {
        name(101, block(1, 2));
        name(102, block(2, 1));
        placement.policy(nowMs, applied("policy: lru", "rules: [{path: /dim/*, place: pin, most: 4m}]"));
        beat(one);
        one.reads(block(1, 2), 1).reads(block(2, 1), 1);
        names.files.put(102L, List.of(new Located(block(2, 1), 102, List.of("one"))));
        beat(one);
        grow(101, block(1, 2));
        assertThat(pinnedBytes()).isEqualTo(3 * MB);

        grow(101, block(1, 2), block(3, 1));
        assertThat(pinnedBytes()).as("as much as it may").isEqualTo(4 * MB);

        long refused = metricRegistry.value(Metric.PLACEMENT_RULES_PINS_REFUSED);
        grow(101, block(1, 2), block(3, 1), block(4, 1));
        assertThat(pinnedBytes()).as("the file that was pinned last is let go").isEqualTo(4 * MB);
        assertThat(placement.reports().block(nowMs, 2, 0).pinned()).isFalse();
        assertThat(placement.reports().block(nowMs, 4, 0).pinned()).isTrue();
        assertThat(metricRegistry.value(Metric.PLACEMENT_RULES_PINS_REFUSED)).isEqualTo(refused + 1);

        grow(101, block(1, 2), block(3, 1), block(4, 2));
        assertThat(pinnedBytes()).as("no file alone exceeds the bound").isZero();

        nowMs += RuleEvaluator.VALID_MS;
        one.reads(block(2, 1), 1);
        beat(one);
        grow(101, block(1, 2), block(3, 1), block(4, 2));
        assertThat(pinnedBytes()).as("there is room again").isEqualTo(MB);
    }

    @Test
    void rule_pin_ofAFileThatGrows_leavesAnOperatorsPinAlone() {
        name(101, block(1, 2));
        placement.policy(nowMs, applied("policy: lru", "rules: [{path: /dim/*, place: pin, most: 2m}]"));
        placement.operatorState(OperatorState.initial().withPin(101, true));
        one.reads(block(1, 2), 1);
        beat(one);
        grow(101, block(1, 2), block(3, 2));
        assertThat(pinnedBytes()).isEqualTo(4 * MB);
    }

    @Test
    void rule_pin_ofADeletedFile_isDropped_whereMoreIsPinnedThanIsLookedAfter() {
        name(101, block(1, 1));
        name(102, block(2, 1));
        name(103, block(3, 1));
        placement.policy(nowMs, applied("policy: lru", "rules: [{path: /dim/*, place: pin, most: 3m}]"));
        beat(one);
        List<Located> many = LongStream.range(1_000, 1_000 + PinnedBlocks.MOST_BLOCKS)
                .mapToObj(id -> new Located(new StampedBlock(id, 1, 10), 101, List.of("two")))
                .toList();
        names.files.put(101L, many);
        names.files.put(102L, List.of(new Located(block(2, 1), 102, List.of("one"))));
        names.files.put(103L, List.of(new Located(block(3, 1), 103, List.of("one"))));
        for (int id = 1; id <= 3; id++) {
            one.reads(block(id, 1), 1);
            beat(one);
        }
        assertThat(placement.reports().rulePins()).hasSize(3);
        names.files.remove(102L);
        names.lengths.remove(102L);
        nowMs += PinnedBlocks.REFRESH_MS;
        for (int turn = 0; turn < 3 * PinnedBlocks.MOST_BLOCKS / names.lockBlocks(); turn++) {
            beat(one);
        }
        assertThat(placement.reports().rulePins()).containsOnlyKeys(101L, 103L);
    }
}
