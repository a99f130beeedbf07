package io.terrace.datanode.hdfs;

import io.terrace.channel.server.AnnouncedBlocks;
import io.terrace.channel.server.GrantLimits;
import io.terrace.channel.server.GrantServer;
import io.terrace.channel.server.GrantService;
import io.terrace.channel.server.Peer;
import io.terrace.channel.server.TcpGrantServer;
import io.terrace.channel.shm.LinkDirectory;
import io.terrace.channel.shm.SlotTable;
import io.terrace.channel.shm.SocketDirectory;
import io.terrace.channel.verbs.ExtentRegistry;
import io.terrace.common.StorageTier;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.extent.GrantRecord;
import io.terrace.datanode.grant.RoutingGrantService;
import io.terrace.datanode.grant.TierGrantService;
import io.terrace.datanode.hdfs.dataset.BlockTokens;
import io.terrace.datanode.hdfs.dataset.DatasetReplicas;
import io.terrace.datanode.hdfs.dataset.NvmVolumes;
import io.terrace.datanode.hdfs.dataset.StockMetrics;
import io.terrace.datanode.heartbeat.AccessRecorder;
import io.terrace.datanode.replica.ReplicaSource;
import io.terrace.datanode.write.ClientSpeeds;
import io.terrace.datanode.write.WriteService;
import io.terrace.datanode.writethrough.WriteThroughCopies;
import io.terrace.datanode.writethrough.WriteThroughRules;
import io.terrace.metrics.MetricRegistry;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.jspecify.annotations.Nullable;

/**
 * Who hands out grants in a DataNode: the server of this host's clients, that of other hosts, RDMA beside it, and what is
 * granted on NVM.
 */
final class GrantServers implements Closeable {

    /**
     * What they all work with.
     *
     * @param source what replicas are verified against, and who is told what is corrupt
     * @param clientSpeeds how fast clients write
     * @param writeThroughRules which files get copies in memory while they are written
     */
    record Parts(
            DataNode datanode,
            DataNodeConfig settings,
            MemoryTier memory,
            DatasetReplicas replicas,
            ReplicaSource source,
            TokenBucket tokenBucket,
            AccessRecorder accessRecorder,
            ClientSpeeds clientSpeeds,
            WriteThroughRules writeThroughRules,
            MetricRegistry metricRegistry) {}

    private final CloseStack toClose = new CloseStack();
    private final VerbsServing.Served rdma;
    private final TierGrantService grantService;
    private final GrantServer local;
    private final @Nullable TcpGrantServer remote;
    private final @Nullable NvmService nvm;

    /** Starts them all. */
    GrantServers(Parts parts, Path channelDir, SlotTable slots, NvmVolumes volumes) throws IOException {
        MemoryTier memory = parts.memory();
        DataNode datanode = parts.datanode();
        DataNodeConfig settings = parts.settings();
        boolean started = false;
        try {
            BlockTokens tokens = new BlockTokens(datanode);
            rdma = VerbsServing.serve(
                    datanode, tokens, settings.extentsMax() + settings.nvmExtentsMax(), parts.metricRegistry());
            ExtentRegistry extents = rdma.extents();
            if (extents != null) {
                // At once: whatever fails from here on, RDMA ends with it.
                toClose.add(extents);
            }
            AnnouncedBlocks announced = new AnnouncedBlocks(slots);
            NvmService onNvm = settings.nvmEnabled()
                    ? toClose.add(new NvmService(parts, tokens, volumes, slots, announced))
                    : null;
            if (extents != null) {
                memory.files().beforeRemoval(extent -> extents.freed(extent.key(), extent.address()));
                if (onNvm != null) {
                    onNvm.registeredBy(extents);
                }
            }
            LinkDirectory links = memory.directory().links();
            grantService = new TierGrantService(
                    memory.extents(),
                    StorageTier.MEMORY,
                    extent -> links.link(memory.directory().file(extent)),
                    tokens,
                    parts.accessRecorder(),
                    new StockMetrics(datanode.getMetrics()),
                    parts.metricRegistry(),
                    System::nanoTime);
            local = new GrantServer(
                    SocketDirectory.check(channelDir),
                    datanode.getDatanodeUuid(),
                    slots,
                    links,
                    RoutingGrantService.ofThisHost(grantService, onNvm == null ? null : onNvm.localGrantService()),
                    GrantLimits.DEFAULT,
                    parts.metricRegistry());
            toClose.add(local::close);
            GrantService remoteGrantService =
                    RoutingGrantService.ofOtherHosts(grantService, onNvm == null ? null : onNvm.grantService());
            remote = TcpServing.serve(
                    datanode,
                    announced,
                    links,
                    remoteGrantService,
                    parts.replicas(),
                    rdma.oneSided(),
                    parts.metricRegistry());
            if (remote != null) {
                toClose.add(remote);
            }
            WriteThroughCopies copies = toClose.add(new WriteThroughCopies(
                    memory.extents(),
                    parts.source(),
                    memory.directory().drafts(),
                    settings.writeThroughMaxBytes(),
                    parts.metricRegistry(),
                    System::nanoTime,
                    datanode.getDatanodeUuid()));
            WriteService writes = WriteServing.serve(
                    datanode,
                    copies,
                    parts.writeThroughRules(),
                    parts.metricRegistry(),
                    parts.clientSpeeds(),
                    rdma.windows());
            if (writes != null) {
                toClose.add(writes);
                toClose.add(WriterEviction.serve(datanode, writes::evict));
                local.serveWrites(writes);
                if (remote != null) {
                    remote.serveWrites(writes);
                }
            }
            nvm = remote == null && !settings.nvmLocal() ? null : onNvm;
            if (nvm != null) {
                nvm.servedBy(local, remote);
            }
            started = true;
        } finally {
            if (!started) {
                close();
            }
        }
    }

    /** Tells the holder of a grant in memory to stop reading. Does not block. */
    void revoke(GrantRecord grant) {
        Peer peer = grantService.peer(grant.peer());
        if (peer != null && remote != null && remote.serves(peer)) {
            remote.revoke(peer, grant.id(), grant.extentRetires());
        } else if (peer != null) {
            local.revoke(peer, grant.id(), grant.extent().slot(), grant.extent().sequence());
        }
    }

    /** Where grants in memory are given. */
    TierGrantService ofMemory() {
        return grantService;
    }

    /** What is granted on NVM; null when nobody is, or the operator wants none. */
    @Nullable
    NvmService nvm() {
        return nvm;
    }

    /** Why there is no RDMA now although it is wanted; empty when there is, or it is not. */
    String rdmaProblem() {
        return rdma.problemNow();
    }

    @Override
    public void close() {
        toClose.close();
    }
}
