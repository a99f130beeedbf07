package io.terrace.client.write;

import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.write.LandingClient;
import io.terrace.channel.write.WriteAck;
import io.terrace.channel.write.WriteConnection;
import io.terrace.channel.write.WriteFrame;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hdfs.DFSClientFaultInjector;
import org.jspecify.annotations.Nullable;

/**
 * One block that is being written to its first DataNode: sends frames, keeps them until all DataNodes have them, keeps the
 * connection from being idle. After a fault it does nothing. Used by the file's streamer.
 */
final class BlockSender {
    /** Told of data that is sent and acknowledged. */
    interface Progress {
        /** Data of the block up to this byte is about to be sent. */
        void sending(long blockBytes);

        /**
         * More was acknowledged by all.
         *
         * @param blockBytes acknowledged of the block
         * @param freshBytes of these for the first time
         */
        void acknowledged(long blockBytes, long freshBytes);
    }

    private final FrameSource frames;
    private final WriteConnection connection;
    private final LandingClient landing;
    private final long answerTimeoutNs;
    private final long keepAliveNs;
    private Progress progress;
    private final Deque<DataFrame> sent = new ArrayDeque<>();

    private @Nullable ByteBuffer sending;
    private @Nullable DataFrame partlySent;
    private WriteConnection.@Nullable Received answer;
    private long lastNumber;
    private long ackedNumber;
    private boolean lastSent;
    private long endBytes;
    private long ackedBytes;
    private boolean finalisedByFirst;
    private boolean finalised;
    private @Nullable IOException fault;
    private long busySinceNs;
    private long busyNs;
    private long firstHas;
    private boolean pinged;
    private long waitsSinceNs;
    private long sentNs;

    /**
     * A block that the DataNode has opened.
     *
     * @param startBytes of the block that all DataNodes have
     * @param answerTimeoutNs the longest that the DataNode may be silent while it owes an answer
     * @param keepAliveNs the longest that it may hear nothing
     * @param progress told of it
     */
    BlockSender(
            FrameSource frames,
            WriteConnection connection,
            long answerTimeoutNs,
            long keepAliveNs,
            Progress progress,
            long startBytes,
            long nowNs) {
        this.frames = frames;
        this.endBytes = startBytes;
        this.ackedBytes = startBytes;
        this.connection = connection;
        this.landing = connection.landing();
        this.answerTimeoutNs = answerTimeoutNs;
        this.keepAliveNs = keepAliveNs;
        this.progress = progress;
        this.sentNs = nowNs;
    }

    WriteConnection connection() {
        return connection;
    }

    /** Whether all DataNodes have finalised the block. */
    boolean isFinalised() {
        return finalised;
    }

    /** Whether the first DataNode has finalised the block. */
    boolean isFinalisedByFirst() {
        return finalisedByFirst;
    }

    /** How long there was something that the first DataNode did not have yet. */
    long busyNs() {
        return busyNs;
    }

    /** Of the block, once its end is sent. */
    long endBytes() {
        return endBytes;
    }

    /** What ended it before all had finalised the block; null when nothing did, and once all have. */
    @Nullable
    IOException fault() {
        return fault;
    }

    /** Of the block that all DataNodes have. */
    long ackedBytes() {
        return ackedBytes;
    }

    /** From now on another one is told. */
    void tell(Progress another) {
        progress = another;
    }

    /** Of the block, what not all DataNodes have; once its end is sent. */
    long missingBytes() {
        DataFrame first = sent.peek();
        return first == null ? 0 : endBytes - first.offset();
    }

    /** Frames that are not acknowledged by all. */
    Deque<DataFrame> sent() {
        return sent;
    }

    /** Whether more frames could be sent now. */
    boolean takesMore() {
        return fault == null && sending == null && !lastSent && landing.hasRoom();
    }

