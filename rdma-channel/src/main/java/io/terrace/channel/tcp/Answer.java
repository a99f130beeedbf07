package io.terrace.channel.tcp;

import io.terrace.channel.Completion.Status;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * One frame on its way to a client: as bytes that are made when the socket takes them, so that what waits costs no
 * memory. Used by the loop that owns the session.
 */
abstract class Answer {
    private final int totalBytes;
    private int sentBytes;

    Answer(int totalBytes) {
        this.totalBytes = totalBytes;
    }

    /** Puts as much of what is not sent yet as there is room for. */
    abstract void fill(int from, ByteBuffer out) throws IOException;

    /** It was sent, or never will be. */
    void end() {}

    final void fill(ByteBuffer out) throws IOException {
        fill(sentBytes, out);
    }

    final int leftBytes() {
        return totalBytes - sentBytes;
    }

    final void sent(int bytes) {
        sentBytes += bytes;
    }

    /** A frame that stands ready. */
    static final class Ready extends Answer {
        private final byte[] frame;

        Ready(byte[] frame) {
            super(frame.length);
            this.frame = frame;
        }

        /** A frame with so many bytes of body, for the caller to fill in after the header. */
        static ByteBuffer frame(byte type, Status status, long number, int bodyBytes) {
            ByteBuffer frame = ByteBuffer.allocate(Wire.HEADER_BYTES + bodyBytes);
            frame.putInt(bodyBytes)
                    .put(type)
                    .put(Wire.code(status))
                    .putShort((short) 0)
                    .putLong(number);
            return frame;
        }

        static Ready empty(byte type, Status status, long number) {
            return new Ready(frame(type, status, number, 0).array());
        }

        @Override
        void fill(int from, ByteBuffer out) {
            out.put(frame, from, Math.min(out.remaining(), frame.length - from));
        }
    }

    /** Header, checksums and data of a read, taken from the extent's file piece by piece. */
    static final class Data extends Answer {
        private final long number;
        private final TcpRange range;
        private final long offset;
        private final int dataBytes;
        private final int sumBytes;

        /** The caller has begun an operation on the range; {@link #end} ends it. */
        Data(long number, TcpRange range, long offset, int dataBytes) {
            super(Wire.HEADER_BYTES + range.checksums.sumBytes(dataBytes) + dataBytes);
            this.number = number;
            this.range = range;
            this.offset = offset;
            this.dataBytes = dataBytes;
            this.sumBytes = range.checksums.sumBytes(dataBytes);
        }

        @Override
        void fill(int from, ByteBuffer out) throws IOException {
            int at = from;
            if (at < Wire.HEADER_BYTES) {
                ByteBuffer header =
                        Ready.frame(Wire.DATA, Status.DONE, number, 0).putInt(0, sumBytes + dataBytes);
                int count = Math.min(out.remaining(), Wire.HEADER_BYTES - at);
                out.put(header.array(), at, count);
                at += count;
            }
            int sumsAt = at - Wire.HEADER_BYTES;
            if (sumsAt >= 0 && sumsAt < sumBytes) {
                int count = Math.min(out.remaining(), sumBytes - sumsAt);
                out.put(range.checksums.sums(), range.checksums.sumsAt(offset) + sumsAt, count);
                at += count;
            }
            int dataAt = at - Wire.HEADER_BYTES - sumBytes;
            int count = Math.min(out.remaining(), dataBytes - dataAt);
            if (dataAt >= 0 && count > 0) {
                int limit = out.limit();
                out.limit(out.position() + count);
                boolean whole = range.read(offset + dataAt, out);
                out.limit(limit);
                if (!whole) {
                    // The header said that it is all there, so only the end of the connection can say otherwise.
                    throw new EOFException("the extent was cut under a read");
                }
            }
        }

        @Override
        void end() {
            range.end();
        }
    }
}
