package io.terrace.bench.tiers.namenode;

import io.terrace.bench.cluster.ClusterException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Calls an operation from several threads for a time, each thread its next call when the last one was answered. */
final class TimedCalls {

    /** An operation; the threads and the calls of each are numbered from 0. */
    @FunctionalInterface
    interface Call {
        void call(int thread, int index) throws IOException;
    }

    /** Calls, and the time of the threads' work in seconds, on the average. */
    record Result(long calls, double seconds) {
        double perSecond() {
            return calls / seconds;
        }
    }

    private record OfThread(int calls, long tookNs) {}

    private TimedCalls() {}

    /**
     * @param prepared calls of each thread; a thread that has made all of them ends early
     * @param again whether calls may be made once more, such as opens
     */
    static Result run(Call operation, int threads, int prepared, boolean again, long ms) throws IOException {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            long beganNs = System.nanoTime();
            long endNs = beganNs + TimeUnit.MILLISECONDS.toNanos(ms);
            List<Callable<OfThread>> work = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                work.add(() -> calls(operation, thread, prepared, again, beganNs, endNs));
            }
            long calls = 0;
            double seconds = 0;
            for (Future<OfThread> future : pool.invokeAll(work)) {
                OfThread one = future.get();
                calls += one.calls;
                seconds += one.tookNs / 1e9;
            }
            return new Result(calls, seconds / threads);
        } catch (ExecutionException e) {
            throw new IOException("a call failed", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted", e);
        } finally {
            pool.shutdown();
        }
    }

    private static OfThread calls(Call operation, int thread, int prepared, boolean again, long beganNs, long endNs)
            throws IOException {
        int calls = 0;
        long nowNs = System.nanoTime();
        while (nowNs < endNs && (again || calls < prepared)) {
            operation.call(thread, calls % prepared);
            calls++;
            nowNs = System.nanoTime();
        }
        return new OfThread(calls, nowNs - beganNs);
    }
}
