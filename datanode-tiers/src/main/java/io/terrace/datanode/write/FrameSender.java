package io.terrace.datanode.write;

import io.terrace.channel.write.WriteConnection;
import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Sends frames to the next DataNode, whose data and checksums it takes from the replica's files. Used by one thread.
 *
 * <p>It reads pieces that stay in a processor's cache until they are sent. The kernel's own way from a file to a socket
 * (sendfile) costs both sides more: it handles single pages, and the receiver gets them from main memory.
 */
final class FrameSender {
    /** Data of a piece. */
    private static final int PIECE_BYTES = 64 << 10;

    private final NextNode next;
    private final WriteConnection connection;
    private final WrittenFiles files;
    private final PipelineEvents events;
    private final WriteMeter meter;

    /** What is being sent: a piece of a frame. */
    private final ByteBuffer out;

    private ForwardQueue.@Nullable Part sending;
    private long dataAt;
    private long lastNumber;
    private long endNumber = Long.MAX_VALUE;
    private long sentNs = System.nanoTime();

    /** @param out direct, with room for the checksums of a frame and more */
    FrameSender(NextNode next, WrittenFiles files, PipelineEvents events, ByteBuffer out, WriteMeter meter) {
        this.next = next;
        this.connection = next.connection();
        this.files = files;
        this.events = events;
        this.out = out.clear().limit(0);
        this.meter = meter;
    }

    /** The number of the last frame that was sent, or begun. */
    long lastNumber() {
        return lastNumber;
    }

    /** Whether the frame of a number was sent wholly. */
    boolean hasSent(long number) {
        return number < lastNumber || (number == lastNumber && sending == null);
    }

    /** Whether the block ends with the frame of a number. */
    boolean isEnd(long number) {
        return number >= endNumber;
    }

    boolean isWithinFrame() {
        return sending != null || out.hasRemaining();
    }

    /** When something was sent last. */
    long sentNs() {
        return sentNs;
    }

    /** Queues a PING. Not within a frame. */
    void ping() {
        sentNs = System.nanoTime();
        out.clear();
        new WriteFrame(0, WriteFrame.PING, (byte) 0, 0).encode(out);
        out.flip();
    }

    /** Sends what is there; false when the socket does not take all. */
    boolean send(ForwardQueue queue) throws IOException {
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
                sending = null;
                meter.forwarded(part.dataBytes());
                long tookNs = System.nanoTime() - sentNs;
                told(each -> each.sent(tookNs));
            }
            part = queue.poll();
            if (part == null) {
                return true;
            }
            begin(part);
        }
    }

    private void appendData(ForwardQueue.Part part) throws IOException {
        int room = Math.min(PIECE_BYTES, out.capacity() - out.position());
        int count = (int) Math.min(room, part.endOffset() - dataAt);
        out.limit(out.position() + count);
        files.readData(dataAt, out);
        out.flip();
        dataAt += count;
    }

    private void begin(ForwardQueue.Part part) throws IOException {
        sentNs = System.nanoTime();
        told(PipelineEvents::sending);
        sending = part;
        dataAt = part.offset();
        lastNumber = part.number();
        if (part.has(WriteFrame.LAST)) {
            endNumber = part.number();
        }
        int chunkBytes = files.chunkBytes();
        int sumBytes = WriteData.sumBytes(part.dataBytes(), chunkBytes);
        WriteData fields = new WriteData(part.offset(), part.dataBytes());
        out.clear();
        fields.frame(chunkBytes, part.flags(), part.number()).encode(out);
        fields.encode(out);
        if (sumBytes > 0) {
            out.limit(out.position() + sumBytes - WriteData.SUM_BYTES);
            files.readSums(part.offset(), out);
            // A later frame may have made the last chunk longer.
            out.limit(out.limit() + WriteData.SUM_BYTES).putInt(part.lastSum());
        }
        appendData(part);
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
