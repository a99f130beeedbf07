package io.terrace.policy.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.HashCommon;
import org.junit.jupiter.api.Test;

class ShadowTransfersTest {

    private final ObjectRecords records = new ObjectRecords(100);
    private final ShadowTransfers shadowTransfers = new ShadowTransfers(records);
    private final int one = records.add(1, HashCommon.murmurHash3(1L));
    private final int two = records.add(2, HashCommon.murmurHash3(2L));

    @Test
    void arrive_dueOnes_haveArrived() {
        shadowTransfers.add(one, 0, 100);
        shadowTransfers.add(one, 6, 150);
        shadowTransfers.add(two, 0, 200);
        shadowTransfers.arrive(150);
        assertThat(records.travelsAtAll(one)).isFalse();
        assertThat(records.travels(two, 0)).isTrue();
        assertThat(records.travels(two, 1)).isFalse();
    }

    @Test
    void add_onItsWayAgain_arrivesWithTheLaterMove() {
        shadowTransfers.add(one, 3, 100);
        shadowTransfers.add(one, 3, 180);
        shadowTransfers.arrive(100);
        assertThat(records.travels(one, 3)).isTrue();
        shadowTransfers.arrive(180);
        assertThat(records.travels(one, 3)).isFalse();
    }

    @Test
    void cancelAll_slotGivenToAnother_isNotTakenForIt() {
        shadowTransfers.add(one, 2, 100);
        shadowTransfers.cancelAll(one);
        assertThat(records.travelsAtAll(one)).isFalse();
        shadowTransfers.add(one, 2, 300);
        shadowTransfers.arrive(100);
        assertThat(records.travels(one, 2)).isTrue();
    }

    @Test
    void moreThanThereWasRoomFor_arriveInTheirOrder() {
        int[] slots = new int[60];
        for (int i = 0; i < slots.length; i++) {
            slots[i] = records.add(100 + i, HashCommon.murmurHash3(100L + i));
        }
        shadowTransfers.add(one, 0, 1);
        shadowTransfers.add(two, 0, 2);
        shadowTransfers.arrive(1);
        for (int i = 0; i < slots.length; i++) {
            shadowTransfers.add(slots[i], i % 3, 10 + i);
        }
        shadowTransfers.arrive(40);
        assertThat(records.travels(two, 0)).isFalse();
        for (int i = 0; i < slots.length; i++) {
            assertThat(records.travels(slots[i], i % 3)).as("transfer " + i).isEqualTo(10 + i > 40);
        }
    }
}
