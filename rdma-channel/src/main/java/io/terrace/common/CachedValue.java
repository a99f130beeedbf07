package io.terrace.common;

import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A value that costs something to find out and may be a little old. Thread-safe. */
public final class CachedValue<T> implements Supplier<T> {

    private final Supplier<T> source;
    private final long forNs;
    private final LongSupplier nanoClock;
    private @Nullable T value;
    private long sinceNs;

    /** Asks the source when the value is older than this. */
    public CachedValue(Supplier<T> source, long forNs, LongSupplier nanoClock) {
        this.source = source;
        this.forNs = forNs;
        this.nanoClock = nanoClock;
    }

    @Override
    public synchronized T get() {
        long nowNs = nanoClock.getAsLong();
        T present = value;
        if (present == null || nowNs - sinceNs >= forNs) {
            present = source.get();
            value = present;
            sinceNs = nowNs;
        }
        return present;
    }
}
