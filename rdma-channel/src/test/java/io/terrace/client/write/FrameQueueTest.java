package io.terrace.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.List;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class FrameQueueTest {
    private final FramePool pool = new FramePool(4 << 20, () -> {});
    private final FrameQueue queue = new FrameQueue(pool, true, () -> {});

    /** The file may stay open for long after stock's stream took them, and their memory may be freed. */
    @Test
    @Timeout(60)
    void leftToStock_framesThatWereTaken_areNotKept() throws InterruptedException {
        DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, 512);
        FrameFiller filler = new FrameFiller(pool, queue, ChunkSummer.of(checksum), 1 << 20, false);
        filler.write(new byte[1_000], 0, 1_000);
        filler.flush(false);
        queue.leaveToStock();
        List<WeakReference<DataFrame>> frames =
                queue.takeUnsent().stream().map(WeakReference::new).toList();
        assertThat(frames).hasSize(1);
        while (!frames.get(0).refersTo(null)) {
            System.gc();
            Thread.sleep(10);
        }
        assertThat(queue.isLeftToStock()).isTrue();
        assertThat(queue.awaitAcked(queue.lastQueued(), 0)).isEqualTo(FrameQueue.Wait.NOT_SENT);
    }
}
