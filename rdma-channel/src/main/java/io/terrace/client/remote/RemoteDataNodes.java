package io.terrace.client.remote;

import io.terrace.client.BlockReadRequest;
import io.terrace.client.ClientConfig;
import io.terrace.client.GrantKey;
import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.security.token.Token;
import org.jspecify.annotations.Nullable;

/**
 * The DataNodes of other hosts whose memory this process reads. Of those that hold a replica of a block it takes the
 * first that has the block in memory, in the NameNode's order, which is by distance. All file systems of a process
 * with the same settings share one.
 */
public final class RemoteDataNodes {
    private static final Map<ClientConfig.Remote, RemoteDataNodes> SHARED = new ConcurrentHashMap<>();

    /** When there are as many as may be, one that was read from within this time is not given up for another. */
    private static final long KEPT_NS = TimeUnit.MINUTES.toNanos(2);

    private final ClientConfig.Remote settings;
    private final MetricRegistry metricRegistry;
    private final String clientName;
    private final Map<String, RemoteDataNode> nodes = new ConcurrentHashMap<>();
    private final ConnectQueue connects;
    private final LongSupplier nanoClock;

    /** Until then there is no room for another. */
    private volatile long fullUntilNs;

    private final ReadCostModel costs;

    /** Asked for ahead of use by all sequential readers. */
    private final AtomicLong aheadBytes = new AtomicLong();

    RemoteDataNodes(
            ClientConfig.Remote settings,
            MetricRegistry metricRegistry,
            ConnectQueue connects,
            LongSupplier nanoClock) {
        this.settings = settings;
        this.connects = connects;
        this.nanoClock = nanoClock;
        this.fullUntilNs = nanoClock.getAsLong();
        this.metricRegistry = metricRegistry;
        this.clientName = System.getProperty("user.name", "") + "/"
                + ProcessHandle.current().pid();
        this.costs = new ReadCostModel(settings.nodesMax());
        metricRegistry.gauge(Metric.CLIENT_REMOTE_CONNECTIONS, RemoteDataNodes::connections);
    }

    public static RemoteDataNodes of(ClientConfig.Remote settings, MetricRegistry metricRegistry) {
        return SHARED.computeIfAbsent(
                settings,
                fresh -> new RemoteDataNodes(
                        fresh,
                        metricRegistry,
                        ConnectQueue.onSharedThreads(fresh.connectTimeoutNs()),
                        System::nanoTime));
    }

    /**
     * Whether a holder says that it has the block in memory. If none does, nothing was allocated, and nobody was waited for
     * but at the beginning: {@link ConnectQueue} says for how long.
     */
    public boolean holds(LocatedBlock located) {
        long ended = connects.ended();
        if (isAtOneOf(located)) {
            return true;
        }
        return isConnecting(located)
                ? connects.waitLeftNs() > 0 && holdsSoon(located)
                : hasConnected(ended) && isAtOneOf(located);
    }

    /** Whether a connection may have been made since so many had ended, perhaps between two looks at it. */
    private boolean hasConnected(long endedBefore) {
        return connects.begun() != endedBefore;
    }

    private boolean holdsSoon(LocatedBlock located) {
        long beganNs = System.nanoTime();
        long deadlineNs = beganNs + connects.waitLeftNs();
        try {
            while (true) {
                long ended = connects.ended();
                if (isAtOneOf(located)) {
                    return true;
                }
                if (!isConnecting(located)) {
                    return hasConnected(ended) && isAtOneOf(located);
                }
                if (!connects.awaitMore(ended, deadlineNs)) {
                    return false;
                }
            }
        } finally {
            connects.waited(System.nanoTime() - beganNs);
        }
    }

    private boolean isAtOneOf(LocatedBlock located) {
        ExtendedBlock block = located.getBlock();
        DatanodeInfo[] holders = located.getLocations();
        for (int i = 0; i < holders.length; i++) {
            RemoteDataNode node = node(holders[i]);
            if (node != null && node.has(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp())) {
                return true;
            }
        }
        return false;
    }

    /** Whether a connection to a holder is being made that is worth a wait. */
    private boolean isConnecting(LocatedBlock located) {
        DatanodeInfo[] holders = located.getLocations();
        for (int i = 0; i < holders.length; i++) {
            RemoteDataNode known = nodes.get(holders[i].getDatanodeUuid());
            if (known != null && known.isAwaited()) {
                return true;
            }
        }
        return false;
    }

    /** The nearest of the holders that say they have the block in memory, or null; no grant is asked for. */
    @Nullable
    public RemoteReplica find(BlockReadRequest range) {
        // Readers that want no checksums are served too, and verified all the same: HBase, which has its own, is one.
        return range.startOffset() == range.endOffset() ? null : find(range, key(range.block()), 0);
    }

