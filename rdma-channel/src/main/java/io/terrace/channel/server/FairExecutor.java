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
 * Who may keep a worker for as long as it takes, as somebody does who waits for a disk that hangs. Nobody begins who keeps
 * as many as are free: one holder comes to half of all, whoever comes next to half of the rest, and what is too much of one
 * waits for his own to end. As many may wait, by the same rule, as there is room for. Where no holder can be told from
 * another, they have all of it together. Thread-safe.
 */
final class FairExecutor {
    private final Executor workers;
    private final FairQuota<Principal> running;
    private final FairQuota<Principal> room;

    /** Of each who waits, in the order in which they are served. None of these may begin now. */
    private final Map<Principal, Deque<Runnable>> waiting = new LinkedHashMap<>();

    /**
     * Nobody has begun.
     *
     * @param mostRunning at one time
     * @param mostWaiting at one time, beside them
     * @param workers that run what waited
     */
    FairExecutor(int mostRunning, int mostWaiting, Executor workers) {
        this.running = new FairQuota<>(mostRunning, mostRunning);
        this.room = new FairQuota<>(mostWaiting, mostWaiting);
        this.workers = workers;
    }

    /**
     * Runs it here and now; or on a worker, when he has had too many turns at once.
     *
     * @return false when too many of his wait: then it does not run at all
     */
    boolean run(Principal principal, Runnable work) {
        synchronized (this) {
            if (!mayTake(running, principal)) {
                boolean waits = mayTake(room, principal);
                if (waits) {
                    waiting.computeIfAbsent(principal, first -> new ArrayDeque<>(1))
                            .add(work);
                }
                return waits;
            }
        }
        take(principal, work);
        return true;
    }

    private static boolean mayTake(FairQuota<Principal> fairQuota, Principal principal) {
        return principal.isEverybodyElsewhere() ? fairQuota.takeAny(principal) : fairQuota.take(principal);
    }

    private void take(Principal principal, Runnable work) {
        try {
            work.run();
        } finally {
            end(principal).forEach(this::onWorker);
        }
    }

    private void onWorker(Runnable turn) {
        try {
            workers.execute(turn);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // The server closes, and serves nobody any more; or there would never be another time.
            turn.run();
        }
    }

    /** Those who may begin since somebody ended; they have, as far as the count goes. */
    private synchronized List<Runnable> end(Principal principal) {
        running.giveBack(principal);
        List<Runnable> allowed = new ArrayList<>(1);
        for (Runnable next = nextAllowed(); next != null; next = nextAllowed()) {
            allowed.add(next);
        }
        return allowed;
    }

    private @Nullable Runnable nextAllowed() {
        for (Map.Entry<Principal, Deque<Runnable>> one : waiting.entrySet()) {
            Principal principal = one.getKey();
            if (mayTake(running, principal)) {
                Deque<Runnable> his = one.getValue();
                Runnable work = his.remove();
                room.giveBack(principal);
                waiting.remove(principal);
                if (!his.isEmpty()) {
                    // Behind the others.
                    waiting.put(principal, his);
                }
                return () -> take(principal, work);
            }
        }
        return null;
    }
}
