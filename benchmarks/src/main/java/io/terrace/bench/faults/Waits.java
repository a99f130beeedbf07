package io.terrace.bench.faults;

import io.terrace.bench.cluster.ClusterException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Waits for what comes about by itself. */
public final class Waits {
    private static final long LOOK_MS = 100;

    private Waits() {}

    /** Looks for something that is wrong. */
    public interface Look {
        /** What is wrong now; empty if nothing is. */
        Optional<String> fault() throws IOException;
    }

    /** Looks until nothing is wrong, at most so long; returns what is wrong then. */
    public static Optional<String> untilRight(int seconds, Look look) throws IOException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (true) {
            Optional<String> fault;
            try {
                fault = look.fault();
            } catch (IOException e) {
                fault = Optional.of(e.toString());
            }
            if (fault.isEmpty()) {
                return fault;
            }
            if (System.nanoTime() - deadlineNs > 0) {
                return fault.map(what -> what + ", still after " + seconds + " s");
            }
            pause(LOOK_MS);
        }
    }

    public static void pause(long ms) throws ClusterException {
        try {
            TimeUnit.MILLISECONDS.sleep(ms);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    public static ClusterException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new ClusterException("interrupted", e);
    }
}
