package io.terrace.policy.api;

/**
 * One access to an object, reported to a {@link PlacementPolicy}. A flyweight: the caller keeps one instance and
 * refills it for each access; a policy reads it during the call and never keeps it.
 */
public final class Access {

    /** Value of {@link #job()} when the reader is not known. */
    public static final long NO_JOB = -1;

    private long nowMs;
    private long object;
    private long sizeBytes;
    private long bytes;
    private boolean write;
    private long job = NO_JOB;
    private int burst = 1;
    private int tier;
    private int pool;
    private long inputBytes;
    private long savedNs;

    /**
     * Fills the flyweight with a read; {@link #job}, {@link #burst}, {@link #pool}, {@link #inputBytes} and {@link #savedNs} are
     * reset to unknown, 1, 0, 0 and 0.
     *
     * @param nowMs time of the access, milliseconds on the caller's clock
     * @param object id of a block or file
     * @param sizeBytes stored size of the object, at least 0
     * @param bytes bytes read, 0 to {@code sizeBytes} per access collapsed into this one
     * @param tier tier the object is in as far as the caller knows; policies use it for objects that they do not know
     *     yet
     */
    public Access read(long nowMs, long object, long sizeBytes, long bytes, int tier) {
        return fill(nowMs, object, sizeBytes, bytes, tier, false);
    }

    /** Fills the flyweight with a write; parameters as in {@link #read}. */
    public Access write(long nowMs, long object, long sizeBytes, long bytes, int tier) {
        return fill(nowMs, object, sizeBytes, bytes, tier, true);
    }

    private Access fill(long atMs, long id, long size, long moved, int inTier, boolean isWrite) {
        if (size < 0 || moved < 0) {
            throw new IllegalArgumentException(
                    "object " + id + ": size " + size + " and bytes " + moved + " must not be negative");
        }
        nowMs = atMs;
        object = id;
        sizeBytes = size;
        bytes = moved;
        tier = inTier;
        write = isWrite;
        job = NO_JOB;
        burst = 1;
        pool = 0;
        inputBytes = 0;
        savedNs = 0;
        return this;
    }

    /** The job or request that reads, {@link #NO_JOB} when unknown. */
    public Access by(long readingJob) {
        job = readingJob;
        return this;
    }

    /** How many accesses the caller collapsed into this one, at least 1. */
    public Access burst(int accesses) {
        if (accesses < 1) {
            throw new IllegalArgumentException("a burst has at least one access, not " + accesses);
        }
        burst = accesses;
        return this;
    }

    /** The pool that the object belongs to, 0 when the tiers are not divided into pools. */
    public Access in(int poolNumber) {
        pool = poolNumber;
        return this;
    }

    /** Size of all that is read together with the object, such as the file that a block is of; 0 when it is not known. */
    public Access of(long bytes) {
        inputBytes = bytes;
        return this;
    }

    /** How much less time these reads take from the fastest tier than from the base, in all; 0 when it is not known. */
    public Access saving(long ns) {
        savedNs = ns;
        return this;
    }

    public long nowMs() {
        return nowMs;
    }

    public long object() {
        return object;
    }

    public long sizeBytes() {
        return sizeBytes;
    }

    public long bytes() {
        return bytes;
    }

    public boolean isWrite() {
        return write;
    }

    public long job() {
        return job;
    }

    public int burst() {
        return burst;
    }

    public int tier() {
        return tier;
    }

    public int pool() {
        return pool;
    }

    public long inputBytes() {
        return inputBytes;
    }

    public long savedNs() {
        return savedNs;
    }
}
