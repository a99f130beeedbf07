package io.terrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Who asks for a grant, who waits, and what is held and refused. */
final class GrantCacheTest {
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long PAUSE_NS = TimeUnit.HOURS.toNanos(1);
    private static final GrantKey KEY = key(1);

    private final GrantCache<Held, GrantKey> cache = new GrantCache<>(PAUSE_NS, 4, this::notGranted);
    private final List<GrantKey> notGranted = new ArrayList<>();
    private volatile CountDownLatch recording = new CountDownLatch(0);
    private int asked;

    private void notGranted(GrantKey key) {
        try {
            recording.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        notGranted.add(key);
    }

    private static final class Held implements CachedGrant {
        private final GrantKey key;
        private boolean usable = true;

        Held(GrantKey key) {
            this.key = key;
        }

        @Override
        public GrantKey key() {
            return key;
        }

        @Override
        public boolean isUsable() {
            return usable;
        }
    }

    private static GrantKey key(int token) {
        return new GrantKey("user", new byte[] {(byte) token}, new BlockKey("pool", 1, 2));
    }

    private PendingGrant.Outcome<Held> obtain(GrantKey key) {
        return cache.obtain(
                key,
                pending -> {
                    asked++;
                    pending.succeed(new Held(pending.key()));
                },
                TIMEOUT_NS);
    }

    @Test
    void grant_isHeldByItsKey_untilItEndsOrIsForgotten() {
        Held held = obtain(KEY).grant();
        assertThat(cache.usable(KEY)).isSameAs(held);
        assertThat(cache.usable(key(1))).as("an equal key").isSameAs(held);
        assertThat(cache.usable(key(2))).as("another token").isNull();
        held.usable = false;
        assertThat(cache.usable(KEY)).isNull();
        Held next = obtain(KEY).grant();
        assertThat(cache.usable(KEY)).isSameAs(next).isNotSameAs(held);
        assertThat(cache.forget(held)).as("another has its place").isFalse();
        assertThat(cache.forget(next)).isTrue();
        assertThat(cache.usable(KEY)).isNull();
        assertThat(cache.size()).isZero();
        assertThat(asked).isEqualTo(2);
    }

    @Test
    void keys_ofOtherUsersOrBlocks_areOthers() {
        BlockKey block = new BlockKey("pool", 1, 2);
        GrantKey mine = new GrantKey("user", new byte[] {1}, block);
        assertThat(mine).isEqualTo(KEY).hasSameHashCodeAs(KEY);
        assertThat(mine).isNotEqualTo(new GrantKey("another", new byte[] {1}, block));
        assertThat(mine).isNotEqualTo(new GrantKey("user", new byte[] {1}, new BlockKey("pool", 1, 3)));
        assertThat(mine).hasToString(block.toString());
    }

    @Test
    void grant_thatEndedBeforeItWasHeld_isNotKept() {
        PendingGrant.Outcome<Held> outcome = cache.obtain(
                KEY,
                pending -> {
                    Held ended = new Held(KEY);
                    ended.usable = false;
                    pending.succeed(ended);
                },
                TIMEOUT_NS);
        assertThat(outcome.grant()).isNotNull();
        assertThat(cache.size()).isZero();
    }

    @Test
    void severalThreads_thatWantTheSame_askOnce() throws Exception {
        List<PendingGrant<Held>> asks = new ArrayList<>();
        CountDownLatch isAsked = new CountDownLatch(1);
        CompletableFuture<Held> first = CompletableFuture.supplyAsync(() -> cache.obtain(
                        KEY,
                        pending -> {
                            asks.add(pending);
                            isAsked.countDown();
                        },
                        TIMEOUT_NS)
                .grant());
        isAsked.await();
        List<CompletableFuture<Held>> others = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            others.add(CompletableFuture.supplyAsync(() -> obtain(KEY).grant()));
        }
        assertThat(obtain(key(2)).grant())
                .as("another grant is asked for meanwhile")
                .isNotNull();
        Held granted = new Held(KEY);
        assertThat(asks.get(0).succeed(granted)).isTrue();
        assertThat(first.get()).isSameAs(granted);
        for (CompletableFuture<Held> other : others) {
            assertThat(other.get()).isSameAs(granted);
        }
        assertThat(asked).isEqualTo(1);
    }

    @Test
    void refusal_isTheOutcomeOfAllWhoWait_andIsNotHeld() {
        PendingGrant.Outcome<Held> outcome =
                cache.obtain(KEY, pending -> pending.fail(Metric.CLIENT_FALLBACK_REFUSED), TIMEOUT_NS);
        assertThat(outcome.grant()).isNull();
        assertThat(outcome.fallback()).isEqualTo(Metric.CLIENT_FALLBACK_REFUSED);
        assertThat(obtain(KEY).grant()).isNotNull();
    }

