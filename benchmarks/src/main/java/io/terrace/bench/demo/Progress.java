package io.terrace.bench.demo;

/** How far a phase is, for the one who watches. */
interface Progress extends AutoCloseable {
    /** So much of the phase is done, in its unit. */
    void at(long done, String note);

    @Override
    void close();
}
