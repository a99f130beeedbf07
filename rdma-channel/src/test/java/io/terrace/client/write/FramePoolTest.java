package io.terrace.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class FramePoolTest {
    private static final int LARGE = 1_040 << 10;
    private static final int SMALL = 65 << 10;

    @Test
    void take_beyondTheLimit_lendsTheSmallestToAFileThatHoldsNothing() {
        FramePool pool = new FramePool(LARGE, () -> {});
        assertThat(filled(pool, FramePool.LARGEST).capacity()).isEqualTo(LARGE);
        assertThat(pool.take(FramePool.LARGEST, () -> 0).capacity()).isEqualTo(SMALL);
        assertThat(pool.lentBytes()).isEqualTo(LARGE + SMALL);
    }

    @Test
    void take_beyondTheLimit_waitsForWhatIsGivenBack() throws Exception {
        FramePool pool = new FramePool(LARGE, () -> {});
        ByteBuffer first = filled(pool, FramePool.LARGEST);
        FutureTask<ByteBuffer> second = new FutureTask<>(() -> pool.take(FramePool.LARGEST, () -> LARGE));
        Thread waiting = new Thread(second);
        waiting.start();
        while (waiting.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        pool.give(first);
        assertThat(second.get()).isSameAs(first);
        assertThat(pool.lentBytes()).isEqualTo(LARGE);
    }

    @Test
    void take_interrupted_lendsTheSmallestAndStaysInterrupted() {
        FramePool pool = new FramePool(LARGE, () -> {});
        ByteBuffer unused = filled(pool, FramePool.LARGEST);
        Thread.currentThread().interrupt();
        ByteBuffer more = pool.take(FramePool.LARGEST, () -> LARGE);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(more.capacity()).isEqualTo(SMALL);
    }

    private static List<ByteBuffer> take(FramePool pool, int count, int size) {
        List<ByteBuffer> taken = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            taken.add(filled(pool, size));
        }
        return taken;
    }

    /** Memory of a frame that is filled and on its way. */
    private static ByteBuffer filled(FramePool pool, int size) {
        ByteBuffer memory = pool.take(size, () -> 0);
        pool.filled(memory);
        return memory;
    }

    /** Files that were busy once and are idle, with a frame that is not full, leave most memory to others. */
    @Test
    void take_whereManyFramesAreNotFull_lendsTheSmallest() {
        FramePool pool = new FramePool(64L << 20, () -> {});
        List<ByteBuffer> idle = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            idle.add(pool.take(FramePool.LARGEST, () -> 0));
        }
        assertThat(pool.lentBytes()).isLessThanOrEqualTo((16L << 20) + LARGE + 100L * SMALL);
        assertThat(pool.take(FramePool.LARGEST, () -> SMALL).capacity()).isEqualTo(SMALL);
        idle.forEach(pool::filled);
        assertThat(pool.take(FramePool.LARGEST, () -> SMALL).capacity()).isEqualTo(LARGE);
    }

    /** In a container whose number of threads is limited. */
    @Test
    void give_whereNoThreadCanBeStarted_isKept() {
        AtomicInteger tries = new AtomicInteger();
        FramePool pool = new FramePool(1L << 30, () -> {}, work -> new Thread(work) {
            @Override
            public void start() {
                tries.incrementAndGet();
                throw new OutOfMemoryError("unable to create native thread");
            }
        });
        take(pool, 20, FramePool.LARGEST).forEach(pool::give);
        assertThat(pool.freeBytes()).isEqualTo(20L * LARGE);
        assertThat(tries).hasValue(1);
    }

    @Test
    void give_withinTheLimit_isKept_untilItWasFreeForLong() {
        FramePool pool = new FramePool(1L << 30, () -> {});
        take(pool, 20, FramePool.LARGEST).forEach(pool::give);
        assertThat(pool.lentBytes()).isZero();
        assertThat(pool.freeBytes()).isEqualTo(20L * LARGE);
        // All but one are used meanwhile.
        take(pool, 19, FramePool.LARGEST).forEach(pool::give);
        assertThat(pool.trim()).isTrue();
        assertThat(pool.freeBytes()).isEqualTo(19L * LARGE);
        assertThat(pool.trim()).isFalse();
        assertThat(pool.freeBytes()).isLessThanOrEqualTo(16L << 20).isGreaterThan(14L << 20);
    }

    /** Each round takes as much as the limit, in another size; no collection need come for it. */
    @Test
    void memory_ofAllSizes_isWithinTheLimit_whateverIsCollected() {
        long limitBytes = 64L << 20;
        FramePool pool = new FramePool(limitBytes, () -> {});
        long before = direct();
        for (int round = 0; round < 30; round++) {
            int size = round % 3;
            int bytes = new int[] {SMALL, 260 << 10, LARGE}[size];
            List<ByteBuffer> taken = take(pool, (int) (limitBytes / bytes), size);
            assertThat(pool.lentBytes() + pool.freeBytes()).isLessThanOrEqualTo(limitBytes);
            assertThat(direct() - before).isLessThanOrEqualTo(limitBytes + (8L << 20));
            taken.forEach(pool::give);
        }
    }

    /** Direct memory of this process; other tests may hold some. */
    private static long direct() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getTotalCapacity)
                .sum();
    }
}