    private @Nullable RemoteReplica find(BlockReadRequest range, BlockKey key, int from) {
        DatanodeInfo[] holders = range.block().getLocations();
        for (int i = from; i < holders.length; i++) {
            RemoteDataNode node = node(holders[i]);
            if (node != null && node.has(key)) {
                return new RemoteReplica(holders[i].getDatanodeUuid(), node, i);
            }
        }
        return null;
    }

    /** A reader of this copy, or of the next one that is granted in time; null when none is. */
    @Nullable
    public ReplicaAccessor open(RemoteReplica nearest, BlockReadRequest range) {
        Token<BlockTokenIdentifier> token = range.block().getBlockToken();
        BlockKey key = key(range.block());
        byte[] tokenBytes = bytes(token);
        RemoteReplica copy = nearest;
        while (copy != null) {
            RemoteDataNode node = copy.node();
            GrantKey forWhom = new GrantKey(range.user(), token.getIdentifier(), key);
            RemoteGrant grant = node.grant(forWhom, tokenBytes, range.endOffset());
            if (grant != null) {
                DatanodeInfo holder = range.block().getLocations()[copy.holder()];
                int distance = range.distances().applyAsInt(holder);
                return new RemoteBlockAccessor(this, node, grant, tokenBytes, range.endOffset(), distance);
            }
            copy = find(range, key, copy.holder() + 1);
        }
        return null;
    }

    /**
     * The holders that have the block in memory, by host name.
     *
     * @param connectUntilNs after that, holders without a channel are left out
     */
    public List<String> hostsWith(LocatedBlock located, long connectUntilNs) {
        BlockKey key = key(located);
        while (true) {
            long ended = connects.ended();
            List<String> hosts = new ArrayList<>(0);
            for (DatanodeInfo holder : located.getLocations()) {
                RemoteDataNode node = node(holder);
                if (node != null && node.has(key)) {
                    hosts.add(holder.getHostName());
                }
            }
            if (!isConnecting(located) || !connects.awaitMore(ended, connectUntilNs)) {
                return hosts;
            }
        }
    }

    /** Tells all DataNodes what was read of their memory without their doing, before the process may end. */
    public void report() {
        nodes.values().forEach(RemoteDataNode::report);
    }

    /** What readers of blocks that another host has in memory took. */
    public ReadCostModel costs() {
        return costs;
    }

    public ClientConfig.Remote settings() {
        return settings;
    }

    MetricRegistry metricRegistry() {
        return metricRegistry;
    }

    /** Whether so many bytes more may be asked for ahead; give them back with {@link #usedAhead}. */
    boolean mayAskAhead(int bytes) {
        if (aheadBytes.addAndGet(bytes) <= settings.readAheadMaxBytes()) {
            return true;
        }
        aheadBytes.addAndGet(-bytes);
        return false;
    }

    void usedAhead(int bytes) {
        aheadBytes.addAndGet(-bytes);
    }

    private @Nullable RemoteDataNode node(DatanodeInfo holder) {
        String uuid = holder.getDatanodeUuid();
        String host = settings.byHostname() ? holder.getHostName() : holder.getIpAddr();
        int port = holder.getXferPort() + settings.portOffset();
        if (!settings.trusts(port)) {
            return null;
        }
        RemoteDataNode known = nodes.get(uuid);
        if (known != null) {
            known.isAt(host, port);
            return known;
        }
        if (nodes.size() >= settings.nodesMax() && !makeRoom()) {
            metricRegistry.increment(Metric.CLIENT_REMOTE_FULL);
            return null;
        }
        return nodes.computeIfAbsent(
                uuid,
                fresh -> new RemoteDataNode(
                        uuid, host, port, settings, clientName, metricRegistry, connects, nanoClock));
    }

    /** Gives up the DataNode that was not read from for longest; false when all were lately, and so are worth more. */
    private boolean makeRoom() {
        long nowNs = nanoClock.getAsLong();
        if (nowNs - fullUntilNs < 0) {
            return false;
        }
        RemoteDataNode longest = nodes.values().stream()
                .min(Comparator.comparingLong(node -> node.usedNs() - nowNs))
                .orElse(null);
        if (longest == null) {
            return true;
        }
        if (nowNs - longest.usedNs() < KEPT_NS) {
            fullUntilNs = longest.usedNs() + KEPT_NS;
            return false;
        }
        if (nodes.remove(longest.uuid(), longest)) {
            longest.retire();
        }
        return true;
    }

    private static BlockKey key(LocatedBlock located) {
        ExtendedBlock block = located.getBlock();
        return new BlockKey(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp());
    }

    private static long connections() {
        return SHARED.values().stream()
                .flatMap(memory -> memory.nodes.values().stream())
                .filter(RemoteDataNode::isConnected)
                .count();
    }

    private static byte[] bytes(Token<BlockTokenIdentifier> token) {
        try (DataOutputBuffer out = new DataOutputBuffer(256)) {
            token.write(out);
            return Arrays.copyOf(out.getData(), out.getLength());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
