package io.terrace.channel.verbs;

import io.terrace.channel.Access;
import io.terrace.channel.BlockKey;
import io.terrace.channel.Grant;
import io.terrace.channel.Range;
import io.terrace.channel.RegionKey;
import io.terrace.channel.tcp.Checksums;
import io.terrace.channel.tcp.OneSidedRanges;
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

/**
 * The extents of a DataNode that clients may read with RDMA. An extent is registered when it is granted for the first time
 * and stays so, whoever comes and goes, until it is freed; a grant only adds its key to those that lead there. Thread-safe.
 */
public final class VerbsExtents implements OneSidedRanges, Closeable {
    private record Place(BlockKey block, long address) {}

    private final VerbsProvider provider;
    private final VerbsListener listener;
    private final Map<Place, RegionKey> registered = new HashMap<>();
    private final Map<RegionKey, RegionKey> granted = new HashMap<>();

    private final Runnable refused;
    private boolean refusing;
    private boolean closed;

    private VerbsExtents(VerbsProvider provider, VerbsListener listener, Runnable refused) {
        this.provider = provider;
        this.listener = listener;
        this.refused = refused;
    }

    /**
     * Offers extents at an address of an RDMA device.
     *
     * @param where with a wildcard host, the first address of this host that has a device
     * @param refused told of each grant whose extent cannot be registered, so that tcp alone serves it
     * @throws IOException that says what is missing
     */
    public static VerbsExtents open(InetSocketAddress where, VerbsLimits limits, VerbsChoices choices, Runnable refused)
            throws IOException {
        VerbsProvider provider = VerbsProvider.open(limits, choices);
        try {
            return new VerbsExtents(provider, listen(provider, where), refused);
        } catch (IOException | RuntimeException e) {
            provider.close();
            throw e;
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

    /** The listener, for its figures. */
    public VerbsListener listener() {
        return listener;
    }

    @Override
    public synchronized void granted(Grant grant, RegionKey key, Path file, Checksums checksums) {
        Place place = new Place(grant.descriptor().block(), grant.descriptor().address());
        if (closed) {
            return;
        }
        try {
            RegionKey own = registered.get(place);
            if (own == null) {
                Range range = new Range(file, key.address(), key.lengthBytes());
                own = listener.register(range, Access.READ, checksums);
                registered.put(place, own);
                refusing = false;
            }
            listener.admit(key, own);
            granted.put(key, own);
        } catch (IOException e) {
            refused.run();
            // Whoever reads it asks again and again: one line until there is room once more.
            if (!refusing) {
                VerbsProvider.LOG.info("{} and others are served over tcp only: {}", place.block, e.getMessage());
            }
            refusing = true;
        }
    }

    @Override
    public synchronized void retired(RegionKey key) {
        RegionKey own = granted.get(key);
        if (own != null) {
            listener.voidWord(own);
        }
    }

    @Override
    public synchronized long ended(RegionKey key) {
        return granted.remove(key) != null && listener.dismiss(key) ? VerbsRegion.LONGEST_READ_NS : 0;
    }

    /** An extent is about to be freed: nobody has a grant of it, and all that had begun to read it is over. */
    public synchronized void freed(BlockKey block, long address) {
        RegionKey own = registered.remove(new Place(block, address));
        if (own != null) {
            try {
                listener.deregister(own);
            } catch (IOException e) {
                VerbsProvider.LOG.error("An extent of {} stays registered", block, e);
            }
        }
    }

    /** What is freed from now on has been deregistered: whoever frees extents may end later. */
    @Override
    public synchronized void close() throws IOException {
        closed = true;
        registered.clear();
        granted.clear();
        listener.close();
        provider.close();
    }

    private static VerbsListener listen(VerbsProvider provider, InetSocketAddress where) throws IOException {
        if (!where.getAddress().isAnyLocalAddress()) {
            return provider.listen(where);
        }
        List<String> tried = new ArrayList<>();
        for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            for (InetAddress host : Collections.list(network.getInetAddresses())) {
                if (host.isLoopbackAddress() || host instanceof Inet6Address) {
                    continue;
                }
                try {
                    return provider.listen(new InetSocketAddress(host, where.getPort()));
                } catch (IOException e) {
                    tried.add(host.getHostAddress() + ": " + e.getMessage());
                }
            }
        }
        throw new IOException("no address of this host belongs to an RDMA device: " + tried);
    }
}
