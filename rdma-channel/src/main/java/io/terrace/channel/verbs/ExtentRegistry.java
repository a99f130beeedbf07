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
    private static final long LOOK_MS = 1_000;

    /** Without a device, one of so many looks tries to serve again. */
    private static final int LOOKS_BETWEEN_TRIES = 10;

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
    private final InetSocketAddress wanted;

    /** After the device was removed it is closed, until there is another. */
    private volatile VerbsListener listener;

    /** Why nothing is served now; empty otherwise. */
    private volatile String problem = "";

    private volatile Runnable connectionRefused = () -> {};
    private final Map<Place, Extent> extents = new HashMap<>();
    private final Map<RegionKey, Extent> granted = new HashMap<>();

    /** Takes extents from the device once the last READ is over. */
    private final ScheduledThreadPoolExecutor later;

    private final Runnable refused;
    private final LogThrottle refusals = new LogThrottle(TimeUnit.MINUTES.toNanos(1));
    private int looks;
    private boolean closed;

    private ExtentRegistry(VerbsProvider provider, InetSocketAddress wanted, Runnable refused, long lookMs)
            throws IOException {
        this.provider = provider;
        this.wanted = wanted;
        this.refused = refused;
        this.listener = listen();
        this.later = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("terrace-verbs-extents"));
        var unused = later.scheduleWithFixedDelay(this::look, lookMs, lookMs, TimeUnit.MILLISECONDS);
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
        return on(VerbsProvider.open(limits, choices), where, refused, LOOK_MS);
    }

    /**
     * As {@link #open}, with a provider that is closed with this.
     *
     * @param lookMs how often to look whether the device is still there
     */
    static ExtentRegistry on(VerbsProvider provider, InetSocketAddress where, Runnable refused, long lookMs)
            throws IOException {
        try {
            return new ExtentRegistry(provider, where, refused, lookMs);
        } catch (IOException | RuntimeException e) {
            CloseAll.after(e, List.of(provider));
            throw new IOException(e.getMessage(), e);
        }
    }

    public SocketAddress address() {
        return listener.address();
    }

    /** Told of each connection that is not taken, from now on. */
    public void tellRefusedConnections(Runnable told) {
        connectionRefused = told;
    }

    /** Why nothing is served for now, as after the device was removed; empty when it is. */
    public String problem() {
        return problem;
    }

    @Override
    public String where() {
        VerbsListener present = listener;
        if (!present.isServing()) {
            return "";
        }
        return present.address() instanceof InetSocketAddress internet
                ? internet.getAddress().getHostAddress() + ":" + internet.getPort()
                : "";
    }

    /** Windows that clients write into, of so many bytes together. */
    public ListenerWindows windows(long mostBytes) {
        return new ListenerWindows(this, mostBytes);
    }

    /** The listener, for its figures; one that is closed while there is no device. */
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
        // Its readers ask again and again.
        Long others = refusals.next(System.nanoTime());
        if (others != null) {
            VerbsProvider.LOG.info(
                    "{} and others are served over tcp only: {}; terrace.channel.verbs.registered.max and the limit of locked memory (LimitMEMLOCK of the DataNode's unit) bound what is registered ({} others before it)",
                    place.block,
                    String.valueOf(why),
                    others);
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

    /**
     * Unmaps what has rested, takes away what a removed device had, and looks for one to serve at: it may come back, as after
     * a reset of the card.
     */
    private void look() {
        try {
            listener.endRest();
            if (!listener.isServing()) {
                giveUp();
                looks++;
                if (looks % LOOKS_BETWEEN_TRIES == 0) {
                    serveAgain();
                }
            }
        } catch (IOException | RuntimeException | Error e) {
            VerbsProvider.LOG.error("Cannot look after the RDMA device", e);
        }
    }

    private void giveUp() {
        synchronized (this) {
            if (closed || !problem.isEmpty()) {
                return;
            }
            problem = "the RDMA device of " + listener.address() + " was removed; tcp serves until it is there again";
            extents.clear();
            granted.clear();
        }
        VerbsListener gone = listener;
        try {
            CloseAll.all(gone, () -> provider.forget(gone.domain()));
        } catch (IOException | RuntimeException | Error e) {
            VerbsProvider.LOG.warn("Not all that a removed RDMA device had can be given back", e);
        }
    }

    private void serveAgain() {
        try {
            VerbsListener fresh = listen();
            boolean late;
            synchronized (this) {
                late = closed;
                if (!late) {
                    listener = fresh;
                    problem = "";
                }
            }
            if (late) {
                fresh.close();
            } else {
                VerbsProvider.LOG.info("Serving memory by RDMA at {} again", fresh.address());
            }
        } catch (IOException e) {
            VerbsProvider.LOG.debug("No RDMA device to serve at yet", e);
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
        if (!hasEndedIn(TimeUnit.SECONDS.toNanos(CLOSE_S))) {
            VerbsProvider.LOG.warn("An extent is still being deregistered");
        }
        CloseAll.all(listener, provider);
    }

    /** Also for who is interrupted: the device's objects are freed next. */
    private boolean hasEndedIn(long timeoutNs) {
        long deadlineNs = System.nanoTime() + timeoutNs;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return later.awaitTermination(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private VerbsListener listen() throws IOException {
        InetSocketAddress where = wanted;
        Runnable told = () -> connectionRefused.run();
        if (!where.getAddress().isAnyLocalAddress()) {
            return provider.serve(where, told);
        }
        List<String> tried = new ArrayList<>();
        for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            for (InetAddress host : Collections.list(network.getInetAddresses())) {
                if (host.isLoopbackAddress()) {
                    continue;
                }
                if (host instanceof Inet6Address) {
                    // Clients are told one address, and those with IPv4 alone could not connect to it.
                    tried.add(host.getHostAddress() + ": IPv6, left out");
                    continue;
                }
                try {
                    return provider.serve(new InetSocketAddress(host, where.getPort()), told);
                } catch (IOException e) {
                    tried.add(host.getHostAddress() + ": " + e.getMessage());
                }
            }
        }
        throw new IOException("no address of this host belongs to an RDMA device: " + tried
                + "; to choose one, an IPv6 address too, set dfs.datanode.address");
    }
}
