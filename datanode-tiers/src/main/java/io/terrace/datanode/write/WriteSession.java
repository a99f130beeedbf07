package io.terrace.datanode.write;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.write.FrameChannel;
import io.terrace.channel.write.WriteFrame;
import io.terrace.channel.write.WriteThrough;
import io.terrace.common.LogThrottle;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection on which a client writes: one block after another, frame by frame.
 *
 * <p>After a failure the client is told why and the connection ends; the replica keeps what was verified.
 */
final class WriteSession {
    private static final Logger LOG = LoggerFactory.getLogger(WriteSession.class);

    private static final int DRAIN_PIECE_BYTES = 64 << 10;

    /** More than a client may have sent before it reads that its block has ended. */
    private static final long MOST_DRAINED_BYTES = 64L << 20;

    private final FrameChannel frames;
    private final SessionWindow window;
    private final BlockStore.Client client;
    private final BlockStore store;
    private final WriteBuffers buffers;
    private final WriteLimits limits;
    private final WriteMeter meter;
    private final LogThrottle ends;

    /** Whether the client has no block open, after one or more, or one that failed. */
    private volatile boolean idle;

    /** Whether the request for a block or the end is waited for, and since when: what else the client says is no progress. */
    private volatile boolean awaitsClient;

    private volatile long awaitsClientSinceNs;

    private volatile boolean cut;

    /** Whether a block is open, or about to be. */
    private volatile boolean writes;

    private volatile boolean evicted;

    /** Whether nothing more is taken from the client. */
    private volatile boolean inputEnded;

    /** Sends the block on that is open; null if there is none, or no next DataNode. */
    private volatile @Nullable Forwarder forwarding;

    private final Opening opening = new Opening();

    private @Nullable Thread thread;

    WriteSession(
            FrameChannel frames,
            SessionWindow window,
            BlockStore.Client client,
            BlockStore store,
            WriteBuffers buffers,
            WriteLimits limits,
            WriteMeter meter,
            LogThrottle ends) {
        this.frames = frames;
        this.window = window;
        this.client = client;
        this.store = store;
        this.buffers = buffers;
        this.limits = limits;
        this.meter = meter;
        this.ends = ends;
    }

    /** Before the thread starts. */
    void servedBy(Thread server) {
        thread = server;
    }

    /** Serves until the client closes the connection, or something fails. */
    void run() {
        try {
            window.offer();
            WriteFrame open = nextBlock();
            while (open != null) {
                idle = false;
                writeBlock(open);
                idle = true;
                open = limits.idleNs() == 0 ? null : nextBlock();
            }
        } catch (IOException | RuntimeException | Error e) {
            tellEnd(e);
            drain();
        }
    }

    /**
     * Waits for the request for a block. PINGs come before it that crossed the last acknowledgement of the block before, more than
     * one where that took long.
     *
     * @return null at the end of the connection
     */
    private @Nullable WriteFrame nextBlock() throws IOException {
        awaitsClientSinceNs = System.nanoTime();
        awaitsClient = true;
        try {
            while (true) {
                WriteFrame next = frames.receive();
                if (next != null && next.type() == WriteFrame.WINDOW) {
                    frames.send(window.open());
                } else if (next == null || next.type() != WriteFrame.PING) {
                    return next;
                }
            }
        } finally {
            awaitsClient = false;
        }
    }

    /**
     * Takes what the client still sends, until it closes the connection: one that is closed with bytes unread is reset, and the
     * client may never read why its block ended.
     */
    private void drain() {
        if (cut || !frames.channel().isOpen()) {
            return;
        }
        idle = true;
        awaitsClientSinceNs = System.nanoTime();
        awaitsClient = true;
        try {
            frames.channel().shutdownOutput();
            ByteBuffer unread = ByteBuffer.allocate(DRAIN_PIECE_BYTES);
            long takenBytes = 0;
            while (takenBytes < MOST_DRAINED_BYTES && frames.receiveSome(unread.clear())) {
                takenBytes += unread.position();
            }
        } catch (IOException e) {
            LOG.debug("The connection of {} ended", client.from(), e);
        }
    }

    private void tellEnd(Throwable why) {
        Long others = cut && idle ? null : ends.next(System.nanoTime());
        if (others == null) {
            LOG.debug("The connection of {}, which writes, ended", client.from(), why);
        } else if (cut) {
            LOG.info("Cut {}, which was silent within a block ({} others before it)", client.from(), others);
        } else if (why instanceof IOException) {
            LOG.info("Ended the connection of {}, which writes: {} ({} others before it)", client.from(), why, others);
        } else {
            LOG.error("Ended the connection of {}, which could not be served", client.from(), why);
        }
    }

    /** Ends the connection if the client was silent for too long. One thread. */
    void cutIfSilent(long nowNs) {
        boolean unused = idle;
        long mostNs = unused ? limits.idleNs() : limits.silenceNs();
        boolean late = awaitsClient && nowNs - awaitsClientSinceNs > mostNs;
        if (cut || !(late || frames.isStalled(nowNs, mostNs))) {
            return;
        }
        cut = true;
        if (!unused) {
            meter.cut();
        }
        close();
    }

    /** Ends calls that wait. Any thread. */
    void close() {
        waitForNextNoMore();
        try {
            frames.close();
        } catch (IOException e) {
            LOG.debug("Closing the connection of {}", client.from(), e);
        }
    }

