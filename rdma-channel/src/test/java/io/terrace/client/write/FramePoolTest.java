package io.terrace.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

final class FramePoolTest {
    private static final int LARGE = 1_040 << 10;
    private static final int SMALL = 65 << 10;

    @Test
    void take_beyondTheLimit_lendsTheSmallestToAFileThatHoldsNothing() {
        FramePool pool = new FramePool(LARGE, () -> {});
        assertThat(pool.take(FramePool.LARGEST, () -> 0).capacity()).isEqualTo(LARGE);
        assertThat(pool.take(FramePool.LARGEST, () -> 0).capacity()).isEqualTo(SMALL);
        assertThat(pool.lentBytes()).isEqualTo(LARGE + SMALL);
    }

    @Test
    void take_beyondTheLimit_waitsForWhatIsGivenBack() throws Exception {
        FramePool pool = new FramePool(LARGE, () -> {});
        ByteBuffer first = pool.take(FramePool.LARGEST, () -> 0);
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
        ByteBuffer unused = pool.take(FramePool.LARGEST, () -> 0);
        Thread.currentThread().interrupt();
        ByteBuffer more = pool.take(FramePool.LARGEST, () -> LARGE);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(more.capacity()).isEqualTo(SMALL);
    }

    @Test
    void give_beyondWhatIsKept_isLeftToTheGarbageCollector() {
        FramePool pool = new FramePool(1L << 30, () -> {});
        List<ByteBuffer> taken = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            taken.add(pool.take(FramePool.LARGEST, () -> 0));
        }
        taken.forEach(pool::give);
        assertThat(pool.lentBytes()).isZero();
        assertThat(pool.freeBytes()).isLessThanOrEqualTo(16L << 20).isGreaterThan(14L << 20);
    }
}
