package org.apache.hadoop.hdfs;

import io.terrace.client.write.EndedBlock;
import io.terrace.client.write.FileOutput;
import io.terrace.client.write.StockStreamer;
import io.terrace.client.write.WriteClient;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.QuotaExceededException;
import org.apache.hadoop.hdfs.protocol.datatransfer.BlockConstructionStage;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.hdfs.util.ByteArrayManager;
import org.apache.hadoop.util.DataChecksum;
import org.apache.hadoop.util.Progressable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stock's streamer with another way to the DataNodes: it asks the NameNode for blocks, abandons them, excludes DataNodes and
 * sets pipelines up again as stock does, and {@link FileOutput} sends them. From where a DataNode of a pipeline has no channel
 * it is stock's.
 */
final class TerraceDataStreamer extends DataStreamer implements StockStreamer {
    /** For what stock never says; the other lines are stock's, and go to its logger. */
    private static final Logger OWN_LOG = LoggerFactory.getLogger(TerraceDataStreamer.class);

    /** What numbers of frames begin with, where stock's code takes them for numbers of its packets. */
    private static final long FRAMES = 1L << 62;

    private final FileOutput output;
    private final WriteClient writes;
    private final NextBlock nextBlock;
    private final PipelineFaults faults = new PipelineFaults(this);
    private final AtomicReference<CachingStrategy> caching;
    private final String @Nullable [] favored;
    private final boolean replicated;
    private volatile boolean closing;
    private volatile boolean stockWrites;
    private boolean connectedByStock;

    /** The writer's thread looks at it. */
    private volatile boolean askingForBlock;

    /** DataNodes that the next block is not to go to. */
    private Set<DatanodeInfo> busy = Set.of();

    /** Of the present block's storages; stock keeps them for itself. */
    private StorageType[] pipelineTypes = StorageType.EMPTY_ARRAY;

    /** Of the present block's, or of the one before, what the NameNode placed it on; no fault changes them. */
    private StorageType[] placedTypes = StorageType.EMPTY_ARRAY;

    private boolean flushed;

    /** The NameNode has accepted the file: it has no lease any more, and nobody hears of a fault. */
    private volatile boolean completed;

    private boolean recovering;

    TerraceDataStreamer(
            WriteClient writes,
            ExcludableNodes excludable,
            HdfsFileStatus stat,
            DFSClient client,
            String src,
            @Nullable Progressable progress,
            DataChecksum checksum,
            AtomicReference<CachingStrategy> caching,
            ByteArrayManager byteArrayManager,
            String @Nullable [] favored,
            EnumSet<AddBlockFlag> flags,
            boolean syncBlocks) {
        super(stat, null, client, src, progress, checksum, caching, byteArrayManager, favored, flags);
        this.writes = writes;
        this.nextBlock = new NextBlock(
                this,
                excludable,
                favored != null && favored.length > 0,
                choosesLocal(flags) ? WriteClient::isLocal : node -> false);
        this.caching = caching;
        this.favored = favored;
        this.replicated = stat.getReplication() > 1;
        this.output = writes.open(this, src, checksum, stat.getBlockSize(), syncBlocks, replicated);
    }

    /** Whether the NameNode places a replica on the client's host. */
    private static boolean choosesLocal(EnumSet<AddBlockFlag> flags) {
        return !flags.contains(AddBlockFlag.NO_LOCAL_WRITE) && !flags.contains(AddBlockFlag.IGNORE_CLIENT_LOCALITY);
    }

    FileOutput output() {
        return output;
    }

    /** The stream writes all that is left as stock's. */
    void stockWrites() {
        stockWrites = true;
    }

    @Override
    public void work() {
        // As stock's, which an operator looks for among threads.
        setName("DataStreamer for file " + src);
        try {
            output.send();
        } catch (IOException | RuntimeException | Error e) {
            fail(e);
        }
        if (closing || !output.isLeft()) {
            setStreamerAsClosed();
        } else {
            queueEmptyPacket();
        }
        output.sendEnded();
        super.work();
    }

    /**
     * The first packet of what is left to stock, as an hsync without data sends it. Stock sends heartbeats from its first packet on,
     * and data comes only with the writer's next call. Until it may be made nobody else uses stock's queue.
     */
    private void queueEmptyPacket() {
        byte[] header = new byte[PacketHeader.PKT_MAX_HEADER_LEN];
        queuePacket(new DFSPacket(header, 0, block.getNumBytes(), getAndIncCurrentSeqno(), 0, false));
    }

