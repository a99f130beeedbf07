package io.terrace.datanode.hdfs.volume;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

class MovesInProgressTest {

    private final MovesInProgress moves = new MovesInProgress();

    private MovesInProgress.Move begin() {
        return requireNonNull(moves.begin("pool", 1));
    }

    @Test
    void begin_ofABlockThatIsMoved_isRefused_untilThatEnds() throws IOException {
        try (MovesInProgress.Move first = begin()) {
            assertThat(moves.isMoving("pool", 1)).isTrue();
            assertThat(moves.begin("pool", 1)).isNull();
            begin2();
            assertThat(first.veto()).isNull();
        }
        assertThat(moves.isMoving("pool", 1)).isFalse();
        begin().close();
        try (MovesInProgress.Move stock = moves.beginStock("pool", 1)) {
            assertThat(moves.begin("pool", 1)).isNull();
            assertThatThrownBy(() -> moves.beginStock("pool", 1)).hasMessageContaining("being moved");
            moves.veto("pool", 1, "deleted");
            assertThat(stock.veto()).isNull();
        }
    }

    private void begin2() {
        requireNonNull(moves.begin("pool", 2)).close();
        requireNonNull(moves.begin("other", 1)).close();
    }

    @Test
    void veto_reachesTheMoveOfThatBlockAlone() {
        try (MovesInProgress.Move move = begin()) {
            moves.veto("pool", 2, "deleted");
            moves.veto("other", 1, "deleted");
            assertThat(move.veto()).isNull();
            moves.veto("pool", 1, "deleted");
            assertThat(move.veto()).isEqualTo("deleted");
        }
        try (MovesInProgress.Move next = begin()) {
            assertThat(next.veto()).isNull();
        }
    }

    @Test
    void beginStock_makesOursEnd_andWaitsForIt() throws Exception {
        MovesInProgress.Move ours = begin();
        CompletableFuture<MovesInProgress.Move> stock = CompletableFuture.supplyAsync(() -> {
            try {
                return moves.beginStock("pool", 1);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        while (ours.veto() == null) {
            Thread.onSpinWait();
        }
        assertThat(stock).isNotDone();
        ours.close();
        stock.get(10, TimeUnit.SECONDS).close();
        assertThat(moves.isMoving("pool", 1)).isFalse();
    }

    @Test
    void barrier_waitsForThoseWhoOpenTheBlock_notForOthers() throws Exception {
        OpenBarrier barrier = new OpenBarrier();
        Lock opening = barrier.opening(7);
        opening.lock();
        CompletableFuture<Boolean> passed = CompletableFuture.supplyAsync(() -> await(barrier, 8));
        assertThat(passed.get(10, TimeUnit.SECONDS)).isTrue();
        passed = CompletableFuture.supplyAsync(() -> await(barrier, 7));
        assertThat(CompletableFuture.supplyAsync(() -> {
                            try {
                                return barrier.await(7, 1);
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        })
                        .get(10, TimeUnit.SECONDS))
                .isFalse();
        assertThat(passed).isNotDone();
        opening.unlock();
        assertThat(passed.get(10, TimeUnit.SECONDS)).isTrue();
    }

    private static boolean await(OpenBarrier barrier, long blockId) {
        try {
            return barrier.await(blockId, 60_000);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
