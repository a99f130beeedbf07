package org.apache.hadoop.hdfs;

import io.terrace.client.write.FileOutput;
import io.terrace.client.write.StockStreamer;
import io.terrace.client.write.WriteClient;
import io.terrace.metrics.Metric;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.hdfs.protocol.QuotaExceededException;
import org.apache.hadoop.hdfs.protocol.datatransfer.Sender;
import org.apache.hadoop.hdfs.server.datanode.CachingStrategy;
import org.apache.hadoop.hdfs.util.ByteArrayManager;
import org.apache.hadoop.util.DataChecksum;
import org.apache.hadoop.util.Progressable;
import org.jspecify.annotations.Nullable;

/**
 * Stock's streamer with another way to the DataNodes: it asks the NameNode for blocks, abandons them and excludes
 * DataNodes as stock does, and {@link FileOutput} sends them. From a block on whose DataNode has no channel it is stock's.
 */
final class TerraceDataStreamer extends DataStreamer implements StockStreamer {
    /** The bytes of Hadoop's request before its protobuf: version (2) and operation (1). */
    private static final int OPERATION_BYTES = 3;

    private final FileOutput output;
    private final WriteClient writes;
    private final AtomicReference<CachingStrategy> caching;
    private final String @Nullable [] favored;
    private volatile boolean closing;
    private volatile boolean stockWrites;
    private boolean connectedByStock;
    private boolean askingForBlock;

    TerraceDataStreamer(
            WriteClient writes,
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
        this.caching = caching;
        this.favored = favored;
        this.output = writes.open(this, checksum, stat.getBlockSize(), syncBlocks);
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
        try {
            output.send();
        } catch (IOException | RuntimeException | Error e) {
            fail(e);
        }
        if (closing || !output.isLeft()) {
            setStreamerAsClosed();
        }
        output.sendEnded();
        super.work();
    }

    /** As stock, where the only DataNode of a block has failed, or there is no block. */
    private void fail(Throwable e) {
        if (e instanceof QuotaExceededException) {
            LOG.debug("DataStreamer Quota Exception", e);
        } else {
            LOG.warn("DataStreamer Exception", e);
        }
        DatanodeInfo[] nodes = getNodes();
        getLastException()
                .set(
                        askingForBlock || nodes == null
                                ? e
                                : new IOException(
                                        "All datanodes " + Arrays.toString(nodes) + " are bad. Aborting...", e));
    }

    @Override
    public boolean isRunning() {
        return !closing && !streamerClosed() && dfsClient.clientRunning;
    }

    @Override
    public void nextBlock() throws IOException {
        askingForBlock = true;
        setupPipelineForCreate();
        askingForBlock = false;
    }

    @Override
    public void acknowledged(long blockBytes) {
        block.setNumBytes(blockBytes);
        if (progress != null) {
            progress.progress();
        }
    }

    @Override
    public void blockEnded() {
        endBlock();
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
    boolean createBlockOutputStream(
            DatanodeInfo[] nodes, StorageType[] types, String[] storages, long newStamp, boolean recovers) {
        // The NameNode may have chosen several: somebody set the replication of a file that is being written.
        boolean single = nodes.length == 1;
        if (askingForBlock && single && !recovers) {
            try {
                getPersistBlocks().set(true);
                if (output.open(nodes[0], request(nodes, types, storages), answerTimeoutNs(nodes.length))) {
                    getErrorState().resetInternalError();
                    getLastException().clear();
                    return true;
                }
            } catch (IOException e) {
                LOG.warn("Exception in createBlockOutputStream {}", this, e);
                getErrorState().setBadNodeIndex(0);
                getErrorState().setInternalError();
                getLastException().set(e);
                return false;
            }
        }
        boolean connected = super.createBlockOutputStream(nodes, types, storages, newStamp, recovers);
        if (askingForBlock && connected) {
            connectedByStock = true;
            writes.leftToStock(
                    single ? Metric.CLIENT_WRITE_FALLBACK_NO_CHANNEL : Metric.CLIENT_WRITE_FALLBACK_REPLICATION);
        }
        return connected;
    }

    private long answerTimeoutNs(int nodes) {
        int timeoutMs = dfsClient.getDatanodeReadTimeout(nodes);
        return timeoutMs > 0 ? TimeUnit.MILLISECONDS.toNanos(timeoutMs) : Long.MAX_VALUE / 4;
    }

    /** What stock sends, without what stands before the protobuf. */
    private byte[] request(DatanodeInfo[] nodes, StorageType[] types, String[] storages) throws IOException {
        ExtendedBlock whole = block.getCurrentBlock();
        whole.setNumBytes(stat.getBlockSize());
        boolean[] pinnings = pinnings(nodes);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        new Sender(new DataOutputStream(bytes))
                .writeBlock(
                        whole,
                        types[0],
                        accessToken,
                        dfsClient.clientName,
                        nodes,
                        types,
                        null,
                        getStage(),
                        nodes.length,
                        block.getNumBytes(),
                        bytesSent,
                        0,
                        checksum4WriteBlock,
                        caching.get(),
                        isLazyPersist(stat),
                        pinnings != null && pinnings[0],
                        pinnings,
                        storages[0],
                        storages);
        ByteBuffer request = ByteBuffer.wrap(bytes.toByteArray()).position(OPERATION_BYTES);
        while (request.get() < 0) {
            // The length, seven bits a byte.
            continue;
        }
        byte[] proto = new byte[request.remaining()];
        request.get(proto);
        return proto;
    }

    private boolean @Nullable [] pinnings(DatanodeInfo[] nodes) {
        String[] names = favored;
        if (names == null) {
            return null;
        }
        Set<String> left = new HashSet<>(Arrays.asList(names));
        boolean[] pinnings = new boolean[nodes.length];
        for (int i = 0; i < nodes.length; i++) {
            pinnings[i] = left.remove(nodes[i].getXferAddrWithHostname());
        }
        return pinnings;
    }

    @Override
    long getLastQueuedSeqno() {
        return stockWrites ? super.getLastQueuedSeqno() : output.lastQueued();
    }

    @Override
    void waitForAckedSeqno(long sequence) throws IOException {
        if (stockWrites) {
            super.waitForAckedSeqno(sequence);
            return;
        }
        DatanodeInfo[] nodes = getNodes();
        int timeoutMs = dfsClient.getDatanodeWriteTimeout(nodes == null ? 3 : nodes.length);
        try {
            if (!output.awaitAcked(sequence, timeoutMs)) {
                throw new InterruptedIOException(
                        "No ack received after " + timeoutMs / 1000 + "s and a timeout of " + timeoutMs / 1000 + "s");
            }
        } catch (InterruptedException e) {
            throw new InterruptedIOException("Interrupted while waiting for data to be acknowledged by pipeline");
        }
        if (output.isLeftToStock()) {
            throw new LeftToStockException();
        }
        if (streamerClosed()) {
            try {
                getLastException().throwException4Close();
            } catch (ClosedChannelException e) {
                LOG.debug("Closed channel exception", e);
            }
        }
    }

    @Override
    void close(boolean force) {
        closing = true;
        super.close(force);
        output.wake();
    }

    /** Ends stock's wait for acknowledgements without a fault of the stream. */
    static final class LeftToStockException extends InterruptedIOException {
        private static final long serialVersionUID = 1;

        LeftToStockException() {
            super("the file was left to stock's stream");
        }
    }
}
