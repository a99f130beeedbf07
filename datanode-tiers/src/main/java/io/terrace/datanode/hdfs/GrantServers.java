package io.terrace.datanode.hdfs;

import io.terrace.channel.ChannelDirectory;
import io.terrace.channel.ExtentOwner;
import io.terrace.channel.GrantLimits;
import io.terrace.channel.GrantServer;
import io.terrace.channel.LinkDirectory;
import io.terrace.channel.Peer;
import io.terrace.channel.SlotTable;
import io.terrace.channel.Tier;
import io.terrace.channel.tcp.AnnouncedBlocks;
import io.terrace.channel.tcp.TcpGrantServer;
import io.terrace.channel.verbs.VerbsExtents;
import io.terrace.datanode.Accesses;
import io.terrace.datanode.DataNodeSettings;
import io.terrace.datanode.GrantDesk;
import io.terrace.datanode.HeldGrant;
import io.terrace.datanode.MemoryDirectory;
import io.terrace.datanode.MemoryTier;
import io.terrace.datanode.Pace;
import io.terrace.datanode.RemoteDesk;
import io.terrace.datanode.ReplicaSource;
import io.terrace.datanode.WatchedFiles;
import io.terrace.metrics.Figures;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who hands out grants in a DataNode: the server of this host's clients, that of other hosts, RDMA beside it, and what
 * other hosts are granted on NVM.
 */
final class GrantServers implements Closeable {

    /**
     * What they all work with.
     *
     * @param source what replicas are verified against, and who is told what is corrupt
     */
    record Parts(
            DataNode datanode,
            DataNodeSettings settings,
            MemoryTier memory,
            LocalReplicas replicas,
            ReplicaSource source,
            Pace pace,
            Accesses accesses,
            Figures figures) {}

    /**
     * The files of memory copies.
     *
     * @param watched told before one is removed
     */
    record MemoryFiles(MemoryDirectory directory, WatchedFiles watched) {}

    private static final Logger LOG = LoggerFactory.getLogger(GrantServers.class);

    private final Deque<Closeable> toClose = new ArrayDeque<>();
    private final RdmaClients.Served rdma;
    private final GrantDesk desk;
    private final GrantServer local;
    private final @Nullable TcpGrantServer remote;
    private final @Nullable NvmService nvm;

    /**
     * Starts them all.
     *
     * @param nvmBase where addresses of extents on NVM begin
     * @param wake called when there is housekeeping on NVM
     */
    GrantServers(
            Parts parts,
            MemoryFiles files,
            Path channelDir,
            SlotTable table,
            NvmVolumes volumes,
            long nvmBase,
            Runnable wake)
            throws IOException {
        DataNode datanode = parts.datanode();
        DataNodeSettings settings = parts.settings();
        try {
            BlockTokens tokens = new BlockTokens(datanode);
            rdma = RdmaClients.serve(
                    datanode, tokens, settings.extentsMax() + settings.nvmExtentsMax(), parts.figures());
            AnnouncedBlocks announced = new AnnouncedBlocks(table);
            NvmService onNvm = settings.nvmEnabled()
                    ? opened(new NvmService(parts, tokens, volumes, nvmBase, announced, wake))
                    : null;
            VerbsExtents extents = rdma.extents();
            if (extents != null) {
                toClose.push(extents);
                files.watched().beforeRemoval(extent -> extents.freed(extent.key(), extent.address()));
                if (onNvm != null) {
                    onNvm.registeredBy(extents);
                }
            }
            LinkDirectory links = files.directory().links();
            desk = new GrantDesk(
                    parts.memory(),
                    Tier.MEMORY,
                    extent -> links.link(files.directory().file(extent)),
                    tokens,
                    parts.accesses(),
                    new StockMetrics(datanode.getMetrics()),
                    parts.figures(),
                    System::nanoTime);
            local = GrantServer.start(
                    ChannelDirectory.check(channelDir),
                    datanode.getDatanodeUuid(),
                    table,
                    links,
                    desk,
                    GrantLimits.DEFAULT,
                    parts.figures());
            toClose.push(local::close);
            ExtentOwner remoteDesk = new RemoteDesk(desk, onNvm == null ? null : onNvm.desk());
            remote = RemoteClients.serve(
                    datanode, announced, links, remoteDesk, parts.replicas(), rdma.oneSided(), parts.figures());
            if (remote != null) {
                toClose.push(remote);
            }
            nvm = remote == null ? null : onNvm;
            if (remote != null && onNvm != null) {
                onNvm.servedBy(remote);
            }
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Tells the holder of a grant in memory to stop reading. Does not block. */
    void revoke(HeldGrant grant) {
        Peer peer = desk.peer(grant.peer());
        if (peer != null && remote != null && remote.serves(peer)) {
            remote.revoke(peer, grant.id(), grant.extentRetires());
        } else if (peer != null) {
            local.revoke(peer, grant.id(), grant.extent().slot(), grant.extent().sequence());
        }
    }

    /** What is granted on NVM; null when no other host is served, or the operator wants none. */
    @Nullable
    NvmService nvm() {
        return nvm;
    }

    /** Why there is no RDMA although it is wanted; empty when there is, or it is not. */
    String rdmaTrouble() {
        return rdma.trouble();
    }

    /** The last one made first: whoever serves stops before what it serves from goes. */
    @Override
    public void close() {
        for (Closeable part = toClose.poll(); part != null; part = toClose.poll()) {
            try {
                part.close();
            } catch (IOException | RuntimeException e) {
                LOG.warn("Closing a server of grants", e);
            }
        }
    }

    private <C extends Closeable> C opened(C part) {
        toClose.push(part);
        return part;
    }
}
