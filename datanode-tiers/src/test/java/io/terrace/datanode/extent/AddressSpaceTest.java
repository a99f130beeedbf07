package io.terrace.datanode.extent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class AddressSpaceTest {

    private static final long BASE = 1 << 20;
    private static final int PAGE = AddressSpace.PAGE_BYTES;

    @Test
    void allocate_whenFull_answersNoAddressUntilFreedAddressesHaveRested() {
        AddressSpace addressSpace = new AddressSpace(BASE, 4 * PAGE, 100);
        long first = addressSpace.allocate(2 * PAGE, 0);
        long second = addressSpace.allocate(PAGE + 1, 0);
        assertThat(first).isEqualTo(BASE);
        assertThat(second).isEqualTo(BASE + 2 * PAGE);
        assertThat(addressSpace.allocate(1, 0)).isEqualTo(AddressSpace.NO_ADDRESS);

        addressSpace.free(first, 2 * PAGE, 50);
        assertThat(addressSpace.allocate(1, 149)).isEqualTo(AddressSpace.NO_ADDRESS);
        assertThat(addressSpace.restingBytes()).isEqualTo(2 * PAGE);
        assertThat(addressSpace.allocate(1, 150)).isEqualTo(first);
        assertThat(addressSpace.restingBytes()).isZero();
    }

    @Test
    void free_ofNeighbours_joinsTheirHoles() {
        AddressSpace addressSpace = new AddressSpace(BASE, 8 * PAGE, 0);
        long a = addressSpace.allocate(2 * PAGE, 0);
        long b = addressSpace.allocate(4 * PAGE, 0);
        long c = addressSpace.allocate(2 * PAGE, 0);
        addressSpace.free(a, 2 * PAGE, 0);
        addressSpace.free(c, 2 * PAGE, 0);
        assertThat(addressSpace.allocate(4 * PAGE, 0)).isEqualTo(AddressSpace.NO_ADDRESS);
        addressSpace.free(b, 4 * PAGE, 0);
        assertThat(addressSpace.allocate(8 * PAGE, 0)).isEqualTo(BASE);
    }

    @Test
    void free_ofForeignOrFreeAddress_throws() {
        AddressSpace addressSpace = new AddressSpace(BASE, 8 * PAGE, 0);
        long address = addressSpace.allocate(PAGE, 0);
        assertThatThrownBy(() -> addressSpace.free(BASE - PAGE, PAGE, 0)).isInstanceOf(IllegalStateException.class);
        addressSpace.free(address, PAGE, 0);
        assertThatThrownBy(() -> addressSpace.free(address, PAGE, 0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void size_thatCannotBe_throws() {
        assertThatThrownBy(() -> new AddressSpace(0, PAGE, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new AddressSpace(BASE, PAGE + 1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new AddressSpace(BASE, 0, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anySequence_neverGivesOutAnAddressTwice() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        AddressSpace addressSpace = new AddressSpace(BASE, 256L * PAGE, 20);
        TreeMap<Long, Long> taken = new TreeMap<>();
        List<long[]> resting = new ArrayList<>();
        long allocated = 0;
        for (long now = 0; now < 20_000; now++) {
            long time = now;
            resting.removeIf(freed -> freed[2] + 20 <= time);
            if (random.nextBoolean() || taken.isEmpty()) {
                long length = 1 + random.nextInt(20 * PAGE);
                long pages = (length + PAGE - 1) / PAGE * PAGE;
                long address = addressSpace.allocate(length, now);
                if (address != AddressSpace.NO_ADDRESS) {
                    assertThat(overlaps(taken, resting, address, pages))
                            .as("seed %d", seed)
                            .isFalse();
                    taken.put(address, length);
                    allocated += pages;
                }
            } else {
                long address = new ArrayList<>(taken.keySet()).get(random.nextInt(taken.size()));
                long length = taken.remove(address);
                addressSpace.free(address, length, now);
                long pages = (length + PAGE - 1) / PAGE * PAGE;
                resting.add(new long[] {address, pages, now});
                allocated -= pages;
            }
            assertThat(addressSpace.allocatedBytes()).as("seed %d", seed).isEqualTo(allocated);
        }
    }

    private static boolean overlaps(TreeMap<Long, Long> taken, List<long[]> resting, long address, long length) {
        boolean inTaken = taken.entrySet().stream()
                .anyMatch(other -> address < other.getKey() + other.getValue() && other.getKey() < address + length);
        boolean inResting =
                resting.stream().anyMatch(other -> address < other[0] + other[1] && other[0] < address + length);
        return inTaken || inResting;
    }
}
