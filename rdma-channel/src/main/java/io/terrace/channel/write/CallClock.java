package io.terrace.channel.write;

/** Since when one call waits. Set by the thread that calls, read by any. */
final class CallClock {
    private static final long NOT_WAITING = 0;

    private volatile long sinceNs = NOT_WAITING;

    void start() {
        // 0 is the mark of no call.
        sinceNs = System.nanoTime() | 1;
    }

    void stop() {
        sinceNs = NOT_WAITING;
    }

    boolean isLongerThan(long nowNs, long timeoutNs) {
        long since = sinceNs;
        return since != NOT_WAITING && nowNs - since > timeoutNs;
    }
}
