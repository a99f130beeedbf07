package io.terrace.channel.tcp;

import io.terrace.channel.Holder;
import io.terrace.channel.Places;
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
final class FairTurns {
    private final Executor workers;
    private final Places<Holder> running;
    private final Places<Holder> room;

    /** Of each who waits, in the order in which they are served. None of these may begin now. */
    private final Map<Holder, Deque<Runnable>> waiting = new LinkedHashMap<>();

    /**
     * Nobody has begun.
     *
     * @param mostRunning at one time
     * @param mostWaiting at one time, beside them
     * @param workers that run what waited
     */
    FairTurns(int mostRunning, int mostWaiting, Executor workers) {
        this.running = new Places<>(mostRunning, mostRunning);
        this.room = new Places<>(mostWaiting, mostWaiting);
        this.workers = workers;
    }

    /**
     * Runs it here and now; or on a worker, when he has had too many turns at once.
     *
     * @return false when too many of his wait: then it does not run at all
     */
    boolean run(Holder holder, Runnable work) {
        synchronized (this) {
            if (!mayTake(running, holder)) {
                boolean waits = mayTake(room, holder);
                if (waits) {
                    waiting.computeIfAbsent(holder, first -> new ArrayDeque<>(1))
                            .add(work);
                }
                return waits;
            }
        }
        take(holder, work);
        return true;
    }

    private static boolean mayTake(Places<Holder> places, Holder holder) {
        return holder.isEverybodyElsewhere() ? places.takeAny(holder) : places.take(holder);
    }

    private void take(Holder holder, Runnable work) {
        try {
            work.run();
        } finally {
            end(holder).forEach(this::onWorker);
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
    private synchronized List<Runnable> end(Holder holder) {
        running.giveBack(holder);
        List<Runnable> allowed = new ArrayList<>(1);
        for (Runnable next = nextAllowed(); next != null; next = nextAllowed()) {
            allowed.add(next);
        }
        return allowed;
    }

    private @Nullable Runnable nextAllowed() {
        for (Map.Entry<Holder, Deque<Runnable>> one : waiting.entrySet()) {
            Holder holder = one.getKey();
            if (mayTake(running, holder)) {
                Deque<Runnable> his = one.getValue();
                Runnable work = his.remove();
                room.giveBack(holder);
                waiting.remove(holder);
                if (!his.isEmpty()) {
                    // Behind the others.
                    waiting.put(holder, his);
                }
                return () -> take(holder, work);
            }
        }
        return null;
    }
}
