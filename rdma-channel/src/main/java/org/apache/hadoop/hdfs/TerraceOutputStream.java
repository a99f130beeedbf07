package org.apache.hadoop.hdfs;

import io.terrace.client.write.FileOutput;
import io.terrace.client.write.WriteClient;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.EnumSet;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.hdfs.client.HdfsDataOutputStream.SyncFlag;
import org.apache.hadoop.hdfs.protocol.HdfsFileStatus;
import org.apache.hadoop.util.DataChecksum;
import org.apache.hadoop.util.Progressable;
import org.jspecify.annotations.Nullable;

/**
 * Stock's stream whose bytes go through {@link FileOutput}. What it asks of the NameNode, and how it waits, ends and fails,
 * is stock's. From where a DataNode of its pipeline has no channel it is stock's stream altogether.
 */
final class TerraceOutputStream extends DFSOutputStream {
    /** Between two calls to complete a file. */
    private static final long MOST_PAUSE_MS = 1_000;

    private final TerraceDataStreamer sender;
    private final FileOutput output;
    private final WriteClient writes;
    private boolean isStock;

    /** Whether each block is to be on the disk when it ends. */
    private final boolean syncsBlocks;

    /** Its close need not wait for all DataNodes, and the NameNode has accepted the file. */
    private boolean acceptedEarly;

    /** Then also: it is closed, and the streamer goes on. */
    private boolean leftUnfinished;

    /** A call of stock's. */
    private interface StockCall {
        void run() throws IOException;
    }

    TerraceOutputStream(
            WriteClient writes,
            ExcludableNodes excludable,
            DFSClient client,
            String src,
            HdfsFileStatus stat,
            EnumSet<CreateFlag> flag,
            @Nullable Progressable progress,
            DataChecksum checksum,
            String @Nullable [] favoredNodes) {
        super(client, src, stat, flag, progress, checksum, favoredNodes, false);
        this.sender = new TerraceDataStreamer(
                writes,
                excludable,
                stat,
                client,
                src,
                progress,
                checksum,
                cachingStrategy,
                byteArrayManager,
                favoredNodes,
                getAddBlockFlags(),
                shouldSyncBlock);
        this.writes = writes;
        this.syncsBlocks = shouldSyncBlock;
        this.output = sender.output();
        this.streamer = sender;
    }

    @Override
    public synchronized void write(int value) throws IOException {
        if (!isStock()) {
            checkOpen();
            if (output.write(value)) {
                return;
            }
            checkLeft();
        }
        super.write(value);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        int taken = 0;
        if (!isStock()) {
            checkOpen();
            if (offset < 0 || length < 0 || offset > bytes.length - length) {
                throw new ArrayIndexOutOfBoundsException();
            }
            taken = output.write(bytes, offset, length);
            if (taken == length) {
                return;
            }
            checkLeft();
        }
        super.write(bytes, offset + taken, length - taken);
    }

    private void checkOpen() throws IOException {
        dfsClient.checkOpen();
        checkClosed();
    }

    /** After less was taken than there was: stock's stream takes the rest, or this one has ended. */
    private void checkLeft() throws IOException {
        if (!isStock()) {
            checkClosed();
            throw new IllegalStateException("bytes of " + src + " are not taken, though it is open");
        }
    }

    /** Whether it is stock's stream now. Where it is for the first time, stock's takes what is not acknowledged. */
    private boolean isStock() throws IOException {
        if (!isStock && output.isLeftToStock()) {
            isStock = true;
            sender.stockWrites();
            drainToStock();
        }
        return isStock;
    }

    /** Where a part of it is not taken, the file has a hole for good: it may not be closed as if it were whole. */
    private void drainToStock() throws IOException {
        try {
            output.drainTo(new FileOutput.StockOutput() {
                @Override
                public void begin(long blockOffset) {
                    sender.setBytesCurBlock(blockOffset);
                }

                @Override
                public void write(byte[] bytes, boolean sync) throws IOException {
                    shouldSyncBlock |= sync;
                    TerraceOutputStream.super.write(bytes, 0, bytes.length);
                }

                @Override
                public void endBlock() throws IOException {
                    endStocksBlock();
                }
            });
        } catch (IOException e) {
            try {
                abort();
            } finally {
                // Instead of what an abort says, to whoever closes it.
                getStreamer().getLastException().set(e);
            }
            throw e;
        }
    }

    /** As stock's hsync with END_BLOCK does, but waits for nothing, and syncs only where that was asked for. */
    private void endStocksBlock() throws IOException {
        // A full block ends with its last chunk.
        flushBuffer();
        if (currentPacket != null) {
            enqueueCurrentPacket();
        }
        if (sender.getBytesCurBlock() > 0) {
            setCurrentPacketToEmpty();
            enqueueCurrentPacket();
            sender.setBytesCurBlock(0);
            lastFlushOffset = 0;
            shouldSyncBlock = syncsBlocks;
        }
    }

