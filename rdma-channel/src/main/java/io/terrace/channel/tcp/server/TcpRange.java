package io.terrace.channel.tcp.server;

import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ReadCounter;
import io.terrace.channel.transport.RegionKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A registered range: its open file, its checksums, and who uses it. File and checksums are released when it is
 * deregistered and no longer attached, or after {@link #revoke} when the reads in progress have ended, even if it is
 * still attached. Thread-safe.
 */
public final class TcpRange {
    private static final Logger LOG = LoggerFactory.getLogger(TcpRange.class);

    public final RegionKey key;
    final long lengthBytes;

    /** What was served, for the owner's accounting. */
    public final ReadCounter served = new ReadCounter();

    private final SharedFiles.OpenFile file;
    /** Null once it is closed. */
    private @Nullable ChunkChecksums checksums;

    private boolean registered = true;
    private boolean revoked;
    private boolean closed;
    private int attachments;
    private int operations;
    private @Nullable Runnable whenRevoked;

    TcpRange(RegionKey key, SharedFiles.OpenFile file, ChunkChecksums checksums) {
        this.key = key;
        this.file = file;
        this.checksums = checksums;
        this.lengthBytes = key.lengthBytes();
    }

    /** Attaches once more; the range's checksums, or null when nobody may any more. */
    synchronized @Nullable ChunkChecksums attach() {
        if (!registered) {
            return null;
        }
        attachments++;
        return checksums;
    }

    void detach() {
        synchronized (this) {
            attachments--;
        }
        closeIfDone();
    }

    /** Begins an operation; the range's checksums, or null when there may be none any more. */
    synchronized @Nullable ChunkChecksums begin() {
        if (revoked || closed) {
            return null;
        }
        operations++;
        return checksums;
    }

    /** Whether no operation may begin any more. */
    synchronized boolean isVoid() {
        return revoked || closed;
    }

    void end() {
        synchronized (this) {
            operations--;
        }
        closeIfDone();
    }

    void deregister() {
        synchronized (this) {
            registered = false;
        }
        closeIfDone();
    }

    /** No operation begins any more; tells when those in progress have ended, on whatever thread ends the last. */
    void revoke(Runnable then) {
        synchronized (this) {
            if (revoked) {
                return;
            }
            registered = false;
            revoked = true;
            whenRevoked = then;
        }
        closeIfDone();
    }

    /** Whether the file ends before it should: asked before an answer promises the bytes. */
    boolean isCutBefore(long endOffset) {
        try {
            return file.channel().size() < endOffset;
        } catch (IOException e) {
            return true;
        }
    }

    /** Fills a buffer from an offset; returns whether the file had so much. */
    boolean read(long offset, ByteBuffer target) throws IOException {
        long at = offset;
        while (target.hasRemaining()) {
            int got = file.channel().read(target, at);
            if (got < 0) {
                return false;
            }
            at += got;
        }
        return true;
    }

    /**
     * Sends what the other side takes of so many bytes, which may be none; none too when the file has no more. The kernel
     * sends the file's pages as they are (sendfile).
     */
    int send(long offset, int lengthBytes, WritableByteChannel to) throws IOException {
        return (int) file.channel().transferTo(offset, lengthBytes, to);
    }

    private void closeIfDone() {
        Runnable then;
        synchronized (this) {
            boolean unused = !registered && attachments == 0;
            if (closed || operations > 0 || !(revoked || unused)) {
                return;
            }
            closed = true;
            checksums = null;
            then = whenRevoked;
        }
        try {
            file.release();
        } catch (IOException e) {
            LOG.warn("Cannot close the file of {}", key, e);
        }
        if (then != null) {
            then.run();
        }
    }
}
