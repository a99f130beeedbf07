package io.terrace.client.remote;

import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.channel.verbs.SharedProvider;
import io.terrace.channel.verbs.VerbsExtent;
import io.terrace.channel.verbs.VerbsLink;
import io.terrace.channel.verbs.VerbsProvider;
import io.terrace.client.ClientConfig;
import io.terrace.common.LogThrottle;
import io.terrace.common.RetryPause;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The RDMA connection to one DataNode, kept and shared by all readers of the process, made anew when it has ended. Where
 * this host has no RDMA, one line says so and everything goes over tcp. Thread-safe.
 */
final class VerbsConnector {
    private static final Logger LOG = LoggerFactory.getLogger(VerbsConnector.class);
    private static final long FIRST_PAUSE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NS = TimeUnit.SECONDS.toNanos(60);

    /** Makes connections. */
    interface Way {
        /** Opens what this process has of RDMA, once, which takes as long as it takes; false where it has none. */
        default boolean open() {
            return true;
        }

        /** In time; null where this process has no RDMA. */
        @Nullable
        Link connect(InetSocketAddress where, long timeoutNs) throws IOException;
    }

    /** A connection. */
    interface Link extends Closeable {
        /** @throws ChannelException with NO_ACCESS when the key is void */
        VerbsExtent attach(RegionKey key, long timeoutNs) throws IOException;

        boolean hasEnded();
    }

    private record OfDevice(VerbsLink link) implements Link {
        @Override
        public VerbsExtent attach(RegionKey key, long timeoutNs) throws IOException {
            return link.attach(key, timeoutNs);
        }

        @Override
        public boolean hasEnded() {
            return link.hasEnded();
        }

        @Override
        public void close() throws IOException {
            link.close();
        }
    }

    private final InetSocketAddress address;
    private final Way way;
    private final MetricRegistry metricRegistry;
    private final LongSupplier clockNs;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Link link;
    private final RetryPause pause = new RetryPause(FIRST_PAUSE_NS, LONGEST_PAUSE_NS);

    /** Only a READ ends it: what a switch drops of them may let the small messages of an attach through. */
    private final RetryPause readPause = new RetryPause(FIRST_PAUSE_NS, LONGEST_PAUSE_NS);

    /** Failures are logged once, until RDMA works again. */
    private final LogThrottle failures = LogThrottle.once();

    private boolean closed;

    VerbsConnector(InetSocketAddress address, Way way, MetricRegistry metricRegistry, LongSupplier clockNs) {
        this.address = address;
        this.way = way;
        this.metricRegistry = metricRegistry;
        this.clockNs = clockNs;
    }

    /** @param where as the DataNode says, host:port; null when it has none, or RDMA is not wanted here */
    static @Nullable VerbsConnector at(String where, ClientConfig.Remote settings, MetricRegistry metricRegistry) {
        int colon = where.lastIndexOf(':');
        if (!settings.verbs() || colon < 0) {
            return null;
        }
        try {
            int port = Integer.parseInt(where.substring(colon + 1));
            Way way = new Way() {
                @Override
                public boolean open() {
                    return SharedProvider.get(settings.verbsLibdisni()) != null;
                }

                @Override
                public @Nullable Link connect(InetSocketAddress to, long timeoutNs) throws IOException {
                    VerbsProvider provider = SharedProvider.get(settings.verbsLibdisni());
                    return provider == null
                            ? null
                            : new OfDevice(provider.connect(to, Math.min(timeoutNs, settings.connectTimeoutNs())));
                }
            };
            return new VerbsConnector(
                    new InetSocketAddress(where.substring(0, colon), port), way, metricRegistry, System::nanoTime);
        } catch (IllegalArgumentException e) {
            LOG.debug("{} is no address", where, e);
            return null;
        }
    }

