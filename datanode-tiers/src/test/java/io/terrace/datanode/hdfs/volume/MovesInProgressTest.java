package io.terrace.datanode.hdfs.volume;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
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
        int opening = barrier.enter(7);
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
        barrier.leave(opening);
        assertThat(passed.get(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void barrier_whereAnOpenHangs_letsOthersOfItsStripeOpen_andMovesKnow() throws Exception {
        OpenBarrier barrier = new OpenBarrier();
        int hanging = barrier.enter(7);
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> await(barrier, 7));
        for (int i = 0; i < 100; i++) {
            // In the time of the move that waits, whether it began before or not.
            CompletableFuture<String> opened = CompletableFuture.supplyAsync(() -> {
                try {
                    return barrier.open(7 + 64, () -> "open", () -> false);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(opened.get(10, TimeUnit.SECONDS)).isEqualTo("open");
            Thread.sleep(1);
        }
        assertThat(waiting).isNotDone();
        barrier.leave(hanging);
        assertThat(waiting.get(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void barrier_afterAWaitThatTimedOut_stillWaitsForWhoHangs() throws Exception {
        OpenBarrier barrier = new OpenBarrier();
        int hanging = barrier.enter(7);
        for (int i = 0; i < 4; i++) {
            assertThat(barrier.await(7, 1)).isFalse();
            barrier.leave(barrier.enter(7));
        }
        barrier.leave(hanging);
        assertThat(barrier.await(7, 10_000)).isTrue();
    }

    @Test
    void barrier_againstOpenersAllTheTime_missesNobodyWhoBeganBefore() throws Exception {
        OpenBarrier barrier = new OpenBarrier();
        assertThat(openedTooLate(barrier, () -> await(barrier, 7))).isZero();
    }

    /** Shows that the test above can fail. */
    @Test
    void withoutAWait_openersComeTooLate() throws Exception {
        assertThat(openedTooLate(new OpenBarrier(), () -> true)).isPositive();
    }

    /** How many of those who look up a place, and then open it, find it removed by a move that waits like that. */
    private static int openedTooLate(OpenBarrier barrier, BooleanSupplier waits) throws Exception {
        AtomicBoolean exists = new AtomicBoolean(true);
        AtomicBoolean published = new AtomicBoolean();
        AtomicInteger tooLate = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Thread reader = new Thread(() -> {
                while (!over.get()) {
                    int counter = barrier.enter(7);
                    boolean looksAtTheOldPlace = !published.get();
                    LockSupport.parkNanos(50_000);
                    if (looksAtTheOldPlace && !exists.get()) {
                        tooLate.incrementAndGet();
                    }
                    barrier.leave(counter);
                }
            });
            readers.add(reader);
            reader.start();
        }
        for (int move = 0; move < 200; move++) {
            published.set(true);
            assertThat(waits.getAsBoolean()).isTrue();
            exists.set(false);
            LockSupport.parkNanos(200_000);
            exists.set(true);
            published.set(false);
            LockSupport.parkNanos(200_000);
        }
        over.set(true);
        for (Thread reader : readers) {
            reader.join();
        }
        return tooLate.get();
    }

    private static boolean await(OpenBarrier barrier, long blockId) {
        try {
            return barrier.await(blockId, 60_000);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
