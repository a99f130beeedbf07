package io.terrace.datanode.hdfs.write;

import io.terrace.channel.transport.ChunkVerifier;
import io.terrace.channel.write.WriteData;
import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.datanode.write.BlockStore;
import io.terrace.datanode.write.NextNode;
import io.terrace.datanode.write.OpenBlock;
import io.terrace.datanode.write.PipelineEvents;
import io.terrace.datanode.write.WrittenFiles;
import io.terrace.datanode.writethrough.WriteThroughCopies;
import io.terrace.datanode.writethrough.WriteThroughCopy;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.OpWriteBlockProto.BlockConstructionStage;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeFaultInjector;
import org.apache.hadoop.hdfs.server.datanode.LocalReplica;
import org.apache.hadoop.hdfs.server.datanode.ReplicaHandler;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.TerraceWriteAccess;
import org.apache.hadoop.hdfs.server.datanode.metrics.DataNodeMetrics;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;
import org.apache.hadoop.util.Time;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replica that a client writes: verifies data, writes it, and keeps the replica's state as stock's BlockReceiver does, so
 * that readers, recovery and a restart find what they expect.
 */
final class ReplicaWriter implements OpenBlock {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaWriter.class);

    private final DataNode datanode;
    private final DataNodeMetrics metrics;
    private final WriteRequest request;
    private final BlockStore.Client client;
    private final ExtendedBlock block;
    private final ReplicaHandler handler;
    private final ReplicaInPipeline replica;
    private final ReplicaFiles files;
    private final ChunkVerifier verifier;
    private final WriterPageCache pageCache;
    private final WriteTimes times;
    private final SlowFrames slowFrames;
    private final long startNs = System.nanoTime();

    /** Of the last chunk, whole or not. */
    private byte[] lastSum = new byte[WriteData.SUM_BYTES];

    private @Nullable NextNode next;
    private @Nullable WriteThroughCopy copy;
    private @Nullable RecoveredSpace space;
    private PipelineEvents events;
    private long lengthBytes;
    private boolean directorySynced;
    private boolean ended;

    /** By this DataNode and all after it. */
    private long ackedBytes;

    /** Whether it is finalised, or about to be. */
    private boolean finalising;

    private ReplicaWriter(
            DataNode datanode,
            WriteRequest request,
            BlockStore.Client client,
            ExtendedBlock block,
            ReplicaHandler handler,
            ReplicaFiles files) {
        this.datanode = datanode;
        this.metrics = datanode.getMetrics();
        this.request = request;
        this.client = client;
        this.block = block;
        this.handler = handler;
        this.replica = handler.getReplica();
        this.files = files;
        this.verifier = request.verifier();
        this.times = new WriteTimes(datanode, replica);
        this.slowFrames = new SlowFrames(datanode.getConf());
        this.pageCache = new WriterPageCache(datanode, block, files.streams(), request.dropBehind(), times);
        this.events = events("");
    }

    /** Makes the replica or takes it over, and is its writer on the calling thread; tells the NameNode of a new one. */
    static ReplicaWriter open(DataNode datanode, WriteRequest request, BlockStore.Client client) throws IOException {
        ExtendedBlock block = new ExtendedBlock(request.block());
        if (block.getNumBytes() == 0) {
            block.setNumBytes(TerraceWriteAccess.estimatedBlockBytes(datanode));
        }
        boolean isNew = request.stage() == BlockConstructionStage.PIPELINE_SETUP_CREATE;
        ReplicaHandler handler = isNew
                ? ReplicaOpening.create(datanode, request, block, client.sameHost())
                : ReplicaOpening.recover(datanode, request, block);
        ReplicaInPipeline replica = handler.getReplica();
        ReplicaFiles files = null;
        boolean opened = false;
        try {
            if (request.generationStamp() != 0) {
                block.setGenerationStamp(request.generationStamp());
            }
            if (isNew) {
                TerraceWriteAccess.receiving(datanode, block, replica.getStorageUuid());
            }
            files = ReplicaFiles.open(replica, isNew, request.checksum());
            ReplicaWriter writer = new ReplicaWriter(datanode, request, client, block, handler, files);
            if (!isNew) {
                writer.lengthBytes = replica.getNumBytes();
                writer.lastSum = files.readLastSum(writer.lengthBytes);
                // One block of the usual size ahead: as much as a client gets that names no length.
                long stepBytes = TerraceWriteAccess.estimatedBlockBytes(datanode);
                writer.space = RecoveredSpace.of(replica, block.getNumBytes(), stepBytes);
            }
            opened = true;
            return writer;
        } finally {
            if (!opened) {
                replica.releaseAllBytesReserved();
                if (files != null) {
                    files.close();
                }
                handler.close();
            }
        }
    }

    static ChecksumException wrong(ExtendedBlock block, long offset, BlockStore.Client client) {
        return new ChecksumException("Checksum error: " + block + " at " + offset + " from " + client.from(), offset);
    }

    /** The block is open at the next DataNode too. */
    void sendsTo(@Nullable NextNode opened) {
        next = opened;
        events = events(opened == null ? "" : opened.address());
    }

    /** A new replica gets a copy in memory, if there is room for one. */
    void copiesTo(WriteThroughCopies copies) {
        StorageType storage = replica.getVolume().getStorageType();
        boolean fits = !replica.isOnTransientStorage() && storage != StorageType.NVDIMM;
        copy = copies.begin(block.getBlockPoolId(), block, mostBytes(), fits);
    }

    private PipelineEvents events(String nextAddress) {
        DatanodeInfo last = request.targets().size() == 1 ? request.targets().get(0) : null;
        return new StockPipelineEvents(datanode, replica, client.from(), nextAddress, last);
    }

    @Override
    public boolean isFirst() {
        return request.isFirst();
    }

    @Override
    public PipelineEvents events() {
        return events;
    }

    @Override
    public @Nullable NextNode next() {
        return next;
    }

    @Override
    public WrittenFiles files() throws IOException {
        return files.forReading();
    }

    @Override
    public int chunkBytes() {
        return request.checksum().getBytesPerChecksum();
    }

    @Override
    public long mostBytes() {
        return block.getNumBytes();
    }

    @Override
    public long lengthBytes() {
        return lengthBytes;
    }

    @Override
    public long recoveredBytes() {
        boolean isNew = request.stage() == BlockConstructionStage.PIPELINE_SETUP_CREATE;
        return isNew ? 0 : request.message().getMinBytesRcvd();
    }

    @Override
    public ByteBuffer pieceBuffer(ByteBuffer own, int bytes) {
        return copy == null ? own : copy.pieceBuffer(own, bytes);
    }

    @Override
    public void write(long offset, ByteBuffer data, ByteBuffer sums) throws IOException {
        int wrongAt = verifier.firstWrong(data, sums);
        if (wrongAt >= 0) {
            throw wrong(block, offset + wrongAt, client);
        }
        long end = offset + data.remaining();
        if (end <= lengthBytes) {
            // After a recovery the client sends what other replicas lack.
            return;
        }
        if (space != null) {
            space.reach(end);
        }
        long from = Math.max(offset, lengthBytes - lengthBytes % chunkBytes());
        int there = (int) (from - offset);
        data.position(data.position() + there);
        sums.position(sums.position() + WriteData.sumBytes(there, chunkBytes()));
        int dataBytes = data.remaining();
        byte[] last = new byte[WriteData.SUM_BYTES];
        sums.get(sums.limit() - last.length, last);
        ByteBuffer written = data.duplicate();
        long beginNs = System.nanoTime();
        try {
            files.write(from, data, sums);
        } catch (IOException e) {
            checkVolume(e);
            throw e;
        }
        DataNodeFaultInjector.get().delayWriteToDisk();
        times.wrote(System.nanoTime() - beginNs);
        replica.setNumBytes(end);
        replica.setLastChecksumAndDataLen(end, last);
        metrics.incrBytesWritten((int) (end - lengthBytes));
        lastSum = last;
        lengthBytes = end;
        if (copy != null) {
            copy.write(from, written);
        }
        pageCache.written(end);
        DataTransferThrottler throttler = TerraceWriteAccess.throttler(datanode);
        if (throttler != null) {
            throttler.throttle(dataBytes);
        }
    }

    @Override
    public void sync() throws IOException {
        times.beginSync();
        DataNodeFaultInjector.get().delay();
        files.streams().syncChecksumOut();
        times.synced();
        files.streams().syncDataOut();
        times.synced();
        if (!directorySynced && replica instanceof LocalReplica local) {
            local.fsyncDirectory();
            directorySynced = true;
        }
        times.endSync();
    }

    @Override
    public void received() {
        metrics.incrPacketsReceived();
    }

    @Override
    public void checkPace() throws IOException {
        boolean alone = next == null && request.isFirst();
        slowFrames.took(!alone && TerraceWriteAccess.isSlow(datanode, block.getBlockPoolId()));
    }

    @Override
    public void acknowledge(long bytes) throws IOException {
        acknowledged(bytes);
        DataNodeFaultInjector.get().delay();
        DataNodeFaultInjector.get().delaySendingAckToUpstream(client.from());
    }

    private synchronized void acknowledged(long bytes) {
        ackedBytes = Math.max(ackedBytes, bytes);
        if (!finalising && ackedBytes > replica.getBytesAcked()) {
            replica.setBytesAcked(ackedBytes);
        }
    }

    /** Whatever is reserved for the replica goes back at once when it is finalised, so acknowledgements give nothing back any more. */
    private synchronized void setFinalising(boolean now) {
        finalising = now;
        acknowledged(ackedBytes);
    }

    @Override
    public void finish(boolean synced) throws IOException {
        boolean syncOnClose = TerraceWriteAccess.syncsOnClose(datanode);
        if (syncOnClose && !synced) {
            sync();
        }
        long beginNs = System.nanoTime();
        files.finish();
        DataNodeFaultInjector.get().delay();
        times.closed(System.nanoTime() - beginNs);
        block.setNumBytes(replica.getNumBytes());
        setFinalising(true);
        finaliseReplica(syncOnClose || synced);
        ended = true;
        releaseSpace();
        long endNs = System.nanoTime();
        // Nothing is lost if this fails: the block is finalised, and the reference is to its volume.
        handler.close();
        if (request.message().getPinning()) {
            datanode.getFSDataset().setPinning(block);
        }
        TerraceWriteAccess.received(datanode, block, replica.getStorageUuid(), replica.isOnTransientStorage());
        ClientTrace.wrote(datanode, replica, block, client, request.clientName(), endNs - startNs);
        metrics.addWriteBlockOp(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs));
        metrics.incrWritesFromClient(client.sameHost(), block.getNumBytes());
        if (copy != null) {
            BlockKey key = new BlockKey(block.getBlockPoolId(), block.getBlockId(), block.getGenerationStamp());
            copy.publish(new BlockVersion(key, block.getNumBytes()));
        }
        DataNodeFaultInjector.get().delayAckLastPacket();
    }

    /**
     * Stock refuses an interrupted thread and forgets the interrupt, by which a recovery has this thread end and then waits for it.
     * It looks once it has the dataset's lock, which may take long.
     */
    private void finaliseReplica(boolean sync) throws IOException {
        try {
            datanode.getFSDataset().finalizeBlock(block, sync);
        } catch (IOException e) {
            if (String.valueOf(e.getMessage()).endsWith("from Interrupted Thread")) {
                Thread.currentThread().interrupt();
            }
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        boolean left = !ended;
        ended = true;
        // Unless it is being sent on, nobody else closes the connection to the next one.
        try (WriteThroughCopy unusedCopy = copy;
                ReplicaHandler unusedHandler = left ? handler : null;
                NextNode unusedNext = left ? next : null) {
            if (left) {
                leave();
            }
        }
    }

    /** Whatever fails, the files are closed first: an open one outlives its replica. */
    private void leave() throws IOException {
        files.close();
        LOG.info("{} is left with {} bytes by its client {}", block, lengthBytes, client.from());
        TerraceWriteAccess.networkError(datanode, ClientTrace.host(client.from()));
        setFinalising(false);
        replica.releaseAllBytesReserved();
        releaseSpace();
        files.restore(lengthBytes, lastSum);
        if (TerraceWriteAccess.isRestarting(datanode)) {
            keepForRestart();
        }
    }

    private void releaseSpace() {
        if (space != null) {
            space.close();
        }
    }

    /** As stock: started again in time, the DataNode goes on with the replica as one that is being written. */
    private void keepForRestart() {
        try (OutputStream out = replica.createRestartMetaStream()) {
            long until = Time.now() + TerraceWriteAccess.restartBudgetMs(datanode);
            out.write(Long.toString(until).getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            LOG.warn("{} cannot be written any further after a restart", block, e);
        }
    }

    /** An interrupt is no trouble of the volume. */
    private void checkVolume(IOException why) {
        if (!(why instanceof ClosedChannelException)) {
            datanode.checkDiskErrorAsync(replica.getVolume());
        }
    }
}