    /**
     * Takes in what has arrived, and sends what there is to send, as far as the socket takes it.
     *
     * @return how long until this is to be called again, at most
     */
    long advance(long nowNs) {
        if (fault != null || finalised) {
            return Long.MAX_VALUE;
        }
        try {
            WriteConnection.Received first = answer;
            if (first != null) {
                answer = null;
                receive(first.frame(), WriteAck.decode(first.frame(), first.body()));
            }
            // What came with the answer to the request does not show in the selector any more.
            take(nowNs);
            if (!finalised && (connection.isReadable() || isOverdue(nowNs))) {
                receive(nowNs);
            }
            if (finalised) {
                // Its end would be there to be read, over and over, while the next block is opened.
                connection.awaitNothing();
                return 0;
            }
            landing.check();
            send(nowNs);
            long leftNs = keepAlive(nowNs);
            connection.awaitOutput(sending != null);
            return leftNs;
        } catch (IOException e) {
            IOException why = said(e);
            // All have it, whatever became of the connection that said so.
            fault = finalised ? null : why;
            BlockOpening.close(connection);
            return 0;
        }
    }

    private void send(long nowNs) throws IOException {
        while (true) {
            ByteBuffer rest = sending;
            if (rest != null) {
                if (!connection.send(rest)) {
                    return;
                }
                sending = null;
                sent(partlySent);
                partlySent = null;
            }
            ByteBuffer request = landing.request();
            if (request != null) {
                sending = request;
                continue;
            }
            DataFrame next = lastSent || !landing.hasRoom() ? null : frames.poll();
            if (next == null) {
                return;
            }
            begin(next, nowNs);
            beforeSending(next);
            sending = wire(next, lastNumber);
        }
    }

    private void begin(DataFrame next, long nowNs) {
        begins(nowNs);
        if (lastNumber == firstHas) {
            busySinceNs = nowNs;
        }
        sent.add(next);
        partlySent = next;
        if (next.endOffset() - next.freshBytes() != endBytes) {
            // A DataNode that has as many bytes would take them for these.
            throw new IllegalStateException(next.freshBytes() + " bytes up to " + next.endOffset() + " after the first "
                    + endBytes + " bytes of a block");
        }
        lastNumber++;
        lastSent = next.has(WriteFrame.LAST);
        endBytes = next.endOffset();
        progress.sending(endBytes);
    }

    /**
     * All of the block was sent with the request to open it.
     *
     * @param unsent what the socket has not taken yet
     * @param ack the answer, where the DataNode acknowledged it at once; {@link #advance} deals with it
     */
    void sentWhole(DataFrame whole, ByteBuffer unsent, WriteConnection.@Nullable Received ack, long nowNs) {
        begin(whole, nowNs);
        answer = ack;
        if (unsent.hasRemaining()) {
            sending = unsent;
        } else {
            sent(whole);
            partlySent = null;
        }
    }

    /** Where a test wants that, the data of a frame is corrupt while it is sent; {@link #sent} ends that. */
    static void beforeSending(DataFrame frame) {
        if (!frame.isEmpty() && DFSClientFaultInjector.get().corruptPacket()) {
            frame.corrupt();
        }
    }

    private ByteBuffer wire(DataFrame frame, long number) throws IOException {
        boolean landed = landing.takes(frame.dataBytes()) && landing.land(number, frame.landing());
        return landed ? frame.wireLanded(number) : frame.wire(number);
    }

    static void sent(@Nullable DataFrame frame) {
        if (frame != null && !frame.isEmpty() && DFSClientFaultInjector.get().uncorruptPacket()) {
            frame.corrupt();
        }
    }

    private boolean owesAnswer() {
        return pinged || !sent.isEmpty();
    }

    /** Whether an answer is late. It may lie there: nobody has looked while the NameNode was waited for. */
    private boolean isOverdue(long nowNs) {
        return owesAnswer() && waitsSinceNs + answerTimeoutNs - nowNs <= 0;
    }

    private void begins(long nowNs) {
        if (!owesAnswer()) {
            waitsSinceNs = nowNs;
        }
        sentNs = nowNs;
    }

