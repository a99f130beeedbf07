package io.terrace.placement;

import io.terrace.common.DaemonThreads;
import io.terrace.common.LogThrottle;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.HeartbeatAnswer;
import io.terrace.placement.report.EngineStatus;
import io.terrace.placement.state.OperatorState;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a {@link PlacementEngine} on a thread of its own. Heartbeats and questions come from any thread through a queue of
 * {@value #QUEUE_LIMIT}; what does not fit is refused at once. Follows the {@link Leadership}.
 *
 * <p>A broken invariant in the loop is logged and ends the epoch: the NameNode answers as a standby until it may begin a
 * new one; a question that fails does not. After {@value #MOST_FAILURES} of them within hours it stays a standby. The thread survives whatever is thrown on it.
 *
 * <p>It is no agent of an {@code AgentThread}: it waits for calls as well as for its next turn, and a failure ends an
 * epoch.
 */
public final class PlacementLoop implements AutoCloseable {

    static final int QUEUE_LIMIT = 4096;
    static final int MOST_FAILURES = 3;
    static final long FORGIVEN_MS = TimeUnit.HOURS.toMillis(1);
    static final long ANSWER_TIMEOUT_MS = 5_000;
    private static final long QUESTION_LOG_NS = TimeUnit.MINUTES.toNanos(10);
    /** Only a loop that hangs takes as long. */
    private static final long BEGUN_TIMEOUT_MS = 60_000;

    private static final Logger LOG = LoggerFactory.getLogger(PlacementLoop.class);

    private final PlacementEngine placement;
    private final Leadership leadership;
    private final MetricRegistry metricRegistry;
    private final LongSupplier clockMs;
    private final int intervalMs;
    private final long begunTimeoutMs;
    private final BlockingQueue<Runnable> queue = new ArrayBlockingQueue<>(QUEUE_LIMIT);
    private final Thread thread;
    private final LogThrottle questionLog = new LogThrottle(QUESTION_LOG_NS);
    private volatile boolean running = true;
    private volatile Published published;
    private long epochSeen = Leadership.STANDBY;
    private volatile int failures;
    private long lastFailureMs;

    /** What broke the loop; null once the loop has stood down for it. */
    private @Nullable Throwable failure;

    /** A change began and did not end yet; it takes effect once the loop moves on. */
    public static final class ChangeBegunException extends TimeoutException {
        private static final long serialVersionUID = 1;

        ChangeBegunException() {
            super("the change began and has not ended yet");
        }
    }

    /** The status that the loop published last, and when. */
    private record Published(EngineStatus engineStatus, long atMs) {}

    /** @param clockMs monotonic milliseconds */
    public PlacementLoop(
            PlacementEngine placement,
            Leadership leadership,
            MetricRegistry metricRegistry,
            int intervalMs,
            LongSupplier clockMs) {
        this(placement, leadership, metricRegistry, intervalMs, BEGUN_TIMEOUT_MS, clockMs);
    }

    /** @param begunTimeoutMs for how long the end of a change is waited for that began */
    PlacementLoop(
            PlacementEngine placement,
            Leadership leadership,
            MetricRegistry metricRegistry,
            int intervalMs,
            long begunTimeoutMs,
            LongSupplier clockMs) {
        this.begunTimeoutMs = begunTimeoutMs;
        this.placement = placement;
        this.leadership = leadership;
        this.metricRegistry = metricRegistry;
        this.intervalMs = intervalMs;
        this.clockMs = clockMs;
        this.published = new Published(placement.engineStatus(), clockMs.getAsLong());
        EngineStatus.publish(metricRegistry, this::engineStatus);
        this.thread = DaemonThreads.make("terrace-placement", this::run);
    }

    public void start() {
        thread.start();
    }

    /**
     * Hands a heartbeat to the loop and waits for the answer.
     *
     * @throws RejectedExecutionException when the queue is full or the loop is closed
     * @throws TimeoutException when the loop is stuck; the heartbeat still counts once it moves again
     */
    public HeartbeatAnswer heartbeat(Heartbeat heartbeat) throws TimeoutException, InterruptedException {
        return await(queue(loop -> loop.heartbeat(clockMs.getAsLong(), heartbeat)), ANSWER_TIMEOUT_MS);
    }

    /**
     * Runs a question on the loop's thread and waits for its answer; failures as {@link #heartbeat}. A question changes nothing, so
     * one that throws ends no epoch.
     *
     * @throws IllegalStateException when the question threw
     */
    public <T> T ask(Function<PlacementEngine, T> question) throws TimeoutException, InterruptedException {
        CompletableFuture<T> answer = new CompletableFuture<>();
        enqueue(() -> {
            try {
                answer.complete(question.apply(placement));
            } catch (RuntimeException e) {
                answer.completeExceptionally(e);
                questionFailed(e);
            } catch (Error e) {
                answer.completeExceptionally(e);
                throw e;
            }
        });
        return await(answer, ANSWER_TIMEOUT_MS);
    }

    private void questionFailed(RuntimeException e) {
        metricRegistry.increment(Metric.PLACEMENT_QUESTIONS_FAILED);
        Long others = questionLog.next(System.nanoTime());
        if (others != null) {
            LOG.error("A question to the placement loop failed, as did {} since the last that was logged", others, e);
        }
    }

    private <T> CompletableFuture<T> queue(Function<PlacementEngine, T> change) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        enqueue(() -> {
            try {
                answer.complete(change.apply(placement));
            } catch (RuntimeException | Error e) {
                answer.completeExceptionally(e);
                throw e;
            }
        });
        return answer;
    }

    private void enqueue(Runnable task) {
        if (!running || !queue.offer(task)) {
            throw new RejectedExecutionException(
                    running
                            ? "the placement loop has " + QUEUE_LIMIT + " calls waiting"
                            : "the placement loop is closed");
        }
    }

    private static <T> T await(CompletableFuture<T> answer, long timeoutMs)
            throws TimeoutException, InterruptedException {
        try {
            return answer.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException("the placement loop failed to answer", e.getCause());
        }
    }

    /**
     * Changes something on the loop's thread and waits until that is done. {@link #engineStatus} shows it: who asks for the status
     * afterwards sees it. Failures as {@link #heartbeat}.
     */
    public <T> T change(Function<PlacementEngine, T> change) throws TimeoutException, InterruptedException {
        return await(
                queue(loop -> {
                    T answer = change.apply(loop);
                    publish();
                    return answer;
                }),
                ANSWER_TIMEOUT_MS);
    }

    /**
     * As {@link #change}, but a change that did not begin in time never does. One that began in time is waited for: its end is
     * nearer than an answer that would be wrong.
     *
     * @throws ChangeBegunException when it began and did not end in a minute; it still takes effect
     */
    public <T> T changeInTime(Function<PlacementEngine, T> change) throws TimeoutException, InterruptedException {
        AtomicBoolean begunOrGivenUp = new AtomicBoolean();
        CompletableFuture<Optional<T>> answer = queue(loop -> {
            if (!begunOrGivenUp.compareAndSet(false, true)) {
                return Optional.empty();
            }
            T changed = change.apply(loop);
            publish();
            return Optional.of(changed);
        });
        try {
            return await(answer, ANSWER_TIMEOUT_MS).orElseThrow();
        } catch (TimeoutException e) {
            if (begunOrGivenUp.compareAndSet(false, true)) {
                throw e;
            }
            try {
                return await(answer, begunTimeoutMs).orElseThrow();
            } catch (TimeoutException late) {
                throw new ChangeBegunException();
            }
        }
    }

    /** Whether it failed too often, and stays off until the NameNode is restarted. */
    public boolean hasGivenUp() {
        return failures >= MOST_FAILURES;
    }

    /** Milliseconds on the loop's clock, for reports. */
    public long nowMs() {
        return clockMs.getAsLong();
    }

    private void run() {
        long nextTurnMs = clockMs.getAsLong();
        while (running) {
            try {
                if (failure != null) {
                    // A broken loop takes no calls: they wait.
                    TimeUnit.MILLISECONDS.sleep(intervalMs);
                    recover();
                }
                Runnable task = queue.poll(Math.max(0, nextTurnMs - clockMs.getAsLong()), TimeUnit.MILLISECONDS);
                long beganNs = System.nanoTime();
                if (task != null) {
                    task.run();
                }
                long nowMs = clockMs.getAsLong();
                if (nowMs >= nextTurnMs) {
                    nextTurnMs = nowMs + intervalMs;
                    follow();
                    placement.turn(nowMs);
                    publish();
                }
                metricRegistry.add(Metric.PLACEMENT_TURN_NANOSECONDS, System.nanoTime() - beganNs);
            } catch (InterruptedException e) {
                running = false;
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        }
    }

    private void fail(Throwable e) {
        if (failure == null) {
            failure = e;
        }
        try {
            recover();
        } catch (RuntimeException | Error again) {
            // Without memory even this may fail. The thread goes on and tries it again with the next turn.
        }
    }

    private void recover() {
        Throwable e = failure;
        if (e == null) {
            return;
        }
        placement.reset();
        // A policy that breaks is replaced, which ends the failures; any other failure may repeat.
        if (!placement.distrustPolicy(e)) {
            countFailure();
        }
        failure = null;
        publish();
        LOG.error(
                "The placement loop broke and dropped its state; blocks stay where they are. {}",
                hasGivenUp() ? "It stays off until the NameNode is restarted." : "It starts anew.",
                e);
    }

    /** One is forgiven for each hour without another, so that a service of many months does not stay off for three. */
    private void countFailure() {
        long nowMs = clockMs.getAsLong();
        long forgiven = (nowMs - lastFailureMs) / FORGIVEN_MS;
        failures = 1 + (int) Math.max(0, failures - forgiven);
        lastFailureMs = nowMs;
    }

    private void follow() {
        long epoch = leadership.epoch();
        if (epoch == epochSeen && (placement.isActive() || epoch == Leadership.STANDBY)) {
            OperatorState recovered = placement.isActive() ? leadership.recoveredOperatorState() : null;
            if (recovered != null) {
                placement.operatorState(recovered);
            }
            return;
        }
        if (placement.isActive()) {
            placement.standDown();
            LOG.info("Placement stood down: another NameNode decides");
        }
        epochSeen = epoch;
        if (epoch != Leadership.STANDBY && !hasGivenUp()) {
            // After a failure the same leadership begins an epoch of its own, above the one that broke.
            long begun = Math.max(epoch, placement.epoch() + (epoch <= placement.epoch() ? 1 : 0));
            placement.policy(clockMs.getAsLong(), leadership.policy());
            placement.activate(begun, leadership.operatorState());
            LOG.info("Placement is active in epoch {}", begun);
        }
    }

    private void publish() {
        published = new Published(placement.engineStatus(), clockMs.getAsLong());
    }

    /** The status that the loop published last, without asking it. */
    public EngineStatus engineStatus() {
        return published.engineStatus();
    }

    /**
     * As {@link #engineStatus}.
     *
     * @throws TimeoutException when the loop is stuck: it published nothing for as long as a question may take
     */
    public EngineStatus freshStatus() throws TimeoutException {
        Published latest = published;
        if (clockMs.getAsLong() - ANSWER_TIMEOUT_MS - 2L * intervalMs > latest.atMs()) {
            throw new TimeoutException("the placement loop is stuck");
        }
        return latest.engineStatus();
    }

    /** Ends the thread; waits a second for it. */
    @Override
    public void close() {
        running = false;
        thread.interrupt();
        try {
            thread.join(1000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
