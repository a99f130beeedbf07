package io.terrace.datanode.write;

import io.terrace.channel.write.WriteConnection;
import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Sends frames to the next DataNode. Two threads do so in turns, and the {@link ForwardQueue} says whose turn it is:
 *
 * <ul>
 *   <li>the replica's writer sends the pieces of a frame from the buffer in which it has verified them, right after it has
 *       written them ({@link #send(ForwardQueue.Part, ByteBuffer, long, ByteBuffer)}, {@link #end}). It waits for the socket
 *       for moments only.
 *   <li>the forwarder sends all else from the replica's files ({@link #send()}): what the socket did not take from the writer,
 *       and frames that the writer added while it was not its turn.
 * </ul>
 *
 * <p>The forwarder reads pieces that stay in a processor's cache until they are sent. The kernel's own way from a file to a
 * socket (sendfile) costs both sides more: it handles single pages, and the receiver gets them from main memory.
 */
final class FrameSender {
    /** Data of a piece that is read from the files. */
    private static final int PIECE_BYTES = 64 << 10;

    private final NextNode next;
    private final WriteConnection connection;
    private final NextSocket socket;
    private final ForwardQueue queue;
    private final WrittenFiles files;
    private final PipelineEvents events;
    private final WriteMeter meter;

    // Of the thread whose turn it is.

    /** The beginning of a frame, and from the files a piece of it. */
    private final ByteBuffer out;

    private ForwardQueue.@Nullable Part sending;

    /** Where the data begins that is neither sent nor in {@link #out}. */
    private long dataAt;

    /** Whether the writer has begun a frame. */
    private boolean begun;

    /** How long the writer was busy with its frame: what a client takes for its own part is no fault of the next DataNode. */
    private long writerNs;

    // Read by both.

    private volatile long sentNumber;
    private volatile long endNumber = Long.MAX_VALUE;
    private volatile long sentNs = System.nanoTime();
    private volatile long ackedNumber;
    private volatile long owedNumber;
    private volatile long owedSinceNs;

    /** A frame whose acknowledgement is timed: set by whoever sends the end of one while it is 0, set back by the forwarder. */
    private volatile long timedNumber;

    private long timedSinceNs;

    /** What the writer met. The forwarder fails with it in its turn. */
    private volatile @Nullable IOException writerFailure;

    /**
     * For one block.
     *
     * @param socket of the next DataNode
     * @param out direct, with room for the checksums of a frame and more
     */
    FrameSender(
            NextNode next,
            NextSocket socket,
            ForwardQueue queue,
            WrittenFiles files,
            PipelineEvents events,
            ByteBuffer out,
            WriteMeter meter) {
        this.next = next;
        this.connection = next.connection();
        this.socket = socket;
        this.queue = queue;
        this.files = files;
        this.events = events;
        this.out = out.clear().limit(0);
        this.meter = meter;
    }

    /** The number of the last frame that was sent wholly, or of which the last piece is being sent. */
    long sentNumber() {
        return sentNumber;
    }

    /** Whether the block ends with the frame of a number. */
    boolean isEnd(long number) {
        return number >= endNumber;
    }

    /** When something was sent last. */
    long sentNs() {
        return sentNs;
    }

    long ackedNumber() {
        return ackedNumber;
    }

    /** All after this DataNode have a frame. The forwarder's. */
    void acked(long number) {
        ackedNumber = number;
        long timed = timedNumber;
        if (timed != 0 && number >= timed) {
            long tookNs = System.nanoTime() - timedSinceNs;
            timedNumber = 0;
            events.answered(tookNs);
        }
    }

    /**
     * Whether an acknowledgement is missing. Of a frame whose end the writer waits for, none is: it is the client that is slow.
     */
    boolean owesAck() {
        return owedNumber > ackedNumber;
    }

    /** When the first of the frames was sent whose acknowledgement is missing, or a later one. */
    long owedSinceNs() {
        return owedSinceNs;
    }

    /** The end of a frame is about to be sent. */
    private void time(long number) {
        if (timedNumber == 0) {
            timedSinceNs = System.nanoTime();
            timedNumber = number;
        }
    }

    private void owes(long number) {
        if (!owesAck()) {
            owedSinceNs = System.nanoTime();
        }
        owedNumber = number;
    }

    /**
     * The writer has verified and written a piece of a frame. Its first piece begins the frame if it is the writer's turn. Then
     * the pieces are sent as far as the socket takes them soon; from where it takes no more, the rest is the forwarder's.
     *
     * @param sums the checksums of all the frame
     * @param offset of the piece
     */
    void send(ForwardQueue.Part part, ByteBuffer sums, long offset, ByteBuffer piece) {
        if (offset == part.offset()) {
            begin(part, sums);
        }
        if (!begun || dataAt != offset || writerFailure != null) {
            return;
        }
        if (offset + piece.remaining() == part.endOffset()) {
            // The acknowledgement may be there before this returns.
            sentNumber = part.number();
            time(part.number());
        }
        long beginNs = System.nanoTime();
        try {
            int before = piece.remaining();
            boolean unused = socket.send(out, piece);
            dataAt += before - piece.remaining();
        } catch (IOException e) {
            writerFailure = e;
        }
        writerNs += System.nanoTime() - beginNs;
    }

    /** The writer has verified and written all of a frame; whether all of it is sent. Else the forwarder is to go on. */
    boolean end(ForwardQueue.Part part, ByteBuffer sums) {
        if (part.dataBytes() == 0) {
            begin(part, sums);
            if (begun) {
                sentNumber = part.number();
                time(part.number());
            }
        }
        if (!begun) {
            queue.add(part);
            return false;
        }
        begun = false;
        sentNs = System.nanoTime();
        owes(part.number());
        boolean whole = false;
        try {
            if (writerFailure == null && connection.send(out) && dataAt == part.endOffset()) {
                finished(part, writerNs);
                whole = true;
            }
        } catch (IOException e) {
            writerFailure = e;
        }
        queue.release(part, whole);
        return whole;
    }

    private void begin(ForwardQueue.Part part, ByteBuffer sums) {
        if (!queue.claim()) {
            return;
        }
        begun = true;
        try {
            start(part);
            out.put(sums.duplicate()).flip();
        } catch (IOException e) {
            writerFailure = e;
        }
        writerNs = System.nanoTime() - sentNs;
    }

    /** The forwarder's: sends a PING, if nobody sends. */
    boolean ping() {
        if (!queue.takeIdle()) {
            return false;
        }
        sentNs = System.nanoTime();
        out.clear();
        new WriteFrame(0, WriteFrame.PING, (byte) 0, 0).encode(out);
        out.flip();
        return true;
    }

    /** The forwarder's: sends what there is for it; false when the socket does not take all. */
    boolean send() throws IOException {
        if (!queue.take()) {
            return true;
        }
        IOException why = writerFailure;
        if (why != null) {
            throw why;
        }
        while (true) {
            if (!connection.send(out)) {
                return false;
            }
            ForwardQueue.Part part = sending;
            if (part != null) {
                if (dataAt < part.endOffset()) {
                    out.clear();
                    appendData(part);
                    continue;
                }
                finished(part, System.nanoTime() - sentNs);
            }
            part = queue.poll();
            if (part == null) {
                return true;
            }
            start(part);
            owes(part.number());
            time(part.number());
            appendSums(part);
            appendData(part);
        }
    }

    /** Begins a frame; its checksums are to follow in {@link #out}. */
    private void start(ForwardQueue.Part part) throws NextNodeException {
        sentNs = System.nanoTime();
        told(PipelineEvents::sending);
        sending = part;
        dataAt = part.offset();
        if (part.has(WriteFrame.LAST)) {
            endNumber = part.number();
        }
        WriteData fields = new WriteData(part.offset(), part.dataBytes());
        out.clear();
        fields.frame(files.chunkBytes(), part.flags(), part.number()).encode(out);
        fields.encode(out);
    }

    private void finished(ForwardQueue.Part part, long tookNs) throws NextNodeException {
        sending = null;
        sentNumber = part.number();
        meter.forwarded(part.dataBytes());
        told(each -> each.sent(part.dataBytes(), tookNs));
    }

    private void appendSums(ForwardQueue.Part part) throws IOException {
        int sumBytes = WriteData.sumBytes(part.dataBytes(), files.chunkBytes());
        if (sumBytes > 0) {
            out.limit(out.position() + sumBytes - WriteData.SUM_BYTES);
            files.readSums(part.offset(), out);
            // A later frame may have made the last chunk longer.
            out.limit(out.limit() + WriteData.SUM_BYTES).putInt(part.lastSum());
        }
    }

    private void appendData(ForwardQueue.Part part) throws IOException {
        int room = Math.min(PIECE_BYTES, out.capacity() - out.position());
        int count = (int) Math.min(room, part.endOffset() - dataAt);
        out.limit(out.position() + count);
        files.readData(dataAt, out);
        out.flip();
        dataAt += count;
        meter.readBack(count);
    }

    /** What may fail in place of the next DataNode. */
    interface Event {
        void happens(PipelineEvents to) throws IOException;
    }

    void told(Event event) throws NextNodeException {
        try {
            event.happens(events);
        } catch (IOException e) {
            throw NextNodeException.failed(next.address(), e);
        }
    }
}
