package io.terrace.channel.tcp;

import io.terrace.channel.transport.RegionKey;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection to a DataNode, and the further connections that were opened because it was busy.
 *
 * <p>Threads that share a connection take turns in reading it, and one thread of the DataNode serves it. With small
 * responses this costs less than a connection for each thread, since one thread reads the responses of several at once;
 * large or many responses wait for it. Control messages use the first connection only; when that ends, the others end
 * too. Thread-safe.
 */
public final class TcpConnectionPool implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(TcpConnectionPool.class);
    /** With so much in flight a connection is left to those that use it; measured on loopback, see decision 5. */
    private static final long BUSY_BYTES = 128 * 1024;

    private static final long AFTER_END_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(60);

    private final TcpLink first;
    private final int most;
    private final long timeoutNs;
    private final List<TcpLink> others = new CopyOnWriteArrayList<>();

    /** Held by who opens one more: readers take what there is meanwhile. */
    private final ReentrantLock opening = new ReentrantLock();

    private volatile long pausedUntilNs = System.nanoTime();
    private volatile boolean closed;

    /**
     * @param first closed by {@link #close}
     * @param most connections, the first among them
     * @param timeoutNs for opening one more, and for reaching for a range over it
     */
    public TcpConnectionPool(TcpLink first, int most, long timeoutNs) {
        this.first = first;
        this.most = most;
        this.timeoutNs = timeoutNs;
    }

    public TcpLink first() {
        return first;
    }

    /** Reaches for a registered range over the first connection; over the others once a reader takes them. */
    public PooledTcpExtent attach(RegionKey key, long timeoutNs) throws IOException {
        return new PooledTcpExtent(this, key, first.attach(key, timeoutNs));
    }

    /** Takes in what arrived while nobody waited, and lets go of connections that have ended; never waits. */
    public void pollInput() {
        first.pollInput();
        for (TcpLink other : others) {
            other.pollInput();
            if (other.hasEnded()) {
                ended(other);
            }
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        others.forEach(this::drop);
        first.close();
    }

    long timeoutNs() {
        return timeoutNs;
    }

    /** The first connection that is not busy, which may be opened for it, or else the one with least in flight. */
    TcpLink idlest() {
        TcpLink idlest = first;
        long least = first.bytesInFlight();
        for (TcpLink other : others) {
            if (least < BUSY_BYTES) {
                return idlest;
            }
            long bytes = other.bytesInFlight();
            if (bytes < least && !other.hasEnded()) {
                idlest = other;
                least = bytes;
            }
        }
        return least < BUSY_BYTES ? idlest : opened(idlest);
    }

    /** A connection beside the first has ended. Where the DataNode has no room for it, the next would end too. */
    void ended(TcpLink other) {
        pausedUntilNs = System.nanoTime() + AFTER_END_NS;
        drop(other);
    }

    private TcpLink opened(TcpLink instead) {
        long nowNs = System.nanoTime();
        if (others.size() >= most - 1 || pausedUntilNs - nowNs > 0 || !opening.tryLock()) {
            return instead;
        }
        try {
            if (closed || others.size() >= most - 1) {
                return instead;
            }
            TcpLink fresh = first.beside(timeoutNs);
            others.add(fresh);
            if (closed) {
                drop(fresh);
                return instead;
            }
            return fresh;
        } catch (IOException e) {
            pausedUntilNs = nowNs + PAUSE_NS;
            LOG.debug("No further connection beside one that works; its readers share it", e);
            return instead;
        } finally {
            opening.unlock();
        }
    }

    private void drop(TcpLink other) {
        others.remove(other);
        try {
            other.close();
        } catch (IOException e) {
            LOG.debug("Closing a tcp channel", e);
        }
    }
}
