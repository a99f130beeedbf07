package io.terrace.policy.adaptive;

import static org.assertj.core.api.Assertions.assertThat;

import it.unimi.dsi.fastutil.HashCommon;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ObjectRecordsTest {

    @Test
    void addFindRemove_random_agreesWithAMap() {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        ObjectRecords records = new ObjectRecords(10_000);
        Map<Long, Integer> model = new HashMap<>();
        for (int i = 0; i < 200_000; i++) {
            long id = random.nextInt(3000) * 1_000_003L;
            int slot = records.find(id, HashCommon.murmurHash3(id));
            assertThat(slot).isEqualTo(model.getOrDefault(id, ObjectRecords.NONE));
            if (slot == ObjectRecords.NONE) {
                int added = records.add(id, HashCommon.murmurHash3(id));
                records.size(added, id);
                records.reads(added, 3);
                model.put(id, added);
            } else {
                assertThat(records.sizeBytes(slot)).isEqualTo(id);
                assertThat(records.reads(slot)).isEqualTo(3);
                if (random.nextBoolean()) {
                    records.remove(slot);
                    model.remove(id);
                }
            }
            assertThat(records.count()).isEqualTo(model.size());
        }
    }

    @Test
    void fields_setTogether_doNotDisturbEachOther() {
        ObjectRecords records = new ObjectRecords(10_000);
        int slot = records.add(42, HashCommon.murmurHash3(42L));
        records.size(slot, (1L << 47) + 5);
        records.reads(slot, 1 << 20);
        records.readMs(slot, 123_456_789_012L);
        records.enter(slot, 128);
        records.list(slot, 1);
        records.classAndJob(slot, 138, 65_535);
        records.gapAndWeight(slot, 3.5f, -0.25f);
        records.heats(slot, -1.5f, 2.5f);
        records.leave(slot, 2);
        assertThat(records.sizeBytes(slot)).isEqualTo((1L << 47) + 5);
        assertThat(records.reads(slot)).isEqualTo(ObjectRecords.MOST_READS);
        assertThat(records.readMs(slot)).isEqualTo(123_456_789_012L);
        assertThat(records.resident(slot, 128)).isTrue();
        assertThat(records.resident(slot, 2)).isFalse();
        assertThat(records.listed(slot, 1)).isTrue();
        assertThat(records.listed(slot, 128)).isFalse();
        assertThat(records.returnClass(slot)).isEqualTo(138);
        assertThat(records.job(slot)).isEqualTo(65_535);
        assertThat(records.gapLog(slot)).isEqualTo(3.5f);
        assertThat(records.weight(slot)).isEqualTo(-0.25f);
        assertThat(records.fastHeat(slot)).isEqualTo(-1.5f);
        assertThat(records.slowHeat(slot)).isEqualTo(2.5f);
    }
}