    private boolean receive(long nowNs) throws IOException {
        boolean any = connection.fill();
        take(nowNs);
        return any;
    }

    private void take(long nowNs) throws IOException {
        // What follows the last acknowledgement is not about the block.
        for (WriteConnection.Received got = next(); got != null; got = next()) {
            waitsSinceNs = nowNs;
            switch (got.frame().type()) {
                case WriteFrame.ACK -> receive(got.frame(), WriteAck.decode(got.frame(), got.body()));
                case WriteFrame.PING -> pinged = false;
                case WriteFrame.FAILED -> throw Handshake.failure(got.body());
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
        if (number < ackedNumber || header.number() > lastNumber) {
            throw new MalformedMessageException("frame " + number + " acknowledged, of " + lastNumber);
        }
        firstHas(header.number());
        if (header.has(WriteFrame.FINALIZED)) {
            if (!lastSent || partlySent != null || header.number() != lastNumber) {
                throw new MalformedMessageException("the block is finalised before its end was sent");
            }
            finalisedByFirst = true;
        }
        while (ackedNumber < number) {
            DataFrame frame = sent.element();
            if (frame == partlySent) {
                // Its memory would go to another file while it is sent.
                throw new MalformedMessageException("frame " + number + " acknowledged before it was sent");
            }
            if (ackedNumber + 1 == number) {
                check(frame, header, ack);
            }
            ackedNumber++;
            finalised = frame.has(WriteFrame.LAST);
            ackedBytes = frame.endOffset();
            // The application may be told of progress, and throw: whoever ends the file gives back what was sent.
            progress.acknowledged(frame.endOffset(), frame.freshBytes());
            sent.remove();
            frames.acked(frame);
        }
    }

    private void firstHas(long number) {
        landing.taken(number);
        if (number > firstHas) {
            firstHas = number;
            busyNs += number == lastNumber ? waitsSinceNs - busySinceNs : 0;
        }
    }

    private static void check(DataFrame frame, WriteFrame header, WriteAck ack) throws IOException {
        boolean last = frame.has(WriteFrame.LAST);
        if (ack.replicatedBytes() < frame.endOffset() || header.has(WriteFrame.ALL_FINALIZED) != last) {
            throw new MalformedMessageException(
                    "acknowledged " + ack.replicatedBytes() + " bytes, sent " + frame.endOffset());
        }
        if (last && DFSClientFaultInjector.get().failPacket()) {
            throw new IOException("Failing the last packet for testing.");
        }
    }

    /** What the DataNode said of a fault before its connection ended; the fault that was seen where it said nothing. */
    private IOException said(IOException seen) {
        try {
            boolean more = true;
            while (more && !finalised) {
                more = receive(waitsSinceNs);
            }
            return seen;
        } catch (PipelineException e) {
            return e;
        } catch (IOException e) {
            return seen;
        }
    }

    /** Sends a PING where nothing was sent for long; fails when the DataNode owes an answer for too long. */
    private long keepAlive(long nowNs) throws IOException {
        long left = sentNs + keepAliveNs - nowNs;
        if (left <= 0 && sending != null) {
            // It comes after what the socket does not take, and the selector says when that does.
            left = Long.MAX_VALUE;
        } else if (left <= 0) {
            left = 1;
            begins(nowNs);
            pinged = true;
            sending = ByteBuffer.allocate(WriteFrame.HEADER_BYTES);
            new WriteFrame(0, WriteFrame.PING, (byte) 0, 0).encode(sending);
            sending.flip();
        }
        if (owesAnswer()) {
            long timeoutInNs = waitsSinceNs + answerTimeoutNs - nowNs;
            if (timeoutInNs <= 0) {
                throw new SocketTimeoutException(
                        "no answer for " + TimeUnit.NANOSECONDS.toMillis(answerTimeoutNs) + " ms");
            }
            left = Math.min(left, timeoutInNs);
        }
        return left;
    }
}
