package io.terrace.datanode.move;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class VolumeMoveQueueTest {

    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final VerifiedCopy copier = new VerifiedCopy(TokenBucket.ofSystem(0));
    private final List<MoveResult> results = new ArrayList<>();
    private boolean wanted = true;

    private VolumeMoveQueue queue(VolumeMoveQueue.Mover mover) {
        return new VolumeMoveQueue(mover, 2, metricRegistry);
    }

    private VolumeMoveQueue.Order order(long blockId) {
        return new VolumeMoveQueue.Order(
                new BlockVersion(new BlockKey("pool", blockId, 1), 100), StorageTier.SSD, () -> wanted, results::add);
    }

    private static VolumeMoveQueue.Mover answering(MoveResult result) {
        return (block, to, copier, stillWanted) -> result;
    }

    @Test
    void orders_areCarriedOutInTurn_andCounted() {
        VolumeMoveQueue queue =
                queue(answering(new MoveResult(MoveOutcome.DONE, 100, 5_000_000, "").in(StorageTier.SSD)));
        queue.submit(order(1));
        queue.submit(order(2));
        assertThat(results).isEmpty();
        assertThat(queue.step(copier)).isTrue();
        assertThat(queue.step(copier)).isTrue();
        assertThat(queue.step(copier)).isFalse();
        assertThat(results).hasSize(2).allMatch(result -> result.tier() == StorageTier.SSD);
        assertThat(metricRegistry.value(Metric.VOLUME_MOVED)).isEqualTo(2);
        assertThat(metricRegistry.value(Metric.VOLUME_MOVED_BYTES)).isEqualTo(200);
        assertThat(metricRegistry.value(Metric.VOLUME_MOVED_MS)).isEqualTo(10);
    }

    @Test
    void order_thatIsDoneAlready_isNotCountedAsAMove() {
        VolumeMoveQueue queue = queue(answering(MoveResult.of(MoveOutcome.DONE, "already on ssd")));
        queue.submit(order(1));
        queue.step(copier);
        assertThat(metricRegistry.value(Metric.VOLUME_MOVED)).isZero();
        assertThat(metricRegistry.value(Metric.VOLUME_MOVES_FAILED)).isZero();
    }

    @Test
    void order_beyondTheQueue_isRefusedAtOnce() {
        VolumeMoveQueue queue = queue(answering(MoveResult.of(MoveOutcome.DONE, "")));
        for (int i = 0; i < 3; i++) {
            queue.submit(order(i));
        }
        assertThat(results).singleElement().matches(result -> result.outcome() == MoveOutcome.REFUSED);
    }

    @Test
    void order_noLongerWanted_isNotBegun() {
        VolumeMoveQueue queue = queue((block, to, with, stillWanted) -> {
            throw new AssertionError("begun");
        });
        queue.submit(order(1));
        wanted = false;
        queue.step(copier);
        assertThat(results).singleElement().matches(result -> result.outcome() == MoveOutcome.REFUSED);
        assertThat(metricRegistry.value(Metric.VOLUME_MOVES_FAILED)).isEqualTo(1);
    }

    @Test
    void moverThatThrows_isAnswered() {
        VolumeMoveQueue failing = queue((block, to, with, stillWanted) -> {
            throw new IllegalStateException("broken");
        });
        failing.submit(order(1));
        failing.step(copier);
        VolumeMoveQueue dying = queue((block, to, with, stillWanted) -> {
            throw new OutOfMemoryError();
        });
        dying.submit(order(1));
        assertThatThrownBy(() -> dying.step(copier)).isInstanceOf(OutOfMemoryError.class);
        assertThat(results).hasSize(2).allMatch(result -> result.outcome() == MoveOutcome.FAILED);
    }

    @Test
    void stop_endsTheMoveUnderWay_andRefusesLaterOnes() throws Exception {
        CompletableFuture<BooleanSupplier> begun = new CompletableFuture<>();
        CompletableFuture<MoveResult> ended = new CompletableFuture<>();
        VolumeMoveQueue.Mover mover = (block, to, with, stillWanted) -> {
            begun.complete(stillWanted);
            while (stillWanted.getAsBoolean()) {
                Thread.onSpinWait();
            }
            return MoveResult.of(MoveOutcome.REFUSED, "no longer wanted");
        };
        try (VolumeMoveQueue queue =
                new VolumeMoveQueue(mover, 1, 2, TokenBucket.ofSystem(0), "test", metricRegistry)) {
            queue.submit(new VolumeMoveQueue.Order(order(1).block(), StorageTier.SSD, () -> true, ended::complete));
            assertThat(begun.get(20, TimeUnit.SECONDS).getAsBoolean()).isTrue();
            queue.stop();
            assertThat(ended.get(20, TimeUnit.SECONDS).outcome()).isEqualTo(MoveOutcome.REFUSED);
            queue.submit(order(2));
            assertThat(results).singleElement().matches(result -> result.message()
                    .equals("shutting down"));
        }
    }
}