    private void fail(Throwable e) {
        if (completed) {
            if (e instanceof EndedBlock.LostException) {
                OWN_LOG.error("{} is closed, and has lost a block: no DataNode has all of it", src, e);
            } else {
                OWN_LOG.warn("{} is closed, and lacks replicas, which the NameNode makes", src, e);
            }
            return;
        }
        if (e instanceof QuotaExceededException) {
            LOG.debug("DataStreamer Quota Exception", e);
        } else {
            LOG.warn("DataStreamer Exception", e);
        }
        getLastException().set(e);
    }

    /**
     * Where none of a new block's DataNodes is good, stock's code calls the streamer closed until it has given the block back and
     * asks for another one. Whoever writes or closes the file meanwhile would fail.
     */
    @Override
    boolean streamerClosed() {
        return closing || (super.streamerClosed() && !askingForBlock);
    }

    @Override
    public boolean isRunning() {
        return !closing && !streamerClosed() && (completed || dfsClient.clientRunning);
    }

    /** The NameNode has accepted the file. */
    void completed() {
        completed = true;
    }

    boolean isCompleted() {
        return completed;
    }

    @Override
    public boolean nextBlock(List<DatanodeInfo> others, int busiest, boolean canWait) throws IOException {
        boolean added = nextBlock.ask(others, busiest, canWait);
        if (added && !connectedByStock) {
            StreamerStage.set(this, BlockConstructionStage.DATA_STREAMING);
        }
        return added;
    }

    @Override
    public boolean canExclude(int nodes) {
        return nextBlock.canExclude(nodes);
    }

    /** Gives the present block back, at which nothing was written. */
    void abandon() throws IOException {
        dfsClient.namenode.abandonBlock(block.getCurrentBlock(), stat.getFileId(), src, dfsClient.clientName);
        endBlock();
    }

    /**
     * Asks for a block as stock does.
     *
     * @param others DataNodes that it is not to go to
     * @throws ExcludableNodes.PoorlyPlacedException where it is placed worse for that
     */
    void ask(Set<DatanodeInfo> others) throws IOException {
        busy = others;
        askingForBlock = true;
        try {
            setupPipelineForCreate();
        } finally {
            askingForBlock = false;
            busy = Set.of();
        }
    }

    @Override
    DatanodeInfo[] getExcludedNodes() {
        DatanodeInfo[] failed = super.getExcludedNodes();
        return Stream.concat(Arrays.stream(failed), busy.stream()).distinct().toArray(DatanodeInfo[]::new);
    }

    @Override
    public EndedBlock leaveBlock(long blockBytes) {
        block.setNumBytes(blockBytes);
        EndedBlock ended = new StockEndedBlock(this, getNodes(), pipelineTypes, getStorageIDs(), caching.get());
        endBlock();
        return ended;
    }

    @Override
    public void recoverBlock(IOException fault, boolean ending) throws IOException {
        if (!faults.mayRecover(fault)) {
            setStreamerAsClosed();
            return;
        }
        StreamerStage.set(this, ending ? BlockConstructionStage.PIPELINE_CLOSE : BlockConstructionStage.DATA_STREAMING);
        recovering = true;
        // Stock's looks at its own fields, not at these.
        boolean unused = super.setupPipelineInternal(getNodes(), StorageType.EMPTY_ARRAY, getStorageIDs());
        recovering = false;
        connectedByStock &= !ending;
        if (connectedByStock) {
            // Where stock's loop asks for a pipeline that is set up within a block.
            StreamerStage.set(this, BlockConstructionStage.PIPELINE_SETUP_APPEND);
        }
    }

    @Override
    int getPipelineRecoveryCount() {
        return stockWrites ? super.getPipelineRecoveryCount() : faults.recoveries();
    }

    @Override
    public void sendHeartbeat() {
        StockConnection.sendHeartbeat(this);
    }

    @Override
    public void sending(long blockBytes) {
        bytesSent = Math.max(bytesSent, blockBytes);
    }

    @Override
    public void acknowledged(long blockBytes) {
        block.setNumBytes(blockBytes);
        faults.acknowledged();
        if (progress != null) {
            progress.progress();
        }
    }

    @Override
    public void blockEnded() {
        endBlock();
    }

    @Override
    void setHflush() {
        flushed = true;
        super.setHflush();
    }

