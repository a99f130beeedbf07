package io.terrace.client.landing;

import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.verbs.SharedProvider;
import io.terrace.channel.verbs.VerbsLink;
import io.terrace.channel.verbs.VerbsProvider;
import io.terrace.channel.write.WindowOutput;
import io.terrace.client.ClientConfig;
import io.terrace.common.CloseAll;
import io.terrace.common.DaemonThreads;
import io.terrace.common.LogThrottle;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Attaches the landing windows of DataNodes by RDMA. Where that fails a DataNode is written to over tcp alone for a while.
 * Thread-safe.
 */
public final class WindowConnector {
    private static final Logger LOG = LoggerFactory.getLogger(WindowConnector.class);
    private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(60);

    /** Pauses that are remembered; beyond them all are forgotten. */
    private static final int MAX_PAUSED = 8192;

    /** Attaches a window. */
    public interface Way {
        /** Null where this process has no RDMA. */
        @Nullable
        WindowOutput attach(InetSocketAddress where, RegionKey key) throws IOException;
    }

    private final @Nullable Way way;
    private final MetricRegistry metricRegistry;
    private final Map<String, Long> pausedUntilNs = new ConcurrentHashMap<>();

    /** Failures are logged once, until RDMA works again. */
    private final LogThrottle failures = LogThrottle.once();

    /** @param way null where RDMA is not wanted */
    public WindowConnector(@Nullable Way way, MetricRegistry metricRegistry) {
        this.way = way;
        this.metricRegistry = metricRegistry;
    }

    public static WindowConnector of(ClientConfig.Remote settings, MetricRegistry metricRegistry) {
        return new WindowConnector(
                settings.verbs() ? (where, key) -> attach(settings, where, key) : null, metricRegistry);
    }

    private static @Nullable WindowOutput attach(ClientConfig.Remote settings, InetSocketAddress where, RegionKey key)
            throws IOException {
        VerbsProvider provider = SharedProvider.get(settings.verbsLibdisni());
        if (provider == null) {
            return null;
        }
        VerbsLink link = provider.connect(where, settings.connectTimeoutNs());
        try {
            return link.window(key, settings.connectTimeoutNs());
        } catch (IOException | RuntimeException e) {
            CloseAll.after(e, List.of(link));
            throw e;
        }
    }

    /** Whether a new connection to this DataNode takes an offer. */
    public boolean wants(String datanode) {
        Long until = pausedUntilNs.get(datanode);
        return way != null && (until == null || until - System.nanoTime() <= 0);
    }

    /** Begins to attach a window, on another thread: it takes milliseconds, and longer where nobody answers. */
    Attempt begin(String datanode, String where, RegionKey key) {
        Attempt attempt = new Attempt();
        DaemonThreads.make("terrace-window", () -> attempt.done(attach(datanode, where, key)))
                .start();
        return attempt;
    }

    private @Nullable WindowOutput attach(String datanode, String where, RegionKey key) {
        Way wanted = way;
        int colon = where.lastIndexOf(':');
        if (wanted == null || colon < 0) {
            return null;
        }
        try {
            int port = Integer.parseInt(where.substring(colon + 1));
            WindowOutput writer = wanted.attach(new InetSocketAddress(where.substring(0, colon), port), key);
            if (writer == null) {
                pause(datanode);
            } else {
                failures.reset();
            }
            return writer;
        } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
            failed(datanode, where, e);
            return null;
        }
    }

    /** RDMA to this DataNode failed. */
    void failed(String datanode, String where, Throwable why) {
        metricRegistry.increment(Metric.CLIENT_VERBS_STEPPED_DOWN);
        if (failures.first()) {
            LOG.info("No writes by RDMA to {} for now, tcp serves: {}", where, String.valueOf(why));
        } else {
            LOG.debug("No writes by RDMA to {} for {} s", where, TimeUnit.NANOSECONDS.toSeconds(PAUSE_NS), why);
        }
        pause(datanode);
    }

    private void pause(String datanode) {
        if (pausedUntilNs.size() >= MAX_PAUSED) {
            pausedUntilNs.clear();
        }
        pausedUntilNs.put(datanode, System.nanoTime() + PAUSE_NS);
    }

    /** A window that is being attached. */
    static final class Attempt {
        private boolean over;
        private boolean abandoned;
        private @Nullable WindowOutput writer;

        private void done(@Nullable WindowOutput attached) {
            boolean late;
            synchronized (this) {
                late = abandoned;
                over = true;
                writer = late ? null : attached;
            }
            if (late && attached != null) {
                close(attached);
            }
        }

        synchronized boolean isOver() {
            return over;
        }

        /** What was attached; null when nothing was. To be asked for once. */
        synchronized @Nullable WindowOutput take() {
            WindowOutput taken = writer;
            writer = null;
            return taken;
        }

        /** Nobody waits for it any more. */
        void abandon() {
            WindowOutput left;
            synchronized (this) {
                abandoned = true;
                left = take();
            }
            if (left != null) {
                close(left);
            }
        }

        private static void close(WindowOutput writer) {
            try {
                writer.close();
            } catch (IOException e) {
                LOG.debug("Closing a window that nobody waits for", e);
            }
        }
    }
}
