package io.terrace.channel.server;

import io.terrace.common.FairQuota;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Divides workers among users for work that may take long, such as a grant that waits for a disk that hangs. Each user may
 * keep as many workers as a {@link FairQuota} allows; the rest of the user's work waits until some of it ends. How much
 * may wait is bounded by the same rule. Thread-safe.
 */
final class FairExecutor {
    private final Executor workers;
    private final FairQuota<Principal> running;
    private final FairQuota<Principal> queued;

    /** The work that waits, by user, in the order in which the users are served. None of it may begin now. */
    private final Map<Principal, Deque<Runnable>> waiting = new LinkedHashMap<>();

    /**
     * Nothing runs yet.
     *
     * @param mostRunning pieces of work that run at one time
     * @param mostWaiting pieces of work that wait, beside them
     * @param workers run what waited
     */
    FairExecutor(int mostRunning, int mostWaiting, Executor workers) {
        this.running = new FairQuota<>(mostRunning);
        this.queued = new FairQuota<>(mostWaiting);
        this.workers = workers;
    }

    /**
     * Runs the work at once on this thread, or later on a worker when too much of this user's work runs already.
     *
     * @return false when too much of this user's work waits already: then it does not run at all
     */
    boolean run(Principal principal, Runnable work) {
        synchronized (this) {
            if (!principal.takeOf(running, 1)) {
                boolean waits = principal.takeOf(queued, 1);
                if (waits) {
                    waiting.computeIfAbsent(principal, first -> new ArrayDeque<>(1))
                            .add(work);
                }
                return waits;
            }
        }
        runCounted(principal, work);
        return true;
    }

    private void runCounted(Principal principal, Runnable work) {
        try {
            work.run();
        } finally {
            end(principal).forEach(this::onWorker);
        }
    }

    private void onWorker(Runnable work) {
        try {
            workers.execute(work);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // The server is closing, or no thread would run this later.
            work.run();
        }
    }

    /** Counts the end of one, and returns the work that may begin now; it is counted already. */
    private synchronized List<Runnable> end(Principal principal) {
        running.release(principal, 1);
        List<Runnable> allowed = new ArrayList<>(1);
        for (Runnable next = nextAllowed(); next != null; next = nextAllowed()) {
            allowed.add(next);
        }
        return allowed;
    }

    private @Nullable Runnable nextAllowed() {
        for (Map.Entry<Principal, Deque<Runnable>> one : waiting.entrySet()) {
            Principal principal = one.getKey();
            if (principal.takeOf(running, 1)) {
                Deque<Runnable> own = one.getValue();
                Runnable work = own.remove();
                queued.release(principal, 1);
                waiting.remove(principal);
                if (!own.isEmpty()) {
                    // This user's turn comes after those of the others.
                    waiting.put(principal, own);
                }
                return () -> runCounted(principal, work);
            }
        }
        return null;
    }
}