    @Test
    void refusal_isRecorded_beforeAnybodyWhoWaitsLearnsIt() throws Exception {
        CompletableFuture<PendingGrant<Held>> asks = new CompletableFuture<>();
        CompletableFuture<PendingGrant.Outcome<Held>> waiting =
                CompletableFuture.supplyAsync(() -> cache.obtain(KEY, asks::complete, TIMEOUT_NS));
        CountDownLatch mayRecord = new CountDownLatch(1);
        recording = mayRecord;
        PendingGrant<Held> ask = asks.get();
        CompletableFuture<Void> answer = CompletableFuture.runAsync(() -> ask.fail(Metric.CLIENT_FALLBACK_REFUSED));
        assertThatThrownBy(() -> waiting.get(50, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        mayRecord.countDown();
        answer.get();
        assertThat(waiting.get().fallback()).isEqualTo(Metric.CLIENT_FALLBACK_REFUSED);
        assertThat(notGranted).containsExactly(KEY);
    }

    @Test
    void answer_afterNobodyWaits_isTheCallersToGiveBack() {
        List<PendingGrant<Held>> asks = new ArrayList<>();
        PendingGrant.Outcome<Held> outcome = cache.obtain(KEY, asks::add, 1);
        assertThat(outcome.fallback()).isEqualTo(Metric.CLIENT_FALLBACK_TIMEOUT);
        assertThat(asks.get(0).succeed(new Held(KEY))).isFalse();
        assertThat(cache.size()).isZero();
    }

    @Test
    void interrupt_ofOneWhoWaits_leavesTheAskToOthers() throws Exception {
        List<PendingGrant<Held>> asks = new ArrayList<>();
        Thread.currentThread().interrupt();
        PendingGrant.Outcome<Held> outcome = cache.obtain(KEY, asks::add, TIMEOUT_NS);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(outcome.grant()).isNull();
        CompletableFuture<Held> other =
                CompletableFuture.supplyAsync(() -> obtain(KEY).grant());
        Held granted = new Held(KEY);
        assertThat(asks.get(0).succeed(granted)).isTrue();
        assertThat(other.get()).isSameAs(granted);
        assertThat(asked).isZero();
    }

    @Test
    void askThatFails_throwsToItsThread_andAnotherThatWaitsAsksItself() throws Exception {
        CountDownLatch isAsked = new CountDownLatch(1);
        CountDownLatch mayFail = new CountDownLatch(1);
        CompletableFuture<Throwable> first = CompletableFuture.supplyAsync(() -> {
            try {
                PendingGrant.Outcome<Held> unused = cache.obtain(
                        KEY,
                        pending -> {
                            isAsked.countDown();
                            try {
                                mayFail.await();
                            } catch (InterruptedException e) {
                                throw new AssertionError(e);
                            }
                            throw new IOException("the connection has ended");
                        },
                        TIMEOUT_NS);
                return new AssertionError("nothing was thrown");
            } catch (IOException e) {
                return e;
            }
        });
        isAsked.await();
        CompletableFuture<Held> other =
                CompletableFuture.supplyAsync(() -> obtain(KEY).grant());
        mayFail.countDown();
        assertThat(first.get()).isInstanceOf(IOException.class).hasMessage("the connection has ended");
        assertThat(other.get()).isNotNull();
        assertThatThrownBy(() -> cache.obtain(
                        key(3),
                        pending -> {
                            throw new IllegalStateException("as was wanted");
                        },
                        TIMEOUT_NS))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void refused_isPausedForAWhile_andAllAreForgottenWhenTooMany() {
        long nowNs = System.nanoTime();
        cache.refuse(KEY);
        assertThat(cache.isRefused(KEY, nowNs)).isTrue();
        assertThat(cache.isRefused(key(2), nowNs)).isFalse();
        assertThat(cache.isRefused(KEY, System.nanoTime() + PAUSE_NS)).isFalse();
        assertThat(cache.isRefused(KEY, nowNs)).as("it was over").isFalse();
        for (int i = 1; i <= 4; i++) {
            cache.refuse(key(i));
        }
        assertThat(cache.isRefused(KEY, nowNs)).isTrue();
        cache.refuse(key(5));
        assertThat(cache.isRefused(KEY, nowNs)).isFalse();
        assertThat(cache.isRefused(key(5), nowNs)).isTrue();
    }
}
