package io.terrace.placement.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import org.junit.jupiter.api.Test;

class PlaceTest {

    private static final Place REST = new Place("node", StorageTier.DISK);

    @Test
    void atRest_isEqualToOthersOfThatTier_andMayMove() {
        assertThat(REST).isEqualTo(new Place("node", StorageTier.SSD).in(StorageTier.DISK));
        assertThat(REST.isAtRest()).isTrue();
        assertThat(REST.mayMove(0)).isTrue();
    }

    @Test
    void movedByUs_isUnsureUntilConfirmed() {
        Place moved = REST.unsureUntil(10);
        assertThat(moved.isAtRest()).isFalse();
        assertThat(moved.mayMove(9)).isFalse();
        assertThat(moved.mayMove(10)).isTrue();
        assertThat(moved.confirmed(5)).isEqualTo(REST);
    }

    @Test
    void movedByOthers_isLeftAlone_confirmedOrNot() {
        Place moved = REST.leftAlone(100, "moved").unsureUntil(10);
        assertThat(moved.confirmed(5).isUnsure(5)).isFalse();
        assertThat(moved.confirmed(5).mayMove(99)).isFalse();
        assertThat(moved.confirmed(5).movedBy()).isEqualTo("moved");
        assertThat(moved.confirmed(100)).isEqualTo(REST);
    }

    @Test
    void moving_isNotAtRest_andLeavesTheRest() {
        Place moving = REST.leftAlone(100, "moved").moving(StorageTier.SSD);
        assertThat(moving.isAtRest()).isFalse();
        assertThat(moving.tier()).isEqualTo(StorageTier.DISK);
        assertThat(moving.moving(null).leftAloneUntilMs()).isEqualTo(100);
        assertThat(REST.moving(StorageTier.SSD).moving(null)).isEqualTo(REST);
    }
}
