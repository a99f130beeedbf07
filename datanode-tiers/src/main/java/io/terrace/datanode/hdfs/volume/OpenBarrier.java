package io.terrace.datanode.hdfs.volume;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.jspecify.annotations.Nullable;

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

    /** Opens files of a replica, and once more if a move ended before they were open. */
    public <T extends @Nullable Object> T open(long blockId, CallableRaisingIOE<T> opening, BooleanSupplier isWhole)
            throws IOException {
        Lock opens = opening(blockId);
        opens.lock();
        try {
            T opened = opening.apply();
            return opened != null || !isWhole.getAsBoolean() ? opened : opening.apply();
        } catch (IOException e) {
            if (!isWhole.getAsBoolean()) {
                throw e;
            }
            return opening.apply();
        } finally {
            opens.unlock();
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
