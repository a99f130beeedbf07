package io.terrace.bench.demo;

/** The progress of a phase, for the user. */
interface Progress extends AutoCloseable {
    /** So much of the phase is done, in its unit. */
    void at(long done, String note);

    @Override
    void close();
}