    /** Lets the thread that serves end, and tell its client why. Any thread. */
    void endInput() {
        waitForNextNoMore();
        try {
            frames.channel().shutdownInput();
        } catch (IOException e) {
            LOG.debug("The connection of {} ended", client.from(), e);
        }
    }

    private void waitForNextNoMore() {
        inputEnded = true;
        opening.interrupt();
        Forwarder waitsForNext = forwarding;
        if (waitsForNext != null) {
            waitsForNext.waitNoMore();
        }
    }

    /** As {@link #endInput}, if the client writes a block; whether it does. Any thread. */
    boolean evict() {
        if (!writes) {
            return false;
        }
        evicted = true;
        endInput();
        return true;
    }

    /** Waits for the thread that serves. */
    void awaitEnd(long deadlineNs) {
        try {
            if (thread != null) {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void writeBlock(WriteFrame open) throws IOException {
        if (open.type() != WriteFrame.OPEN) {
            throw new MalformedMessageException("a frame of type " + open.type() + " where no block is open");
        }
        byte[] request = new byte[open.bodyBytes()];
        frames.receiveBody(ByteBuffer.wrap(request));
        // Bounded when the frame was decoded.
        int wholeBytes = (int) open.number();
        store.blockBegun();
        writes = true;
        try (WholeBlock whole = wholeBytes == 0 ? null : new WholeBlock(frames, buffers, wholeBytes, opening::begin)) {
            writeBlock(open, request, whole);
        } finally {
            writes = false;
            store.blockEnded();
        }
    }

    private void writeBlock(WriteFrame open, byte[] request, @Nullable WholeBlock whole) throws IOException {
        OpenBlock block;
        try {
            block = open(open, request, whole);
        } catch (IOException | RuntimeException e) {
            meter.notOpened();
            if (whole != null && e instanceof NextNodeException next && !next.unsupported()) {
                // It may have had all of it.
                meter.forwardFailed();
            }
            BlockAnswers.send(frames, WriteFrame.OPENED, open.number(), store.refusal(said(e)));
            throw e;
        }
        window.blockOpened();
        if (block == null) {
            BlockAnswers.send(frames, WriteFrame.OPENED, open.number(), store.success());
            return;
        }
        BlockAnswers answers = new BlockAnswers(frames, block, block.next() == null);
        try (block) {
            if (whole == null) {
                BlockAnswers.send(frames, WriteFrame.OPENED, open.number(), store.success());
            } else {
                meter.forwarded(whole.isSentOn() ? whole.dataBytes() : 0);
                frames.unread(whole.frame());
            }
            write(block, answers);
        } catch (IOException | RuntimeException | Error e) {
            meter.failed();
            tell(answers, said(e));
            throw e;
        }
    }

    private @Nullable OpenBlock open(WriteFrame open, byte[] request, @Nullable WholeBlock whole) throws IOException {
        try {
            if (whole == null) {
                opening.begin();
            }
            if (open.has(WriteFrame.SYNC_REPLICA)) {
                store.finaliseSynced(request, client);
                return null;
            }
            return store.open(request, WriteThrough.of(open), whole, client);
        } finally {
            opening.end();
        }
    }

    private Throwable said(Throwable why) {
        return evicted ? new IOException("an operator evicted all who write to this DataNode", why) : why;
    }

    private void write(OpenBlock block, BlockAnswers answers) throws IOException {
        WriteBuffers.Pair pair = buffers.take(block.chunkBytes());
        WriteBuffers.Pair forNext = block.next() == null ? null : buffers.take(block.chunkBytes());
        try (Forwarder forwarder = forNext == null ? null : forward(block, answers, forNext)) {
            SpeedMeter speed = new SpeedMeter(meter.speeds(), new ClientSpeeds.Sender(client.host(), !block.isFirst()));
            new FrameReceiver(frames, window, block, pair, answers, forwarder, meter, speed).run();
        } finally {
            forwarding = null;
            buffers.give(pair);
            if (forNext != null) {
                buffers.give(forNext);
            }
        }
    }

    private Forwarder forward(OpenBlock block, BlockAnswers answers, WriteBuffers.Pair pair) throws IOException {
        ForwardQueue queue = new ForwardQueue(block.chunkBytes(), block.lengthBytes(), limits.forwardLagBytes());
        String name = Thread.currentThread().getName() + "-next";
        Forwarder forwarder = Forwarder.start(name, block, queue, answers, pair.data(), store::refusal, meter);
        forwarding = forwarder;
        if (inputEnded) {
            forwarder.waitNoMore();
        }
        return forwarder;
    }

    /**
     * The time in which the block is opened, here and at the next DataNode, and nothing is read from the client: only an interrupt
     * ends a wait then. It ends nothing that comes later, when the client is told why.
     */
    private final class Opening {
        private boolean lasts;
        private boolean interrupted;

        synchronized void begin() throws InterruptedIOException {
            if (inputEnded) {
                throw new InterruptedIOException("no more blocks are opened on this connection");
            }
            lasts = true;
        }

        synchronized void end() {
            lasts = false;
            if (interrupted) {
                // A recovery may have interrupted it too: the session ends without.
                interrupted = false;
                boolean unused = Thread.interrupted();
            }
        }

        synchronized void interrupt() {
            if (lasts && thread != null) {
                interrupted = true;
                thread.interrupt();
            }
        }
    }

    /** The client may be gone already. */
    private void tell(BlockAnswers answers, Throwable why) {
        try {
            answers.fail(store.refusal(why));
        } catch (IOException | RuntimeException e) {
            why.addSuppressed(e);
        }
    }
}