    /**
     * The range that a key was granted for, or null when RDMA does not lead there now; throws nothing, since tcp serves.
     *
     * <p>It connects if need be: the DataNode soon ends a connection over which nothing is attached, and bears few of those.
     *
     * @param timeoutNs for both; half of it for the wait while another thread does either, since with less than the rest nothing
     *     is begun. The libraries of RDMA are opened once in a process, which takes as long as it takes
     */
    @Nullable
    VerbsExtent attach(RegionKey key, long timeoutNs) {
        long deadlineNs = clockNs.getAsLong() + timeoutNs;
        long leastNs = timeoutNs / 2;
        try {
            if (!lock.tryLock(leastNs, TimeUnit.NANOSECONDS)) {
                return null;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
        try {
            return attach(key, deadlineNs, leastNs);
        } finally {
            lock.unlock();
        }
    }

    /** @param leastNs an attach that had less time than this and did not end in it is no fault of RDMA */
    private @Nullable VerbsExtent attach(RegionKey key, long deadlineNs, long leastNs) {
        long nowNs = clockNs.getAsLong();
        if (closed || !pause.isOver(nowNs) || !readPause.isOver(nowNs)) {
            return null;
        }
        long leftNs = 0;
        try {
            Link present = link;
            boolean connects = present == null || present.hasEnded();
            if (connects) {
                drop();
                if (!way.open()) {
                    pause.failedForLong(nowNs);
                    return null;
                }
            }
            leftNs = deadlineNs - clockNs.getAsLong();
            if (leftNs < leastNs) {
                // The first grant of a process loads libraries, which may take as long; others waited for it. The next
                // grant connects: a connection over which nothing is attached counts against this host.
                return null;
            }
            if (connects) {
                present = way.connect(address, leftNs);
                link = present;
                leftNs = deadlineNs - clockNs.getAsLong();
            }
            if (present == null) {
                pause.failedForLong(nowNs);
                return null;
            }
            if (leftNs <= 0) {
                return null;
            }
            VerbsExtent region = attach(present, key, leftNs);
            pause.worked(clockNs.getAsLong());
            failures.reset();
            return region;
        } catch (IOException | RuntimeException | LinkageError | OutOfMemoryError e) {
            // An interrupt says nothing about RDMA, nor does an attach for which a connect left little time.
            boolean hurried = link != null
                    && leftNs < leastNs
                    && e instanceof ChannelException late
                    && late.status() == TransferStatus.DEADLINE;
            if (!hurried && !Thread.currentThread().isInterrupted()) {
                failed(e);
            }
            return null;
        }
    }

    /** Null when the key is void, as that of an extent which could not be registered. */
    private @Nullable VerbsExtent attach(Link present, RegionKey key, long timeoutNs) throws IOException {
        try {
            return present.attach(key, timeoutNs);
        } catch (ChannelException e) {
            if (e.status() != TransferStatus.NO_ACCESS) {
                throw e;
            }
            LOG.debug("{} is not offered by RDMA at {}", key, address, e);
            return null;
        }
    }

    /** How long nothing is read by RDMA from the DataNode, nor attached; its extents share it. */
    RetryPause readPause() {
        return readPause;
    }

    private void failed(Throwable why) {
        metricRegistry.increment(Metric.CLIENT_VERBS_STEPPED_DOWN);
        if (failures.first()) {
            LOG.info("No RDMA to {} for now, tcp serves: {}", address, String.valueOf(why));
        } else {
            LOG.debug("No RDMA to {} for a while", address, why);
        }
        if (!(why instanceof IOException)) {
            // Its state is unknown.
            drop();
        }
        pause.failed(clockNs.getAsLong());
    }

    /** Whoever still holds the connection it belongs to attaches nothing any more. */
    void close() {
        lock.lock();
        try {
            closed = true;
            drop();
        } finally {
            lock.unlock();
        }
    }

    private void drop() {
        Link present = link;
        link = null;
        if (present != null) {
            try {
                present.close();
            } catch (IOException | RuntimeException e) {
                LOG.debug("Closing an RDMA connection", e);
            }
        }
    }
}
