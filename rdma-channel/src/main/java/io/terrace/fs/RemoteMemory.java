package io.terrace.fs;

import io.terrace.channel.BlockKey;
import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.jspecify.annotations.Nullable;

/**
 * The memory of the DataNodes of other hosts: of those that hold a replica of a block, the first that has it in memory,
 * in the NameNode's order, which is by distance. One for all file systems of a process with the same settings.
 */
final class RemoteMemory {
    private static final Map<RemoteSettings, RemoteMemory> SHARED = new ConcurrentHashMap<>();

    private final RemoteSettings settings;
    private final Figures figures;
    private final String clientName;
    private final Map<String, RemoteNode> nodes = new ConcurrentHashMap<>();

    /**
     * Where security is on, only a port that nobody but root can listen on proves that it is the DataNode's: stock without
     * SASL trusts nothing else either.
     */
    private final int mostPort = UserGroupInformation.isSecurityEnabled() ? 1023 : 65_535;

    private final ReadCosts costs;

    /** Asked for ahead of use by all sequential readers. */
    private final AtomicLong aheadBytes = new AtomicLong();

    private RemoteMemory(RemoteSettings settings, Figures figures) {
        this.settings = settings;
        this.figures = figures;
        this.clientName = System.getProperty("user.name", "") + "/"
                + ProcessHandle.current().pid();
        this.costs = new ReadCosts(settings.nodesMax());
        figures.gauge(Figure.CLIENT_REMOTE_CONNECTIONS, RemoteMemory::connections);
    }

    static RemoteMemory of(RemoteSettings settings, Figures figures) {
        return SHARED.computeIfAbsent(settings, fresh -> new RemoteMemory(fresh, figures));
    }

    /** The nearest of the holders that say they have the block in memory, or null; no grant is asked for. */
    @Nullable
    RemoteCopy find(BlockRange range) {
        // Readers that want no checksums are served too, and verified all the same: HBase, which has its own, is one.
        return range.startOffset() == range.endOffset() ? null : find(range, key(range.block()), 0);
    }

    private @Nullable RemoteCopy find(BlockRange range, BlockKey key, int from) {
        DatanodeInfo[] holders = range.block().getLocations();
        for (int i = from; i < holders.length; i++) {
            RemoteNode node = node(holders[i]);
            if (node != null && node.has(key)) {
                return new RemoteCopy(holders[i].getDatanodeUuid(), node, i);
            }
        }
        return null;
    }

    /** A reader of this copy, or of the next one that is granted in time; null when none is. */
    @Nullable
    ReplicaAccessor open(RemoteCopy nearest, BlockRange range) {
        Token<BlockTokenIdentifier> token = range.block().getBlockToken();
        BlockKey key = key(range.block());
        RemoteCopy copy = nearest;
        while (copy != null) {
            RemoteNode node = copy.node();
            RemoteGrant.Key forWhom = new RemoteGrant.Key(range.user(), key, token.getIdentifier());
            RemoteGrant grant = node.grant(forWhom, bytes(token), range.endOffset());
            if (grant != null) {
                DatanodeInfo holder = range.block().getLocations()[copy.holder()];
                int distance = range.distances().applyAsInt(holder);
                return new RemoteAccessor(this, node, grant, range.endOffset(), distance);
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
    List<String> hostsWith(LocatedBlock located, long connectUntilNs) {
        BlockKey key = key(located);
        List<String> hosts = new ArrayList<>(0);
        for (DatanodeInfo holder : located.getLocations()) {
            RemoteNode node = node(holder);
            if (node != null && (node.isConnected() || System.nanoTime() - connectUntilNs < 0) && node.has(key)) {
                hosts.add(holder.getHostName());
            }
        }
        return hosts;
    }

    /** Tells all DataNodes what was read of their memory without their doing, before the process may end. */
    void report() {
        nodes.values().forEach(RemoteNode::report);
    }

    /** What readers of blocks that another host has in memory took. */
    ReadCosts costs() {
        return costs;
    }

    RemoteSettings settings() {
        return settings;
    }

    Figures figures() {
        return figures;
    }

    /** Whether so many bytes more may be asked for ahead; give them back with {@link #ahead}. */
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

    private @Nullable RemoteNode node(DatanodeInfo holder) {
        String uuid = holder.getDatanodeUuid();
        RemoteNode known = nodes.get(uuid);
        if (known != null) {
            return known;
        }
        int port = holder.getXferPort() + settings.portOffset();
        if (port < 1 || port > mostPort) {
            return null;
        }
        if (nodes.size() >= settings.nodesMax()) {
            nodes.entrySet().stream()
                    .min(Comparator.comparingLong(entry -> entry.getValue().usedNs()))
                    .ifPresent(idle -> {
                        if (nodes.remove(idle.getKey(), idle.getValue())) {
                            idle.getValue().report();
                            idle.getValue().close();
                        }
                    });
        }
        return nodes.computeIfAbsent(uuid, fresh -> {
            String host = settings.byHostname() ? holder.getHostName() : holder.getIpAddr();
            InetSocketAddress address = NetUtils.createSocketAddrForHost(host, port);
            return new RemoteNode(uuid, address, settings, clientName, figures);
        });
    }

    private static BlockKey key(LocatedBlock located) {
        ExtendedBlock block = located.getBlock();
        return new BlockKey(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp());
    }

    private static long connections() {
        return SHARED.values().stream()
                .flatMap(memory -> memory.nodes.values().stream())
                .filter(RemoteNode::isConnected)
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
