package io.terrace.client.write;

import io.terrace.channel.write.WriteFrame;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;

/**
 * A file that is written over the channel, for stock's output stream and its streamer. What the stream calls is under
 * the stream's lock, but for {@link #awaitAcked}; what the streamer calls is on its thread.
 *
 * <p>When a DataNode has no channel, the file is left to stock, at the beginning of a block or where its pipeline is set up
 * again: the streamer goes on as stock's, and the stream writes what is left by {@link #drainTo}.
 */
public final class FileOutput {
    /** Stock's output stream. */
    public interface StockOutput {
        /** The next byte is this one of the block, the first of a chunk; where none follows, the block ends before it. */
        void begin(long blockOffset);

        /** @param sync whether the block of these bytes is to be on the disk when it ends: nobody may ask for that again before */
        void write(byte[] bytes, boolean sync) throws IOException;

        /** The next byte begins a block. */
        void endBlock() throws IOException;
    }

    /** What {@link #open} says of a block that is open. */
    public static final int OPEN = -1;

    private final FileSender sender;
    private final FrameQueue queue;
    private final FrameFiller filler;

    FileOutput(FileSender sender, FramePool pool, ChunkSummer summer, long blockBytes, boolean syncBlocks) {
        this.sender = sender;
        this.queue = sender.queue();
        this.filler = new FrameFiller(pool, queue, summer, blockBytes, syncBlocks);
    }

    /** Takes in bytes, and says how many: all, unless the file was left to stock meanwhile or has ended. */
    public int write(byte[] from, int at, int count) {
        return filler.write(from, at, count);
    }

    /** Takes in one byte, unless the file was left to stock or has ended. */
    public boolean write(int value) {
        return filler.write((byte) value);
    }

    /**
     * Sends what is not sent yet.
     *
     * @param sync whether it is to be on the disk
     */
    public void flush(boolean sync) {
        filler.flush(sync);
    }

    /** Sends what is not sent yet and ends the block, unless it is empty. */
    public void endBlock(boolean sync) {
        filler.endBlock(sync);
    }

    /** The number of the last frame. */
    public long lastQueued() {
        return queue.lastQueued();
    }

    /**
     * Waits until a frame is acknowledged, the file has ended, or it is left to stock.
     *
     * @return false when the time has passed
     */
    public boolean awaitAcked(long sequence, long timeoutMs) throws InterruptedException {
        return queue.awaitAcked(sequence, timeoutMs) != FrameQueue.Wait.TIMED_OUT;
    }

    /**
     * Nothing is written any more, after {@link #endBlock}. Then the last block is left as any other is when the next one begins:
     * the NameNode may be asked to complete the file.
     */
    public void complete() {
        queue.complete();
        sender.wake();
    }

    /** After {@link #complete}: as {@link #awaitAcked}, until the first DataNode of each block has finalised it. */
    public boolean awaitWritten(long timeoutMs) throws InterruptedException {
        return queue.awaitWritten(timeoutMs) != FrameQueue.Wait.TIMED_OUT;
    }

    /** Waits as {@link #awaitAcked} until all DataNodes have all that was written. */
    public boolean awaitAll(long timeoutMs) throws InterruptedException {
        return awaitAcked(lastQueued(), timeoutMs);
    }

    public boolean isLeftToStock() {
        return queue.isLeftToStock();
    }

    /**
     * Writes all that is not acknowledged to stock's stream, from the first byte of the chunk that it begins in: the DataNodes
     * pass over what they have. Where stock's stream fails, the rest is dropped: the file must not be completed then.
     */
    public void drainTo(StockOutput stock) throws IOException {
        Deque<DataFrame> left = new ArrayDeque<>(queue.takeUnsent());
        try {
            drain(left, stock);
        } finally {
            left.forEach(queue::drop);
        }
    }

    private void drain(Deque<DataFrame> left, StockOutput stock) throws IOException {
        boolean begun = false;
        for (DataFrame frame = left.peek(); frame != null; frame = left.peek()) {
            // A flush without data says nothing; an end without data says where the block ends.
            boolean counts = !frame.isEmpty() || frame.isEnd();
            if (!begun && counts) {
                stock.begin(frame.offset());
            }
            byte[] bytes = begun ? frame.fresh() : frame.all();
            begun |= counts;
            boolean ends = frame.has(WriteFrame.LAST);
            boolean sync = frame.has(WriteFrame.SYNC);
            queue.drop(left.remove());
            stock.write(bytes, sync);
            if (ends) {
                stock.endBlock();
            }
        }
        if (!begun) {
            stock.begin(filler.chunkOffset());
        }
        stock.write(filler.take(!begun), false);
    }

    /** Gives back the memory of what was not sent; what the streamer may be sending, once it has ended. */
    public void release() {
        filler.release();
        sender.release(() -> {});
    }

    /**
     * Nobody writes to it any more; the streamer goes on until all DataNodes have all of it.
     *
     * @param whenEnded run once it has ended
     */
    void release(Runnable whenEnded) {
        filler.release();
        sender.release(whenEnded);
    }

    /**
     * The streamer's work, until the file ends or is left to stock. {@link #sendEnded} is to be called then, after whatever
     * this threw is where the stream looks for it.
     *
     * @throws IOException when the file cannot be written any further
     */
    public void send() throws IOException {
        sender.run();
    }

    /** After {@link #send}: whether stock's streamer goes on, which is connected to the block's DataNode. */
    public boolean isLeft() {
        return sender.isLeft();
    }

    /** Lets the stream's waits end. */
    public void sendEnded() {
        sender.end();
    }

    /** Lets {@link #send} look whether the file has ended. Any thread. */
    public void wake() {
        sender.wake();
    }

    /**
     * Opens a block at its DataNodes, within {@link StockStreamer#nextBlock} and {@link StockStreamer#recoverBlock}.
     *
     * @param nodes the first one opens it at the others
     * @param request Hadoop's request to write a block
     * @return {@link #OPEN}, or the index of one that has no channel
     * @throws IOException when a DataNode refuses the block or fails
     */
    public int open(DatanodeInfo[] nodes, byte[] request, long answerTimeoutNs) throws IOException {
        return sender.open(nodes, request, answerTimeoutNs);
    }

    /** Within {@link StockStreamer#nextBlock}: whether all of the block is sent with the request to open it. */
    public boolean beginsWhole() {
        return queue.peekWhole() != null;
    }
}
