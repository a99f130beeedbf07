package io.terrace.channel.verbs;

import io.terrace.channel.Grant;
import io.terrace.channel.server.OneSidedRanges;
import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RegionKey;
import io.terrace.common.BlockKey;
import io.terrace.common.CloseAll;
import io.terrace.common.DaemonThreads;
import io.terrace.common.LogThrottle;
import java.io.Closeable;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The extents of a DataNode that clients may read with RDMA. An extent is registered when it is granted for the first time
 * and stays so, whoever comes and goes, until it is freed; a grant only adds its key to those that lead there. Thread-safe.
 */
public final class ExtentRegistry implements OneSidedRanges, Closeable {
    private static final long CLOSE_S = 10;

    private record Place(BlockKey block, long address) {}

    /** An extent that was granted, and what has become of it. Guarded by the monitor of these extents. */
    private static final class Extent {
        /** Null until it is registered. */
        @Nullable
        RegionKey own;

        boolean freed;
        boolean isVoid;
        long voidNs;
    }

    private final VerbsProvider provider;
    private final VerbsListener listener;
    private final Map<Place, Extent> extents = new HashMap<>();
    private final Map<RegionKey, Extent> granted = new HashMap<>();

    /** Takes extents from the device once the last READ is over. */
    private final ScheduledThreadPoolExecutor later;

    private final Runnable refused;
    private final LogThrottle refusals = LogThrottle.once();
    private boolean closed;

    private ExtentRegistry(VerbsProvider provider, VerbsListener listener, Runnable refused) {
        this.provider = provider;
        this.listener = listener;
        this.refused = refused;
        this.later = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("terrace-verbs-extents"));
    }

    /**
     * Offers extents at an address of an RDMA device.
     *
     * @param where with a wildcard host, the first address of this host that has a device
     * @param refused told of each grant whose extent cannot be registered, so that tcp alone serves it
     * @throws IOException that says what is missing
     */
    public static ExtentRegistry open(
            InetSocketAddress where, VerbsLimits limits, VerbsOptions choices, Runnable refused) throws IOException {
        VerbsProvider provider = VerbsProvider.open(limits, choices);
        try {
            return new ExtentRegistry(provider, listen(provider, where), refused);
        } catch (IOException | RuntimeException e) {
            CloseAll.after(e, List.of(provider));
            throw new IOException(e.getMessage(), e);
        }
    }

    public SocketAddress address() {
        return listener.address();
    }

    @Override
    public String where() {
        return listener.address() instanceof InetSocketAddress internet
                ? internet.getAddress().getHostAddress() + ":" + internet.getPort()
                : "";
    }

    /** Windows that clients write into, of so many bytes together. */
    public ListenerWindows windows(long mostBytes) {
        return new ListenerWindows(listener, where(), mostBytes);
    }

    /** The listener, for its figures. */
    public VerbsListener listener() {
        return listener;
    }

    @Override
    public void granted(Grant grant, RegionKey key, Path file, ChunkChecksums checksums) {
        Place place = new Place(grant.descriptor().block(), grant.descriptor().address());
        Extent extent;
        synchronized (this) {
            if (closed) {
                return;
            }
            extent = extents.computeIfAbsent(place, fresh -> new Extent());
        }
        try {
            register(extent, new ExtentRange(file, key.address(), key.lengthBytes()), checksums);
            admit(extent, key);
        } catch (IOException | RuntimeException | Error e) {
            // Tcp serves the extent, whatever failed here.
            refused(place, extent, e);
        }
    }

    /**
     * Who comes for the same extent meanwhile waits, and keeps the worker that grants it: pinning takes long for a large
     * extent. Reads go on.
     */
    private void register(Extent extent, ExtentRange range, ChunkChecksums checksums) throws IOException {
        synchronized (extent) {
            synchronized (this) {
                if (extent.own != null || extent.freed) {
                    return;
                }
            }
            RegionKey own = listener.register(range, Access.READ, checksums);
            synchronized (this) {
                extent.own = own;
                refusals.reset();
                if (extent.freed) {
                    letGo(extent, own);
                }
            }
        }
    }

    private synchronized void admit(Extent extent, RegionKey key) throws IOException {
        RegionKey own = extent.own;
        if (own != null && !extent.freed && !closed) {
            listener.admit(key, own);
            granted.put(key, extent);
        }
    }

    private synchronized void refused(Place place, Extent extent, Throwable why) {
        if (extent.own == null) {
            // Threads that wait for the same extent do not try again.
            extent.freed = true;
            extents.remove(place, extent);
        }
        refused.run();
        // Its readers ask again and again: log once until there is space again.
        if (refusals.first()) {
            VerbsProvider.LOG.info("{} and others are served over tcp only: {}", place.block, String.valueOf(why));
        }
    }

    @Override
    public synchronized void retired(RegionKey key) {
        Extent extent = granted.get(key);
        if (extent != null && extent.own != null) {
            makeVoid(extent, extent.own);
        }
    }

    @Override
    public synchronized long ended(RegionKey key) {
        return granted.remove(key) != null && listener.dismiss(key) ? VerbsExtent.LONGEST_READ_NS : 0;
    }

    /**
     * An extent is about to be freed. Whoever reads it late sees by its word that it is void; it stays registered until the
     * last READ that may be under way is over, because one that meets no registration ends its connection.
     */
    public synchronized void freed(BlockKey block, long address) {
        Extent extent = extents.remove(new Place(block, address));
        if (extent != null) {
            extent.freed = true;
            if (extent.own != null) {
                letGo(extent, extent.own);
            }
        }
    }

    private void makeVoid(Extent extent, RegionKey own) {
        if (!extent.isVoid) {
            extent.isVoid = true;
            extent.voidNs = System.nanoTime();
            listener.voidWord(own);
        }
    }

    private void letGo(Extent extent, RegionKey own) {
        makeVoid(extent, own);
        long leftNs = extent.voidNs + VerbsExtent.LONGEST_READ_NS - System.nanoTime();
        try {
            var unused = later.schedule(() -> deregister(own), leftNs, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // Closed: the listener deregisters everything.
            VerbsProvider.LOG.debug("An extent goes with its listener", e);
        }
    }

    private void deregister(RegionKey own) {
        try {
            listener.deregister(own);
        } catch (IOException | RuntimeException | Error e) {
            VerbsProvider.LOG.error("An extent stays registered", e);
        }
    }

    /** What is freed from now on has been deregistered: whoever frees extents may end later. */
    @Override
    public void close() throws IOException {
        synchronized (this) {
            closed = true;
            extents.clear();
            granted.clear();
        }
        List<Runnable> unused = later.shutdownNow();
        try {
            if (!later.awaitTermination(CLOSE_S, TimeUnit.SECONDS)) {
                VerbsProvider.LOG.warn("An extent is still being deregistered");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        CloseAll.all(listener, provider);
    }

    private static VerbsListener listen(VerbsProvider provider, InetSocketAddress where) throws IOException {
        if (!where.getAddress().isAnyLocalAddress()) {
            return provider.serve(where);
        }
        List<String> tried = new ArrayList<>();
        for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            for (InetAddress host : Collections.list(network.getInetAddresses())) {
                if (host.isLoopbackAddress() || host instanceof Inet6Address) {
                    continue;
                }
                try {
                    return provider.serve(new InetSocketAddress(host, where.getPort()));
                } catch (IOException e) {
                    tried.add(host.getHostAddress() + ": " + e.getMessage());
                }
            }
        }
        throw new IOException("no address of this host belongs to an RDMA device: " + tried);
    }
}