    /** Whether anything of the file was flushed, which stock's policy of replacement asks. */
    boolean isFlushed() {
        return flushed;
    }

    @Override
    protected void setupPipelineForCreate() throws IOException {
        if (connectedByStock) {
            // For the block at whose beginning the file was left to stock.
            connectedByStock = false;
            return;
        }
        super.setupPipelineForCreate();
    }

    @Override
    protected boolean setupPipelineInternal(DatanodeInfo[] nodes, StorageType[] types, String[] storages)
            throws IOException {
        if (connectedByStock) {
            // For the block within which the file was left to stock.
            connectedByStock = false;
            return true;
        }
        return super.setupPipelineInternal(nodes, types, storages);
    }

    @Override
    boolean createBlockOutputStream(
            DatanodeInfo[] nodes, StorageType[] types, String[] storages, long newStamp, boolean recovers) {
        // The NameNode may have chosen several: somebody set the replication of a file that is being written.
        if (askingForBlock) {
            ExcludableNodes.check(nodes, types, busy, stat.getReplication(), placedTypes);
        }
        boolean fits = nodes.length == 1 || (nodes.length > 1 && replicated);
        if (askingForBlock && fits) {
            // Stock's pipeline has the same arrays.
            writes.exchangeFirst(nodes, types, storages);
        }
        if (recovering || (askingForBlock && fits)) {
            try {
                getPersistBlocks().set(true);
                OpenRequest request =
                        OpenRequest.of(this, nodes, types, storages, newStamp, recovers, caching.get(), favored);
                int without = output.open(nodes, request.encode(src), answerTimeoutNs(nodes.length));
                if (without == FileOutput.OPEN) {
                    if (askingForBlock) {
                        nextBlock.begunOverChannel();
                    }
                    pipelineTypes = types;
                    placedTypes = recovers ? placedTypes : types;
                    getErrorState().resetInternalError();
                    getLastException().clear();
                    RestartingNodes.readmit(this);
                    return true;
                }
                // Not for one message more or less.
                if (askingForBlock && !output.beginsWhole() && nextBlock.givesBack(nodes, without)) {
                    throw new NextBlock.NoChannelException(nodes[without]);
                }
            } catch (IOException e) {
                if (!getErrorState().isRestartingNode()) {
                    LOG.warn("Exception in createBlockOutputStream {}", this, e);
                }
                if (recovering) {
                    faults.mark(e, nodes);
                } else {
                    faults.markNew(e, nodes);
                }
                getLastException().set(e);
                return false;
            }
        }
        boolean connected = super.createBlockOutputStream(nodes, types, storages, newStamp, recovers);
        if (connected && (askingForBlock || recovering)) {
            connectedByStock = true;
            writes.leftToStock(
                    fits ? Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL : Metric.CLIENT_WRITE_FALLBACK_REPLICATION);
        }
        return connected;
    }

    long answerTimeoutNs(int nodes) {
        int timeoutMs = dfsClient.getDatanodeReadTimeout(nodes);
        return timeoutMs > 0 ? TimeUnit.MILLISECONDS.toNanos(timeoutMs) : Long.MAX_VALUE / 4;
    }

    /** As stock: half of what a DataNode waits for a client, which has the same setting. */
    @Override
    public long keepAliveNs() {
        int timeoutMs = dfsClient.getConf().getSocketTimeout();
        return timeoutMs > 0 ? TimeUnit.MILLISECONDS.toNanos(timeoutMs) / 2 : Long.MAX_VALUE / 4;
    }

    @Override
    long getLastQueuedSeqno() {
        return stockWrites ? super.getLastQueuedSeqno() : FRAMES + output.lastQueued();
    }

    /** @throws LeftToStockException where stock's stream has, or is to have, what was queued as frames */
    @Override
    void waitForAckedSeqno(long sequence) throws IOException {
        if (sequence < FRAMES) {
            super.waitForAckedSeqno(sequence);
        } else if (stockWrites) {
            throw new LeftToStockException();
        } else {
            AckWait.await(this, timeoutMs -> output.awaitAcked(sequence - FRAMES, timeoutMs));
        }
    }

    /** Waits until the NameNode may be asked to complete the file. */
    void waitUntilWritten() throws IOException {
        AckWait.await(this, output::awaitWritten);
    }

    @Override
    void close(boolean force) {
        closing = true;
        super.close(force);
        output.wake();
    }
}
