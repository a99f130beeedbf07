package io.terrace.datanode.write;

import io.terrace.channel.write.WriteConnection;
import io.terrace.channel.write.WriteData;
import io.terrace.channel.write.WriteFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Sends frames to the next DataNode, whose data and checksums it takes from the replica's files. Used by one thread. */
final class FrameSender {
    private final NextNode next;
    private final WriteConnection connection;
    private final WrittenFiles files;
    private final PipelineEvents events;
    private final WriteMeter meter;

    /** What comes before a frame's data. */
    private final ByteBuffer prefix;

    private ForwardQueue.@Nullable Part sending;
    private long dataAt;
    private long lastNumber;
    private long endNumber = Long.MAX_VALUE;
    private long sentNs = System.nanoTime();

    /** @param prefix direct; takes the fields and checksums of a frame */
    FrameSender(NextNode next, WrittenFiles files, PipelineEvents events, ByteBuffer prefix, WriteMeter meter) {
        this.next = next;
        this.connection = next.connection();
        this.files = files;
        this.events = events;
        this.prefix = prefix.clear().limit(0);
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
        return sending != null || prefix.hasRemaining();
    }

    /** When something was sent last. */
    long sentNs() {
        return sentNs;
    }

    /** Queues a PING. Not within a frame. */
    void ping() {
        sentNs = System.nanoTime();
        prefix.clear();
        new WriteFrame(0, WriteFrame.PING, (byte) 0, 0).encode(prefix);
        prefix.flip();
    }

    /** Sends what is there; false when the socket does not take all. */
    boolean send(ForwardQueue queue) throws IOException {
        while (true) {
            if (prefix.hasRemaining() && !connection.send(prefix)) {
                return false;
            }
            ForwardQueue.Part part = sending;
            if (part != null) {
                if (!sendData(part)) {
                    return false;
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

    private boolean sendData(ForwardQueue.Part part) throws IOException {
        while (dataAt < part.endOffset()) {
            long count = connection.send(files.data(), dataAt, part.endOffset() - dataAt);
            if (count == 0) {
                if (files.data().size() < part.endOffset()) {
                    throw new IOException("the replica has become shorter than " + part.endOffset() + " bytes");
                }
                return false;
            }
            dataAt += count;
        }
        return true;
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
        prefix.clear();
        fields.frame(chunkBytes, part.flags(), part.number()).encode(prefix);
        fields.encode(prefix);
        if (sumBytes > 0) {
            prefix.limit(prefix.position() + sumBytes - WriteData.SUM_BYTES);
            files.readSums(part.offset(), prefix);
            // A later frame may have made the last chunk longer.
            prefix.limit(prefix.limit() + WriteData.SUM_BYTES).putInt(part.lastSum());
        }
        prefix.flip();
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
