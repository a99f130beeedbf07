package io.terrace.datanode.write;

import static java.util.Objects.requireNonNull;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.write.ConnectionEndedException;
import io.terrace.channel.write.WriteAck;
import io.terrace.channel.write.WriteConnection;
import io.terrace.channel.write.WriteFrame;
import io.terrace.common.DaemonThreads;
import java.io.Closeable;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a block on to the next DataNode while it is written, as fast as that one takes it. The replica's writer sends what it
 * has just verified, if the next one keeps up. A thread of its own sends what that one lacks, from the replica's files, and
 * takes in what it acknowledges. It alone says that the next one has failed. It ends when all after this DataNode have
 * finalised the block, when one of them fails, or with the writer. A client that goes when this DataNode has finalised the block
 * ends neither.
 */
final class Forwarder implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Forwarder.class);

    private final NextNode next;
    private final WriteConnection connection;
    private final WrittenFiles files;
    private final ForwardQueue queue;
    private final BlockAnswers answers;
    private final Function<Throwable, byte[]> refusal;
    private final WriteMeter meter;
    private final Selector selector;
    private final Thread thread;

    private final NextSocket socket;
    private final FrameSender sender;
    private final AnswerClock clock;
    private volatile boolean waiting;
    private volatile boolean ended;
    private volatile @Nullable Exception failure;

    // Of the thread alone.
    private boolean finalised;

    /**
     * Starts to send.
     *
     * @param block that the next DataNode has opened
     * @param out direct, with room for the checksums of a frame and more
     * @param refusal makes a body of a FAILED frame
     */
    static Forwarder start(
            String name,
            OpenBlock block,
            ForwardQueue queue,
            BlockAnswers answers,
            ByteBuffer out,
            Function<Throwable, byte[]> refusal,
            WriteMeter meter)
            throws IOException {
        NextNode next = requireNonNull(block.next());
        WrittenFiles files = null;
        Selector selector = null;
        boolean started = false;
        try {
            files = block.files();
            selector = Selector.open();
            Forwarder forwarder =
                    new Forwarder(name, next, files, block.events(), selector, queue, answers, out, refusal, meter);
            forwarder.thread.start();
            started = true;
            return forwarder;
        } finally {
            if (!started) {
                closeAll(next, files, selector);
            }
        }
    }

    private Forwarder(
            String name,
            NextNode next,
            WrittenFiles files,
            PipelineEvents events,
            Selector selector,
            ForwardQueue queue,
            BlockAnswers answers,
            ByteBuffer out,
            Function<Throwable, byte[]> refusal,
            WriteMeter meter) {
        this.next = next;
        this.connection = next.connection();
        this.files = files;
        this.socket = new NextSocket(connection, new WaitCredit());
        this.sender = new FrameSender(next, socket, queue, files, events, out, meter);
        this.clock = new AnswerClock(sender, next);
        this.selector = selector;
        this.queue = queue;
        this.answers = answers;
        this.refusal = refusal;
        this.meter = meter;
        this.thread = DaemonThreads.make(name, this::run);
    }

    /** The writer has verified and written a piece of a frame: it is sent on, if the next DataNode keeps up. */
    void send(ForwardQueue.Part part, ByteBuffer sums, long offset, ByteBuffer piece) {
        sender.send(part, sums, offset, piece);
    }

    /** The writer has verified and written all of a frame. What of it was not sent goes from the replica's files. */
    void end(ForwardQueue.Part part, ByteBuffer sums) {
        if (!sender.end(part, sums) && waiting) {
            selector.wakeup();
        }
    }

    /** How long {@link #send} has waited so far, of the writer's time. */
    long waitedNs() {
        return socket.waitedNs();
    }

    /** Waits until the next DataNode lacks little enough of the block; fails when it has failed. */
    void awaitRoom() throws IOException {
        queue.awaitRoom();
        check();
    }

    /** Waits until all after this DataNode have finalised the block; fails when one of them has failed. */
    void awaitFinalised() throws IOException {
        queue.awaitEnd();
        check();
    }

    /** Has the writer wait for the next DataNode no more, but fail. Any thread. */
    void waitNoMore() {
        queue.waitNoMore();
    }

    /** Fails when the next DataNode has failed. */
    void check() throws IOException {
        Exception why = failure;
        if (why != null) {
            throw why instanceof NextNodeException said ? said : new IOException("cannot send the block on", why);
        }
    }

    /** Ends it; unless the block is finalised everywhere, the next DataNode loses its client. */
    @Override
    public void close() throws IOException {
        ended = true;
        selector.wakeup();
        boolean interrupted = Thread.interrupted();
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                // The thread may be telling the client something.
                interrupted = true;
                answers.cut();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        socket.close();
    }

    private void run() {
        try {
            connection.register(selector);
            while (!ended && !finalised) {
                advance();
            }
            if (finalised) {
                connection.deregister(selector);
                next.giveBack();
            }
        } catch (IOException | RuntimeException e) {
            failed(e);
        } catch (Error e) {
            // Nobody else ends the block: its writer would take it for sent on.
            failed(new IOException("the thread that sends the block on broke", e));
            throw e;
        } finally {
            queue.end();
            closeAll(next, files, selector);
        }
    }

    private void advance() throws IOException {
        long leftNs = clock.check();
        boolean blocked = !sender.send();
        connection.awaitOutput(blocked);
        waiting = true;
        if (ended || (!blocked && queue.take())) {
            selector.selectNow();
        } else {
            selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNs)));
        }
        waiting = false;
        WriteConnection.takeSelected(selector);
        if (connection.isReadable()) {
            receive();
        }
    }

    private void receive() throws IOException {
        sender.told(PipelineEvents::receiving);
        connection.fill();
        // What follows the last acknowledgement is not about the block.
        for (WriteConnection.Received got = next(); got != null; got = next()) {
            clock.heard();
            switch (got.frame().type()) {
                case WriteFrame.ACK -> receive(got.frame(), WriteAck.decode(got.frame(), got.body()));
                case WriteFrame.PING -> clock.answeredPing();
                case WriteFrame.FAILED -> {
                    byte[] body = new byte[got.body().remaining()];
                    got.body().get(body);
                    throw NextNodeException.said(next.address(), body);
                }
                default -> throw new MalformedMessageException(
                        "a frame of type " + got.frame().type());
            }
        }
    }

    private WriteConnection.@Nullable Received next() throws IOException {
        return finalised ? null : connection.next();
    }

    private void receive(WriteFrame header, WriteAck ack) throws IOException {
        long number = ack.replicatedNumber();
        boolean last = header.has(WriteFrame.ALL_FINALIZED);
        if (number < sender.ackedNumber() || header.number() > sender.sentNumber() || sender.isEnd(number) != last) {
            throw new MalformedMessageException("frame " + header.number() + " acknowledged, by all " + number + ", of "
                    + sender.sentNumber() + ", flags " + header.flags());
        }
        if (!last) {
            sender.told(PipelineEvents::acknowledgedByNext);
        }
        sender.acked(number);
        queue.acked(ack.replicatedBytes());
        tell(number, ack.replicatedBytes(), last);
        finalised = last;
    }

    private void tell(long number, long bytes, boolean last) throws IOException {
        try {
            answers.next(number, bytes, last);
        } catch (IOException e) {
            throw new ClientGoneException(e);
        }
    }

    private void failed(Exception why) {
        if (why instanceof ClientGoneException) {
            failure = why;
            return;
        }
        boolean ofNext = why instanceof ConnectionEndedException
                || why instanceof MalformedMessageException
                || why instanceof SocketTimeoutException;
        Exception said = ofNext ? NextNodeException.failed(next.address(), why) : why;
        failure = said;
        if (ended) {
            return;
        }
        meter.forwardFailed();
        try {
            answers.fail(refusal.apply(said));
        } catch (IOException e) {
            said.addSuppressed(e);
        }
    }

    private static void closeAll(@Nullable Closeable... all) {
        for (Closeable each : all) {
            try {
                if (each != null) {
                    each.close();
                }
            } catch (IOException e) {
                LOG.debug("Closing what a block was sent on with", e);
            }
        }
    }

    /** The client cannot be told what was acknowledged. */
    private static final class ClientGoneException extends IOException {
        private static final long serialVersionUID = 1L;

        ClientGoneException(IOException cause) {
            super(cause);
        }
    }
}
