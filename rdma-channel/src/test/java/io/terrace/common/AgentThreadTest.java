package io.terrace.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The thread of an agent: when it has a turn, what it outlives, how it ends. */
class AgentThreadTest {

    /** Longer than any test may take. */
    private static final long NEVER_NS = TimeUnit.HOURS.toNanos(1);

    private static final long WAIT_S = 60;
    private static final long WAIT_MS = TimeUnit.SECONDS.toMillis(WAIT_S);

    /** Its turns come from a test or a thread; each does the next step, or nothing. */
    private static final class Steps implements Agent {
        interface Step {
            void run() throws Exception;
        }

        final BlockingQueue<Step> steps = new LinkedBlockingQueue<>();
        final List<Long> times = new ArrayList<>();
        final CountDownLatch ended = new CountDownLatch(1);

        @Override
        public int doWork(long nowNs) throws Exception {
            times.add(nowNs);
            Step step = steps.poll();
            if (step == null) {
                return 0;
            }
            step.run();
            return 1;
        }

        @Override
        public void onClose() {
            ended.countDown();
        }
    }

    private final Steps agent = new Steps();
    private final AgentThread thread = new AgentThread("test-agent", agent, NEVER_NS, System::nanoTime);

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertThat(latch.await(WAIT_S, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void closeUninterruptibly_ofAnInterruptedCaller_returnsWhenTheLastTurnIsOver() throws Exception {
        CountDownLatch inTurn = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        agent.steps.add(() -> {
            inTurn.countDown();
            await(mayEnd);
        });
        thread.start();
        await(inTurn);
        AtomicBoolean interrupted = new AtomicBoolean();
        Thread closer = new Thread(() -> {
            Thread.currentThread().interrupt();
            thread.closeUninterruptibly();
            interrupted.set(Thread.currentThread().isInterrupted());
        });
        closer.start();
        closer.join(100);
        assertThat(closer.isAlive()).isTrue();
        mayEnd.countDown();
        closer.join(WAIT_MS);
        assertThat(agent.ended.getCount()).isZero();
        assertThat(interrupted).isTrue();
    }

    /** Gives it a step and waits until it was done. */
    private void step(AgentThread on) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        agent.steps.add(done::countDown);
        on.wake();
        await(done);
    }

    @Test
    void agent_stepped_saysWhatItDid_withoutAThread() throws Exception {
        agent.steps.add(() -> {});
        assertThat(agent.doWork(5)).isOne();
        assertThat(agent.doWork(7)).isZero();
        assertThat(agent.times).containsExactly(5L, 7L);
    }

    @Test
    void wake_endsTheWait_andIsNotLostDuringATurn() throws Exception {
        CountDownLatch inTurn = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        AgentThread woken = new AgentThread(
                "test-agent",
                nowNs -> {
                    if (inTurn.getCount() > 0) {
                        inTurn.countDown();
                        await(goOn);
                    } else {
                        done.countDown();
                    }
                    return 0;
                },
                NEVER_NS,
                System::nanoTime);
        woken.start();
        await(inTurn);
        woken.wake();
        goOn.countDown();
        await(done);
        woken.close(false, WAIT_MS);

        thread.start();
        for (int i = 0; i < 100; i++) {
            step(thread);
        }
        thread.close(false, WAIT_MS);
        assertThat(agent.ended.getCount()).isZero();
    }

    @Test
    void turns_areGivenTheClock_andComeWhenTheWaitIsOver() throws Exception {
        AtomicInteger clock = new AtomicInteger(40);
        CountDownLatch turns = new CountDownLatch(3);
        List<Long> asked = new ArrayList<>();
        AgentThread timed = new AgentThread(
                "test-agent",
                nowNs -> {
                    agent.times.add(nowNs);
                    turns.countDown();
                    return 0;
                },
                nowNs -> {
                    asked.add(nowNs);
                    return turns.getCount() == 0 ? NEVER_NS : 1;
                },
                clock::incrementAndGet);
        timed.start();
        await(turns);
        timed.close(false, WAIT_MS);
        assertThat(agent.times).containsExactly(41L, 43L, 45L);
        assertThat(asked).startsWith(42L, 44L);
    }

    @Test
    void close_withoutInterrupt_letsTheTurnEnd() throws Exception {
        CountDownLatch inTurn = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        agent.steps.add(() -> {
            inTurn.countDown();
            while (!thread.isClosed()) {
                Thread.onSpinWait();
            }
            interrupted.set(Thread.currentThread().isInterrupted());
        });
        agent.steps.add(() -> interrupted.set(true));
        thread.start();
        await(inTurn);
        thread.close(false, WAIT_MS);
        assertThat(agent.ended.getCount()).isZero();
        assertThat(interrupted).isFalse();
        assertThat(agent.times).hasSize(1);
    }

    @Test
    void close_withInterrupt_endsATurnThatWaits() throws Exception {
        CountDownLatch inTurn = new CountDownLatch(1);
        AtomicBoolean interrupted = new AtomicBoolean();
        agent.steps.add(() -> {
            inTurn.countDown();
            try {
                Thread.sleep(TimeUnit.HOURS.toMillis(1));
            } catch (InterruptedException e) {
                interrupted.set(true);
                throw e;
            }
        });
        thread.start();
        await(inTurn);
        thread.close(true, WAIT_MS);
        assertThat(agent.ended.getCount()).isZero();
        assertThat(interrupted).isTrue();
    }

    @Test
    void close_beforeStart_doesNothing() {
        thread.close(true, 0);
        assertThat(agent.times).isEmpty();
        assertThat(agent.ended.getCount()).isOne();
    }

    /** As when there is no memory: it cannot even be printed. */
    private static final class Unprintable extends RuntimeException {
        private static final long serialVersionUID = 1;
        static final AtomicInteger PRINTED = new AtomicInteger();

        @Override
        public String toString() {
            PRINTED.incrementAndGet();
            throw new OutOfMemoryError("wanted");
        }
    }

    @Test
    void turn_thatFails_isLoggedOnceInARow_andTheThreadGoesOn() throws Exception {
        // Or the log below would not fail.
        assertThatThrownBy(() -> new Unprintable().toString()).isInstanceOf(OutOfMemoryError.class);
        Unprintable.PRINTED.set(0);
        thread.start();
        agent.steps.add(() -> {
            throw new Unprintable();
        });
        agent.steps.add(() -> {
            throw new Unprintable();
        });
        step(thread);
        assertThat(Unprintable.PRINTED).hasValue(1);
        agent.steps.add(() -> {
            throw new Unprintable();
        });
        step(thread);
        assertThat(Unprintable.PRINTED).hasValue(2);
        agent.steps.add(() -> {
            throw new AssertionError("wanted");
        });
        agent.steps.add(() -> {
            throw new InterruptedException("nobody closes");
        });
        step(thread);
        thread.close(false, WAIT_MS);
        assertThat(agent.ended.getCount()).isZero();
    }

    @Test
    void turn_thatLeavesItsThreadInterrupted_isFollowedByAWait() throws Exception {
        AtomicInteger turns = new AtomicInteger();
        CountDownLatch cleared = new CountDownLatch(1);
        AgentThread interrupted = new AgentThread(
                "test-agent",
                nowNs -> {
                    if (turns.incrementAndGet() == 1) {
                        Thread.currentThread().interrupt();
                    } else if (!Thread.currentThread().isInterrupted()) {
                        cleared.countDown();
                    }
                    return 0;
                },
                1,
                System::nanoTime);
        interrupted.start();
        await(cleared);
        interrupted.close(false, WAIT_MS);
    }

    @Test
    void threads_areDaemons_ofTheNamesGiven() {
        Runnable nothing = () -> {};
        var numbered = DaemonThreads.numbered("test-");
        assertThat(List.of(
                        DaemonThreads.named("test").newThread(nothing),
                        numbered.newThread(nothing),
                        numbered.newThread(nothing)))
                .allMatch(Thread::isDaemon)
                .extracting(Thread::getName)
                .containsExactly("test", "test-1", "test-2");
    }
}
