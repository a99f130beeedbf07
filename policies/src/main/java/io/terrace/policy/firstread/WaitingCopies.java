package io.terrace.policy.firstread;

import it.unimi.dsi.fastutil.longs.Long2LongLinkedOpenHashMap;

/** Copies in the fastest tier that wait for a read, for a time that is the same for all, and how that went. Single-threaded. */
public final class WaitingCopies {

    private final long withinMs;
    private final Long2LongLinkedOpenHashMap sinceMs = new Long2LongLinkedOpenHashMap();
    private final Long2LongLinkedOpenHashMap bytesOf = new Long2LongLinkedOpenHashMap();
    private long bytes;
    private double copiedBytes;
    private double givenUpBytes;
    private long served;

    WaitingCopies(long withinMs) {
        this.withinMs = withinMs;
    }

    void add(long nowMs, long object, long sizeBytes) {
        sinceMs.put(object, nowMs);
        bytesOf.put(object, sizeBytes);
        bytes += sizeBytes;
        copiedBytes += sizeBytes;
    }

    boolean contains(long object) {
        return bytesOf.containsKey(object);
    }

    long sinceMs(long object) {
        return sinceMs.get(object);
    }

    long bytes(long object) {
        return bytesOf.get(object);
    }

    /** Of all that waits. */
    long bytes() {
        return bytes;
    }

    boolean isFirstOver(long nowMs) {
        return !sinceMs.isEmpty() && nowMs - sinceMs.get(first()) >= withinMs;
    }

    /** The one that has waited longest. */
    long first() {
        return sinceMs.firstLongKey();
    }

    /** Returns its bytes. */
    long remove(long object) {
        sinceMs.remove(object);
        long gone = bytesOf.remove(object);
        bytes -= gone;
        return gone;
    }

    /** It was not copied after all. */
    void notMade(long object) {
        copiedBytes -= remove(object);
    }

    void served() {
        served++;
    }

    void inVain(long sizeBytes) {
        givenUpBytes += sizeBytes;
    }

    /** Bytes that were copied. */
    public double copiedBytes() {
        return copiedBytes;
    }

    /** Of these, bytes that were not read in time, or are still waiting. */
    public double vainBytes() {
        return givenUpBytes + bytes;
    }

    /** Copies that were there when the read came. */
    public long reads() {
        return served;
    }
}
