package io.terrace.channel.tcp.server;

import io.terrace.channel.tcp.TcpFrame;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.TransferStatus;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/**
 * A frame on its way to a client. Its bytes are made only when the socket takes them, so that a waiting frame costs no
 * memory. Used by the loop that owns the session.
 */
public abstract class TcpResponse {
    private final int totalBytes;
    private int sentBytes;

    TcpResponse(int totalBytes) {
        this.totalBytes = totalBytes;
    }

    /** Puts as much of what is not sent yet as there is room for, but for what {@link #isFile} is about. */
    abstract void fill(int from, ByteBuffer out) throws IOException;

    /** Whether what is to be sent from this byte on stands in a file that the kernel is to send by itself. */
    boolean isFile(int from) {
        return false;
    }

    /** Sends from the file what the socket takes; returns the bytes. */
    int sendFile(int from, WritableByteChannel to) throws IOException {
        throw new IllegalStateException("not in a file");
    }

    /** Of it, bytes that the other side did not ask for. */
    int unaskedBytes() {
        return 0;
    }

    /** It was sent, or never will be. */
    void end() {}

    /** Returns whether all of it was put, so that the next answer may follow. */
    final boolean fill(ByteBuffer out) throws IOException {
        int before = out.position();
        fill(sentBytes, out);
        return out.position() - before == leftBytes();
    }

    final boolean isFile() {
        return isFile(sentBytes);
    }

    final int sendFile(WritableByteChannel to) throws IOException {
        return sendFile(sentBytes, to);
    }

    final int leftBytes() {
        return totalBytes - sentBytes;
    }

    final void sent(int bytes) {
        sentBytes += bytes;
    }

    /** A frame that stands ready. */
    public static class Ready extends TcpResponse {
        private final byte[] frame;

        Ready(byte[] frame) {
            super(frame.length);
            this.frame = frame;
        }

        /** A frame with so many bytes of body, for the caller to fill in after the header. */
        public static ByteBuffer frame(byte type, TransferStatus status, long number, int bodyBytes) {
            ByteBuffer frame = ByteBuffer.allocate(TcpFrame.HEADER_BYTES + bodyBytes);
            frame.putInt(bodyBytes)
                    .put(type)
                    .put(TcpFrame.code(status))
                    .putShort((short) 0)
                    .putLong(number);
            return frame;
        }

        static Ready empty(byte type, TransferStatus status, long number) {
            return new Ready(frame(type, status, number, 0).array());
        }

        @Override
        final void fill(int from, ByteBuffer out) {
            out.put(frame, from, Math.min(out.remaining(), frame.length - from));
        }
    }

    /** A frame that nobody asked for, shared with others who are sent it too. */
    static final class Unasked extends Ready {
        private final int bytes;

        Unasked(byte[] frame) {
            super(frame);
            this.bytes = frame.length;
        }

        @Override
        int unaskedBytes() {
            return bytes;
        }
    }

    /**
     * Header, checksums and data of a read. Much data goes to the socket straight from the file, see
     * {@link TcpRange#send}; less of it with its header in one call.
     */
    static final class Data extends TcpResponse {
        /** From here on a call of its own costs less than the copies. */
        static final int FILE_BYTES = 128 * 1024;

        private final long number;
        private final TcpRange range;
        private final ChunkChecksums checksums;
        private final long offset;
        private final int dataBytes;
        private final int sumBytes;

        /** The caller has begun an operation on the range, whose checksums these are; {@link #end} ends it. */
        Data(long number, TcpRange range, ChunkChecksums checksums, long offset, int dataBytes) {
            super(TcpFrame.HEADER_BYTES + checksums.sumBytes(dataBytes) + dataBytes);
            this.number = number;
            this.range = range;
            this.checksums = checksums;
            this.offset = offset;
            this.dataBytes = dataBytes;
            this.sumBytes = checksums.sumBytes(dataBytes);
        }

        @Override
        void fill(int from, ByteBuffer out) throws IOException {
            int at = from;
            if (at < TcpFrame.HEADER_BYTES) {
                ByteBuffer header = Ready.frame(TcpFrame.DATA, TransferStatus.DONE, number, 0)
                        .putInt(0, sumBytes + dataBytes);
                int count = Math.min(out.remaining(), TcpFrame.HEADER_BYTES - at);
                out.put(header.array(), at, count);
                at += count;
            }
            int sumsAt = at - TcpFrame.HEADER_BYTES;
            if (sumsAt >= 0 && sumsAt < sumBytes) {
                int count = Math.min(out.remaining(), sumBytes - sumsAt);
                out.put(checksums.sums(), checksums.sumsAt(offset) + sumsAt, count);
                at += count;
            }
            int dataAt = at - TcpFrame.HEADER_BYTES - sumBytes;
            int count = Math.min(out.remaining(), dataBytes - dataAt);
            if (dataAt >= 0 && count > 0 && dataBytes < FILE_BYTES) {
                int limit = out.limit();
                out.limit(out.position() + count);
                boolean whole = range.read(offset + dataAt, out);
                out.limit(limit);
                if (!whole) {
                    throw cut();
                }
            }
        }

        @Override
        boolean isFile(int from) {
            return dataBytes >= FILE_BYTES && from >= TcpFrame.HEADER_BYTES + sumBytes;
        }

        @Override
        int sendFile(int from, WritableByteChannel to) throws IOException {
            int dataAt = from - TcpFrame.HEADER_BYTES - sumBytes;
            int sent = range.send(offset + dataAt, dataBytes - dataAt, to);
            if (sent == 0 && range.isCutBefore(offset + dataBytes)) {
                throw cut();
            }
            return sent;
        }

        /** The header said that it is all there, so only the end of the connection can say otherwise. */
        private static EOFException cut() {
            return new EOFException("the extent was cut under a read");
        }

        @Override
        void end() {
            range.end();
        }
    }
}
