package io.terrace.client.remote;

import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.RemoteExtent;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Reads one block from the memory of another host. A first read of the whole range is one request; other reads go
 * through a {@link Prefetcher}. A reader that takes longer than a lease asks for another grant when it next asks the DataNode
 * for bytes: once a lease, together with all readers of the block in this process. Used by one thread at a time.
 */
final class RemoteBlockAccessor extends ReplicaAccessor {
    /** The process's figures are told after so many, not of each read of a few bytes. */
    private static final int COUNTED_BYTES = 64 << 10;

    private final RemoteDataNodes memory;
    private final RemoteDataNode node;
    private final byte[] token;
    private final long endOffset;
    private final int networkDistance;
    private RemoteGrant grant;
    private @Nullable Prefetcher ahead;

    /** Read and not yet counted. */
    private long reads;

    private long bytes;

    /** @param token with which the grant was asked for */
    RemoteBlockAccessor(
            RemoteDataNodes memory,
            RemoteDataNode node,
            RemoteGrant grant,
            byte[] token,
            long endOffset,
            int networkDistance) {
        this.memory = memory;
        this.node = node;
        this.grant = grant;
        this.token = token;
        this.endOffset = endOffset;
        this.networkDistance = networkDistance;
    }

    @Override
    public int read(long position, byte[] buffer, int offset, int length) throws IOException {
        int wanted = (int) Math.min(length, endOffset - position);
        if (wanted <= 0 || isWhole(position, wanted)) {
            return read(position, ByteBuffer.wrap(buffer, offset, length));
        }
        try {
            return read(ahead().read(position, buffer, offset, wanted));
        } catch (IOException e) {
            node.failed(grant, e);
            throw e;
        }
    }

    @Override
    public int read(long position, ByteBuffer buffer) throws IOException {
        int wanted = (int) Math.min(buffer.remaining(), endOffset - position);
        if (wanted <= 0) {
            return buffer.hasRemaining() ? -1 : 0;
        }
        try {
            if (!isWhole(position, wanted)) {
                return read(ahead().read(position, buffer));
            }
            int limit = buffer.limit();
            buffer.limit(buffer.position() + wanted);
            granted().read(position, buffer, memory.settings().timeoutNs(wanted));
            buffer.limit(limit);
            return read(wanted);
        } catch (IOException e) {
            node.failed(grant, e);
            throw e;
        }
    }

    /** Whether a first read is of all that may be wanted: an exchange of its own, with nothing asked for ahead. */
    private boolean isWhole(long position, int wanted) {
        return ahead == null && position + wanted == endOffset;
    }

    private Prefetcher ahead() {
        Prefetcher open = ahead;
        if (open == null) {
            open = new Prefetcher(memory, this::granted, endOffset);
            ahead = open;
        }
        return open;
    }

    /** The range, as long as it is granted. */
    private RemoteExtent granted() throws IOException {
        if (grant.isOver()) {
            count();
            RemoteGrant next = node.grant(grant.key(), token, endOffset);
            if (next == null) {
                throw new ChannelException(
                        TransferStatus.NO_ACCESS, "the lease has ended, and there is no other", null);
            }
            grant = next;
        }
        return grant.region();
    }

    private int read(int count) {
        node.succeeded();
        reads++;
        bytes += count;
        if (bytes >= COUNTED_BYTES) {
            count();
        }
        return count;
    }

    private void count() {
        memory.metricRegistry().add(Metric.CLIENT_REMOTE_READS, reads);
        memory.metricRegistry().add(Metric.CLIENT_REMOTE_BYTES, bytes);
        if (grant.medium() == StorageTier.NVM) {
            memory.metricRegistry().add(Metric.CLIENT_REMOTE_NVM_BYTES, bytes);
        }
        reads = 0;
        bytes = 0;
    }

    @Override
    public void close() {
        count();
        if (ahead != null) {
            ahead.close();
            ahead = null;
        }
    }

    @Override
    public boolean isLocal() {
        return false;
    }

    @Override
    public boolean isShortCircuit() {
        return false;
    }

    @Override
    public int getNetworkDistance() {
        return networkDistance;
    }
}