    /** Of stock's: the block ends if it is full. */
    @Override
    void endBlock() throws IOException {
        super.endBlock();
        if (sender.getBytesCurBlock() == 0) {
            shouldSyncBlock = syncsBlocks;
        }
    }

    @Override
    public void hflush() throws IOException {
        flush(false, false, super::hflush, super::hflush);
    }

    @Override
    public void hsync() throws IOException {
        flush(true, false, super::hsync, super::hsync);
    }

    @Override
    public void hsync(EnumSet<SyncFlag> syncFlags) throws IOException {
        EnumSet<SyncFlag> others = EnumSet.copyOf(syncFlags);
        boolean endBlock = others.remove(SyncFlag.END_BLOCK);
        flush(true, endBlock, () -> super.hsync(others), () -> super.hsync(syncFlags));
    }

    /**
     * Both calls wait for what was sent, and tell the NameNode.
     *
     * @param queued where frames say what is to be synced, and where a block ends, also if stock's stream takes them over: whoever
     *     ended the block once more would end the next one, if another thread has begun that
     * @param stocks where stock's stream has the file already
     */
    private void flush(boolean sync, boolean endBlock, StockCall queued, StockCall stocks) throws IOException {
        StockCall stock = stocks;
        synchronized (this) {
            if (!isStock() && !isClosed()) {
                stock = queued;
                if (endBlock) {
                    output.endBlock(sync);
                } else {
                    output.flush(sync);
                }
            }
        }
        try {
            stock.run();
        } catch (LeftToStockException e) {
            synchronized (this) {
                isStock();
            }
            stock.run();
        }
    }

    @Override
    protected void flushInternal() throws IOException {
        if (isStock) {
            super.flushInternal();
            return;
        }
        if (!isStock()) {
            output.endBlock(false);
            try {
                if (writes.closesEarly()) {
                    long unused = flushInternalWithoutWaitingAck();
                    output.complete();
                    sender.waitUntilWritten();
                } else {
                    super.flushInternal();
                }
                return;
            } catch (LeftToStockException e) {
                isStock();
            }
        }
        // What stock's close did before there was anything in stock's buffers.
        flushBuffer();
        if (currentPacket != null) {
            enqueueCurrentPacket();
        }
        if (getStreamer().getBytesCurBlock() != 0) {
            setCurrentPacketToEmpty();
        }
        super.flushInternal();
    }

    @Override
    void completeFile() throws IOException {
        acceptedEarly = !isStock && writes.closesEarly() && isAcceptedEarly();
        if (acceptedEarly) {
            sender.completed();
        } else {
            super.completeFile();
        }
    }

    /**
     * Asks the NameNode to complete the file until all DataNodes have it: how many replicas are enough only the NameNode knows.
     * False where it has not accepted it by then, which stock's calls are for.
     */
    private boolean isAcceptedEarly() throws IOException {
        long pauseMs = Math.max(1, dfsClient.getConf().getBlockWriteLocateFollowingInitialDelayMs());
        try {
            while (!output.awaitAll(0)) {
                if (dfsClient.namenode.complete(src, dfsClient.clientName, sender.getBlock(), fileId)) {
                    return true;
                }
                boolean unused = output.awaitAll(pauseMs);
                pauseMs = Math.min(2 * pauseMs, MOST_PAUSE_MS);
            }
        } catch (InterruptedException e) {
            throw new InterruptedIOException("Interrupted while " + src + " was completed");
        }
        // The streamer may have ended before all had it: then the file is not to be closed as if it were whole.
        sender.waitForAckedSeqno(sender.getLastQueuedSeqno());
        return false;
    }

    /** Whoever gave the file up may never close it, as where its streamer has failed. */
    @Override
    void abort() throws IOException {
        try {
            super.abort();
        } finally {
            releaseClosed();
        }
    }

    private synchronized void releaseClosed() {
        if (isClosed() && !leftUnfinished) {
            output.release();
        }
    }

    /** Whether the streamer goes on after the file's end. */
    private boolean leavesUnfinished() {
        try {
            if (acceptedEarly && !leftUnfinished && !output.awaitAll(0)) {
                leftUnfinished = writes.leaveUnfinished(output);
                while (!leftUnfinished && !output.awaitAll(MOST_PAUSE_MS)) {
                    LOG.debug("{} waits for all its DataNodes, as too many other closed files do", src);
                }
            }
        } catch (InterruptedException e) {
            // Stock's close would interrupt the streamer too, and replicas of an accepted file would be given up.
            writes.leaveInterrupted(output);
            leftUnfinished = true;
            Thread.currentThread().interrupt();
        }
        return leftUnfinished;
    }

    @Override
    protected void closeThreads(boolean force) throws IOException {
        if (leavesUnfinished()) {
            setClosed();
            return;
        }
        try {
            super.closeThreads(force);
        } finally {
            output.release();
        }
    }
}
