package io.terrace.bench.soak.client;

/** The seconds of each round in which all is mended and no fault is made, while everybody reads and writes. Thread-safe. */
final class QuietTime {
    private volatile boolean now;

    void begin() {
        now = true;
    }

    void end() {
        now = false;
    }

    boolean isNow() {
        return now;
    }
}
