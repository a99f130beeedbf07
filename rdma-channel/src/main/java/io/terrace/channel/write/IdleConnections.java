package io.terrace.channel.write;

import io.terrace.common.DaemonThreads;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections for writes that nobody uses now, kept for the next block for a few seconds. A thread closes them after
 * that; it ends when there are none. Thread-safe.
 */
public final class IdleConnections implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(IdleConnections.class);
    private static final long KEPT_NS = TimeUnit.SECONDS.toNanos(3);
    private static final int MAX_KEPT = 64;

    /** Between two tries to start a thread. */
    private static final long START_PAUSE_NS = TimeUnit.SECONDS.toNanos(1);

    private final Deque<Kept> kept = new ArrayDeque<>();
    private final ThreadFactory threads;
    private final LongSupplier nanoTime;
    private boolean closing;
    private long nextStartNs;

    public IdleConnections() {
        this(DaemonThreads.named("terrace-idle-writes"), System::nanoTime);
    }

    IdleConnections(ThreadFactory threads, LongSupplier nanoTime) {
        this.threads = threads;
        this.nanoTime = nanoTime;
        this.nextStartNs = nanoTime.getAsLong();
    }

    private record Kept(WriteConnection connection, long sinceNs) {}

    /** The one that was used last of that DataNode and is still there; null when there is none. */
    public @Nullable WriteConnection take(String datanode) {
        for (WriteConnection next = remove(datanode); next != null; next = remove(datanode)) {
            if (next.isIdle()) {
                return next;
            }
            close(next);
        }
        return null;
    }

    private synchronized @Nullable WriteConnection remove(String datanode) {
        for (Iterator<Kept> each = kept.iterator(); each.hasNext(); ) {
            WriteConnection connection = each.next().connection();
            if (connection.datanode().equals(datanode)) {
                each.remove();
                return connection;
            }
        }
        return null;
    }

    public void give(WriteConnection connection) {
        if (!keep(connection)) {
            close(connection);
        }
    }

    private synchronized boolean keep(WriteConnection connection) {
        if (kept.size() >= MAX_KEPT) {
            return false;
        }
        long nowNs = nanoTime.getAsLong();
        if (!closing && nowNs - nextStartNs >= 0) {
            // Without a thread nobody would close it.
            closing = DaemonThreads.tryStart(threads.newThread(this::closeUnused));
            nextStartNs = nowNs + (closing ? 0 : START_PAUSE_NS);
        }
        if (closing) {
            kept.addFirst(new Kept(connection, nowNs));
        }
        return closing;
    }

    private void closeUnused() {
        try {
            boolean any = true;
            while (any) {
                TimeUnit.NANOSECONDS.sleep(KEPT_NS / 4);
                List<WriteConnection> unused = new ArrayList<>();
                any = removeUnused(nanoTime.getAsLong(), unused);
                unused.forEach(IdleConnections::close);
            }
        } catch (InterruptedException e) {
            LOG.debug("Idle connections are closed when they are asked for", e);
        }
    }

    /** Moves those that are kept for too long to a list; whether others are left. */
    private synchronized boolean removeUnused(long nowNs, List<WriteConnection> unused) {
        while (!kept.isEmpty() && nowNs - kept.getLast().sinceNs() > KEPT_NS) {
            unused.add(kept.removeLast().connection());
        }
        closing = !kept.isEmpty();
        return closing;
    }

    /** Closes those that are kept now. */
    @Override
    public void close() {
        List<WriteConnection> all;
        synchronized (this) {
            all = kept.stream().map(Kept::connection).toList();
            kept.clear();
        }
        all.forEach(IdleConnections::close);
    }

    private static void close(WriteConnection connection) {
        try {
            connection.close();
        } catch (IOException e) {
            LOG.debug("Closing an idle connection", e);
        }
    }
}
