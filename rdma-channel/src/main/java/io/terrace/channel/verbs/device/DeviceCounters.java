package io.terrace.channel.verbs.device;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What this process holds of its devices now, and what it has done with them. Thread-safe. */
public final class DeviceCounters {
    /** Protection domains that exist. */
    public final AtomicLong domains = new AtomicLong();

    /** Queue pairs that exist. */
    public final AtomicLong queuePairs = new AtomicLong();

    /** Registrations that exist, of ranges, pools and control buffers. */
    public final AtomicLong registrations = new AtomicLong();

    /** Bytes pinned by them. */
    public final AtomicLong registeredBytes = new AtomicLong();

    /** Buffers of the pools that operations have now. */
    public final AtomicLong lentBuffers = new AtomicLong();

    /** Registrations ever made. */
    public final LongAdder registered = new LongAdder();

    /** Calls that posted one-sided operations. */
    public final LongAdder posts = new LongAdder();

    /** Completions of one-sided operations. */
    public final LongAdder completions = new LongAdder();
}
