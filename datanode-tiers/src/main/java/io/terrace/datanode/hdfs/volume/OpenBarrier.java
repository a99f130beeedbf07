package io.terrace.datanode.hdfs.volume;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Lets a move wait for those who looked up the old place of a replica and have yet to open its files. Stock looks a
 * replica up under its lock and opens the files without it; who opens late would find no file, fail the client's read and
 * start a check of the disk.
 *
 * <p>Openers hold a shared lock of one of a few stripes. Thread-safe.
 */
public final class OpenBarrier {

    private static final int STRIPES = 64;

    private final ReadWriteLock[] stripes = new ReadWriteLock[STRIPES];

    /** Nobody opens anything yet. */
    OpenBarrier() {
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new ReentrantReadWriteLock();
        }
    }

    /** To be held from before the replica is looked up until its files are open. */
    public Lock opening(long blockId) {
        return stripe(blockId).readLock();
    }

    /**
     * Waits until all who began before this call have opened their files. New ones of the stripe wait as long.
     *
     * @return false if they need longer than that, as on a disk that hangs
     */
    boolean await(long blockId, long timeoutMs) throws InterruptedException {
        Lock exclusive = stripe(blockId).writeLock();
        if (!exclusive.tryLock(timeoutMs, TimeUnit.MILLISECONDS)) {
            return false;
        }
        exclusive.unlock();
        return true;
    }

    private ReadWriteLock stripe(long blockId) {
        return stripes[(int) Math.floorMod(blockId, (long) STRIPES)];
    }
}
