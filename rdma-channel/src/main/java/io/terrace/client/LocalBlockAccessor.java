package io.terrace.client;

import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.security.token.block.InvalidBlockTokenException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one block through a grant.
 *
 * <p>When the grant ends between two reads it is asked for again. When that fails the read cannot be finished here,
 * and the stream has to come back with a stock reader. Of all exceptions {@link InvalidBlockTokenException} does that
 * with the least harm: DFSInputStream fetches a fresh token and reads again from the same DataNode, where any other
 * IOException would put a healthy DataNode on the stream's list of dead ones (and with one replica let it sleep for
 * seconds). The block is paused first, so the reader built then is a stock one.
 *
 * <p>Like every block reader, used by one thread at a time.
 */
final class LocalBlockAccessor extends ReplicaAccessor {
    private static final Logger LOG = LoggerFactory.getLogger(LocalBlockAccessor.class);

    /** An interrupted thread closes the file that others read too; several in a row should not cost them the grant. */
    private static final int MAX_RENEWALS = 4;

    private final LocalDataNodes memory;
    private final GrantKey key;
    private final long visibleBytes;
    private LocalGrant grant;
    private boolean counted;
    private @Nullable ReadBuffer ahead;
    private long lastEnd = -1;

    LocalBlockAccessor(LocalDataNodes memory, GrantKey key, long visibleBytes, LocalGrant grant) {
        this.memory = memory;
        this.key = key;
        this.visibleBytes = visibleBytes;
        this.grant = grant;
    }

    @Override
    public int read(long pos, byte[] buf, int off, int len) throws IOException {
        int length = begun(pos, len);
        if (length > 0 && length <= ReadBuffer.SMALL_BYTES && covered(pos, length)) {
            requireAhead().copy(pos, buf, off, length);
            grant.countServed(length);
        } else if (length > 0) {
            try {
                for (int failed = 0; !grant.read(pos, buf, off, length); failed++) {
                    renewGrant(failed);
                }
            } catch (CopyBuffers.NoMemoryException e) {
                throw abandoned(e);
            }
        }
        return ended(pos, length);
    }

    @Override
    public int read(long pos, ByteBuffer buf) throws IOException {
        int length = begun(pos, buf.remaining());
        if (length > 0 && length <= ReadBuffer.SMALL_BYTES && covered(pos, length)) {
            requireAhead().copy(pos, buf, length);
            grant.countServed(length);
        } else if (length > 0) {
            try {
                for (int failed = 0; !grant.read(pos, buf, length); failed++) {
                    renewGrant(failed);
                }
            } catch (CopyBuffers.NoMemoryException e) {
                throw abandoned(e);
            }
        }
        return ended(pos, length);
    }

    /** The grant stays with the process for the next reader. */
    @Override
    public void close() {
        ReadBuffer open = ahead;
        if (open != null) {
            ahead = null;
            open.close();
        }
    }

    @Override
    public boolean isLocal() {
        return true;
    }

    @Override
    public boolean isShortCircuit() {
        return true;
    }

    @Override
    public int getNetworkDistance() {
        return 0;
    }

    /** Bytes to read: 0 for an empty target, -1 at the end of what may be seen. */
    private int within(long pos, int length) {
        if (length == 0) {
            return 0;
        }
        long left = visibleBytes - pos;
        return left <= 0 ? -1 : (int) Math.min(left, length);
    }

    private int begun(long pos, int wanted) {
        int length = within(pos, wanted);
        if (length > 0 && !counted) {
            counted = true;
            grant.countReader();
        }
        return length;
    }

    private int ended(long pos, int length) {
        if (length > 0) {
            lastEnd = pos + length;
            ClientMetrics.metricRegistry().increment(Metric.CLIENT_GRANTED_SHM_READS);
            ClientMetrics.metricRegistry().add(Metric.CLIENT_GRANTED_SHM_BYTES, length);
            if (grant.tier() == StorageTier.NVM) {
                ClientMetrics.metricRegistry().add(Metric.CLIENT_GRANTED_SHM_NVM_BYTES, length);
            }
        }
        return length;
    }

    /** Whether a small read is served from what was read ahead, which is done once reads turn out to be sequential. */
    private boolean covered(long pos, int length) throws IOException {
        ReadBuffer open = ahead;
        if (open != null && open.covers(pos, length)) {
            return grant.isUsable();
        }
        if (pos != lastEnd) {
            return false;
        }
        if (open == null) {
            try {
                open = memory.readBuffer();
            } catch (CopyBuffers.NoMemoryException e) {
                LOG.debug("Nothing is read ahead", e);
                return false;
            }
            ahead = open;
        }
        return open.fill(grant, pos, visibleBytes) && open.covers(pos, length);
    }

    private ReadBuffer requireAhead() {
        return Objects.requireNonNull(ahead);
    }

    private void renewGrant(int failed) throws IOException {
        LocalGrant next = failed < MAX_RENEWALS ? memory.grant(key, visibleBytes) : null;
        if (next == null && Thread.currentThread().isInterrupted()) {
            // It gave up waiting; that says nothing about the block.
            throw new InterruptedIOException("interrupted while waiting for a grant of " + key.block());
        }
        if (next == null) {
            throw abandoned();
        }
        grant = next;
        next.countReader();
    }

    private IOException abandoned(IOException why) {
        LOG.debug("Stock HDFS reads on", why);
        return abandoned();
    }

    private IOException abandoned() {
        memory.pause(key);
        ClientMetrics.metricRegistry().increment(Metric.CLIENT_READS_ABANDONED);
        return new InvalidBlockTokenException("The grant of " + key.block() + " ended; stock HDFS reads on");
    }
}
