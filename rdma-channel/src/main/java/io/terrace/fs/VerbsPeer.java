package io.terrace.fs;

import io.terrace.channel.ChannelException;
import io.terrace.channel.RegionKey;
import io.terrace.channel.verbs.VerbsChoices;
import io.terrace.channel.verbs.VerbsLimits;
import io.terrace.channel.verbs.VerbsLink;
import io.terrace.channel.verbs.VerbsProvider;
import io.terrace.channel.verbs.VerbsRegion;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The RDMA connection to one DataNode, kept and shared by all readers of the process, made anew when it has ended. Where
 * this host has no RDMA, one line says so and everything goes over tcp. Thread-safe.
 */
final class VerbsPeer {
    private static final Logger LOG = LoggerFactory.getLogger(VerbsPeer.class);
    private static final long FIRST_PAUSE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_PAUSE_NS = TimeUnit.SECONDS.toNanos(60);

    private final InetSocketAddress address;
    private final RemoteSettings settings;
    private @Nullable VerbsLink link;
    private long pauseNs = FIRST_PAUSE_NS;
    private long pausedUntilNs = System.nanoTime();

    private VerbsPeer(InetSocketAddress address, RemoteSettings settings) {
        this.address = address;
        this.settings = settings;
    }

    /** @param where as the DataNode says, host:port; null when it has none, or RDMA is not wanted here */
    static @Nullable VerbsPeer at(String where, RemoteSettings settings) {
        int colon = where.lastIndexOf(':');
        if (!settings.verbs() || colon < 0) {
            return null;
        }
        try {
            int port = Integer.parseInt(where.substring(colon + 1));
            return new VerbsPeer(new InetSocketAddress(where.substring(0, colon), port), settings);
        } catch (IllegalArgumentException e) {
            LOG.debug("{} is no address", where, e);
            return null;
        }
    }

    /** The range that a key was granted for, or null when RDMA does not lead there now. */
    synchronized @Nullable VerbsRegion attach(RegionKey key, long timeoutNs) {
        long nowNs = System.nanoTime();
        if (pausedUntilNs - nowNs > 0) {
            return null;
        }
        try {
            VerbsProvider provider = Process.provider(settings);
            if (provider == null) {
                pausedUntilNs = nowNs + LONGEST_PAUSE_NS;
                return null;
            }
            VerbsLink present = link;
            if (present == null || present.hasEnded()) {
                close();
                present = provider.connect(address, settings.connectTimeoutNs());
                link = present;
            }
            VerbsRegion region = present.attach(key, timeoutNs);
            pauseNs = FIRST_PAUSE_NS;
            return region;
        } catch (ChannelException e) {
            LOG.debug("{} is not offered by RDMA at {}", key, address, e);
            return null;
        } catch (IOException | LinkageError e) {
            LOG.debug("No RDMA to {} for {} ms", address, pauseNs / 1_000_000, e);
            pausedUntilNs = System.nanoTime() + pauseNs;
            pauseNs = Math.min(LONGEST_PAUSE_NS, 2 * pauseNs);
            return null;
        }
    }

    synchronized void close() {
        VerbsLink present = link;
        link = null;
        if (present != null) {
            try {
                present.close();
            } catch (IOException e) {
                LOG.debug("Closing an RDMA connection", e);
            }
        }
    }

    /** What this process has of RDMA, found out once. */
    private static final class Process {
        private static boolean tried;
        private static @Nullable VerbsProvider provider;

        private Process() {}

        static synchronized @Nullable VerbsProvider provider(RemoteSettings settings) {
            if (!tried) {
                tried = true;
                try {
                    provider =
                            VerbsProvider.open(VerbsLimits.DEFAULT, new VerbsChoices(settings.verbsLibdisni(), false));
                    LOG.info("Reading the memory of other hosts by RDMA");
                } catch (IOException | LinkageError e) {
                    LOG.info("Reading the memory of other hosts over tcp: {}", e.getMessage());
                }
            }
            return provider;
        }
    }
}
