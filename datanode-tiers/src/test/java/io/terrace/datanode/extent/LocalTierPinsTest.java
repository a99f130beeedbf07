package io.terrace.datanode.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.BlockKey;
import io.terrace.datanode.extent.LocalTier.Admission;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Copies that cache directives ask for. */
class LocalTierPinsTest {

    private static final String POOL = TierFixture.POOL;

    private final TierFixture fixture = new TierFixture();
    private final LocalTier tier = fixture.tier;
    private final List<Boolean> pins = fixture.pins;
    private final Map<BlockKey, RetireCause> gone = fixture.gone;

    private static BlockKey key(long id) {
        return TierFixture.key(id);
    }

    @Test
    void pin_whenFull_takesTheRoomOfWhatWasNotReadForLongest() {
        fixture.live(1, 400, 0);
        fixture.live(2, 400, 1);
        fixture.live(3, 200, 2);
        tier.giveBack(tier.lend(key(1), false, 9), 9);
        assertThat(tier.begin(key(4), 300, true, 10).admission()).isEqualTo(Admission.ROOM_SOON);
        assertThat(gone).containsExactly(Map.entry(key(2), RetireCause.MADE_ROOM));
        tier.sweep(11);
        Extent pinned = tier.begin(key(4), 300, true, 11).extent();
        tier.publish(pinned, 12);
        assertThat(tier.pinnedBlocks(POOL)).containsExactly(4L);
        assertThat(tier.drop(key(4), RetireCause.ORDERED, 13)).isNull();
        assertThat(tier.usage().pinnedBytes()).isEqualTo(300);
        tier.unpin(POOL, 4, 14);
        assertThat(tier.isResident(key(4))).isFalse();
        assertThat(tier.usage().pinnedBytes()).isZero();
    }

    @Test
    void pin_forWhichAllUnpinnedCopiesWouldNotDo_retiresNone() {
        assertThat(tier.publish(tier.begin(key(1), 800, true, 0).extent(), 0)).isTrue();
        fixture.live(2, 200, 0);
        assertThat(tier.begin(key(3), 300, true, 1).admission()).isEqualTo(Admission.NO_ROOM);
        assertThat(gone).isEmpty();
        assertThat(tier.isResident(key(2))).isTrue();
        assertThat(tier.begin(key(4), 200, true, 2).admission()).isEqualTo(Admission.ROOM_SOON);
        assertThat(gone).containsExactly(Map.entry(key(2), RetireCause.MADE_ROOM));
    }

    @Test
    void pin_atTheLimitOfExtents_takesThePlaceOfOne() {
        LocalTier small = fixture.tier(1_000, 2);
        for (long id = 1; id <= 2; id++) {
            assertThat(small.publish(small.begin(key(id), 100, false, id).extent(), id))
                    .isTrue();
        }
        assertThat(small.begin(key(3), 100, true, 3).admission()).isEqualTo(Admission.ROOM_SOON);
        assertThat(gone).containsExactly(Map.entry(key(1), RetireCause.MADE_ROOM));
        small.sweep(4);
        assertThat(small.publish(small.begin(key(3), 100, true, 4).extent(), 4)).isTrue();
        assertThat(small.begin(key(4), 100, true, 5).admission()).isEqualTo(Admission.ROOM_SOON);
        small.sweep(6);
        assertThat(small.publish(small.begin(key(4), 100, true, 6).extent(), 6)).isTrue();
        assertThat(small.begin(key(5), 100, true, 7).admission()).isEqualTo(Admission.NO_ROOM);
        assertThat(small.pinnedBlocks(POOL)).containsExactlyInAnyOrder(3L, 4L);
    }

    @Test
    void unpin_ofCopyThatWasAlsoOrdered_leavesIt() {
        fixture.live(1, 400, 0);
        assertThat(tier.begin(key(1), 400, true, 1).admission()).isEqualTo(Admission.RESIDENT);
        assertThat(tier.isPinned(key(1))).isTrue();
        tier.unpin(POOL, 1, 2);
        assertThat(tier.isResident(key(1))).isTrue();
    }

    @Test
    void pins_ofLiveCopies_areToldOnceAsTheyBeginAndEnd() {
        Extent born = tier.begin(key(1), 100, true, 0).extent();
        assertThat(pins).as("not yet live").isEmpty();
        tier.publish(born, 0);
        fixture.live(2, 100, 0);
        assertThat(pins).containsExactly(true);
        assertThat(tier.begin(key(2), 100, true, 1).admission()).isEqualTo(Admission.RESIDENT);
        assertThat(tier.begin(key(2), 100, true, 1).admission()).isEqualTo(Admission.RESIDENT);
        assertThat(pins).containsExactly(true, true);
        tier.unpin(POOL, 2, 2);
        tier.unpin(POOL, 2, 2);
        assertThat(pins).as("ordered too, so it stays, but is not pinned").containsExactly(true, true, false);
        tier.changed(POOL, 1, 3);
        tier.changed(POOL, 2, 3);
        assertThat(pins).containsExactly(true, true, false, false);
        Extent changed = tier.begin(key(3), 100, true, 4).extent();
        tier.changed(POOL, 3, 4);
        assertThat(tier.publish(changed, 5)).isFalse();
        assertThat(pins).as("never live").hasSize(4);
    }
}
