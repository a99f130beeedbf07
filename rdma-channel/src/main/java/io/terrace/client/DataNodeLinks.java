package io.terrace.client;

import io.terrace.channel.shm.SocketDirectory;
import io.terrace.common.DaemonThreads;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The DataNodes of this host that one channel directory leads to.
 *
 * <p>The first reader of a process looks through the directory and waits for the DataNodes to answer; those that come at the
 * same time wait with it, as who opens a block elsewhere reads all of it there. From then on a daemon thread looks for
 * DataNodes that came or went while there are readers, and readers never do. Thread-safe.
 */
final class DataNodeLinks {
    private static final Logger LOG = LoggerFactory.getLogger(DataNodeLinks.class);

    /** DataNodes of one host, at most. */
    private static final int MAX_LINKS = 64;

    /** Without a reader for so long the thread ends; the next reader starts another. */
    private static final long UNUSED_NS = TimeUnit.MINUTES.toNanos(1);

    private final ClientConfig.Local settings;
    private final Path directory;
    private final Function<Path, DataNodeLink> connector;
    private final ReentrantLock scanning = new ReentrantLock();

    /** Guarded by the lock of scans. */
    private final LinkAttempts attempts;

    /** Why the last scan failed, which was logged; empty where it did not. Guarded by the lock of scans. */
    private String failure = "";

    /** Replaced by whoever scans: readers go through it by number, which allocates nothing. */
    private volatile List<DataNodeLink> links = List.of();

    private volatile boolean scanned;

    /** Whether a reader came since the thread last asked. */
    private volatile boolean used;

    private final AtomicBoolean scannerRuns = new AtomicBoolean();
    private volatile @Nullable Thread scanner;

    /** @param connector makes the link to the DataNode of a socket; it is not started yet */
    DataNodeLinks(ClientConfig.Local settings, Path directory, Function<Path, DataNodeLink> connector) {
        this.settings = settings;
        this.directory = directory;
        this.connector = connector;
        this.attempts = new LinkAttempts(TimeUnit.MILLISECONDS.toNanos(settings.connectPauseMs()));
    }

    /** A reader is here: connects if it is the first. */
    void use() {
        if (!scanned) {
            scan(true);
        }
        if (!used) {
            used = true;
            startScanner();
        }
    }

    /** The DataNode that has the block in memory or on NVM, as far as its table tells. Allocates nothing, calls nobody. */
    @Nullable
    DataNodeLink holding(String pool, long blockId, long generationStamp) {
        List<DataNodeLink> known = links;
        for (int i = 0; i < known.size(); i++) {
            if (known.get(i).isResident(pool, blockId, generationStamp)) {
                return known.get(i);
            }
        }
        return null;
    }

    boolean isAnyOpen() {
        List<DataNodeLink> known = links;
        for (int i = 0; i < known.size(); i++) {
            if (known.get(i).isOpen()) {
                return true;
            }
        }
        return false;
    }

    int size() {
        return links.size();
    }

    void reportSoon() {
        links.forEach(DataNodeLink::reportSoon);
    }

    /** Says goodbye to all; the next reader starts anew. */
    void close(long timeoutMs) {
        // A scan may wait for DataNodes, and a process that ends does not wait for it.
        boolean alone = mayScan(timeoutMs);
        try {
            links.forEach(link -> link.close(timeoutMs));
            if (alone) {
                links = List.of();
                scanned = false;
                used = false;
                attempts.retain(List.of());
            }
        } finally {
            if (alone) {
                scanning.unlock();
            }
        }
        Thread running = scanner;
        if (running != null) {
            LockSupport.unpark(running);
        }
    }

    private void startScanner() {
        if (!scannerRuns.get() && scannerRuns.compareAndSet(false, true)) {
            Thread thread = DaemonThreads.make("terrace-channel-scan", this::scanWhileUsed);
            scanner = thread;
            boolean started = false;
            try {
                thread.start();
                started = true;
            } finally {
                if (!started) {
                    // A process may be out of threads for a while.
                    scannerRuns.set(false);
                }
            }
        }
    }

    private void scanWhileUsed() {
        do {
            try {
                scanUntilUnused();
            } finally {
                scannerRuns.set(false);
            }
            // A reader that came meanwhile may have taken this thread for one that goes on.
        } while (used && scanned && scannerRuns.compareAndSet(false, true));
    }

    private void scanUntilUnused() {
        long usedNs = System.nanoTime();
        // At once: DataNodes may have come while nobody read.
        while (scanned && System.nanoTime() - usedNs < UNUSED_NS) {
            scan(false);
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(settings.connectPauseMs()));
            if (used) {
                used = false;
                usedNs = System.nanoTime();
            }
        }
    }

    /** @param first whether a reader wants to go through what is found */
    private void scan(boolean first) {
        if (!mayScan(settings.grantTimeoutMs())) {
            // Somebody looks already, and for long: no block is in memory meanwhile.
            return;
        }
        try {
            // Whoever waited for the lock finds what was found meanwhile; what was closed meanwhile stays so.
            if (scanned != first) {
                update(first);
            }
        } finally {
            scanning.unlock();
        }
    }

    /** Whether this thread has the lock of scans now; an interrupted one does not wait for it. */
    private boolean mayScan(long timeoutMs) {
        try {
            return scanning.tryLock(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Looks for DataNodes that came, and drops those that went. */
    private void update(boolean first) {
        long nowNs = System.nanoTime();
        List<DataNodeLink> now = new ArrayList<>(links);
        try {
            now.removeIf(this::hasEnded);
            now.forEach(link -> link.touch(nowNs));
            List<Path> sockets = SocketDirectory.check(directory).sockets(MAX_LINKS);
            attempts.retain(sockets);
            for (Path socket : sockets) {
                if (now.size() < MAX_LINKS
                        && now.stream().noneMatch(link -> link.socketPath().equals(socket))
                        && attempts.mayTry(socket, nowNs)) {
                    DataNodeLink link = connector.apply(socket);
                    link.start();
                    now.add(link);
                }
            }
            if (first) {
                long deadlineNs = nowNs + TimeUnit.MILLISECONDS.toNanos(settings.grantTimeoutMs());
                for (DataNodeLink each : now) {
                    each.awaitOpened(deadlineNs - System.nanoTime());
                }
                now.removeIf(this::hasEnded);
            }
            failure = "";
        } catch (IOException | UncheckedIOException | OutOfMemoryError e) {
            // Also where a link's thread cannot be started. The next scan tries again.
            failed(
                    e instanceof NoSuchFileException
                            ? "terrace.channel.dir is " + directory + ", and " + e.getMessage()
                                    + " does not exist; does a DataNode with Terrace run on this host, and does this process"
                                    + " see its directories?"
                            : e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            links = List.copyOf(now);
            scanned = true;
        }
    }

    private boolean hasEnded(DataNodeLink link) {
        boolean ended = link.hasEnded();
        if (ended) {
            attempts.ended(link.socketPath(), link.fault(), System.nanoTime());
        }
        return ended;
    }

    private void failed(String why) {
        if (!why.equals(failure)) {
            failure = why;
            LOG.info("Reads through stock HDFS only: {}", why);
        }
    }
}
