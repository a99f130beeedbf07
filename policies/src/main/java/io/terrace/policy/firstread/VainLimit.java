package io.terrace.policy.firstread;

/**
 * Keeps the bytes that were copied ahead of a first read in vain below a share of all that are copied into memory. Some may be
 * lost at first, as nothing is known yet. Single-threaded.
 */
public final class VainLimit {

    /** What the service, and simulations of it, allow at first. */
    public static final long AT_FIRST_BYTES = 256L << 20;

    private final double share;
    private final long atFirstBytes;
    private double copiedBytes;
    private double vainBytes;

    /**
     * Begins to count.
     *
     * @param share of the bytes copied into memory, for whatever reason
     * @param atFirstBytes in vain before the share is looked at
     */
    public VainLimit(double share, long atFirstBytes) {
        this.share = share;
        this.atFirstBytes = atFirstBytes;
    }

    /** Bytes were copied into memory, ahead of a read or not. */
    public void copied(long bytes) {
        copiedBytes += bytes;
    }

    /** Bytes that were copied ahead left, or were given up, without a read. */
    public void inVain(long bytes) {
        vainBytes += bytes;
    }

    /**
     * Whether more may be copied ahead, even if nothing of that, and nothing that waits, is ever read.
     *
     * @param waitingBytes copied ahead and not read yet, with those that are to be copied
     */
    public boolean allows(long waitingBytes) {
        return vainBytes + waitingBytes <= Math.max(atFirstBytes, share * copiedBytes);
    }

    public double vainBytes() {
        return vainBytes;
    }
}
