package io.terrace.fs;

import io.terrace.metrics.Figure;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Reads one block from the memory of another host. A read of all that the reader may want is one exchange; one that wants
 * more afterwards is read ahead of. Used by one thread at a time.
 */
final class RemoteAccessor extends ReplicaAccessor {
    private final RemoteMemory memory;
    private final RemoteNode node;
    private final RemoteGrant grant;
    private final long endOffset;
    private @Nullable ReadAhead ahead;

    RemoteAccessor(RemoteMemory memory, RemoteNode node, RemoteGrant grant, long endOffset) {
        this.memory = memory;
        this.node = node;
        this.grant = grant;
        this.endOffset = endOffset;
    }

    @Override
    public int read(long position, byte[] buffer, int offset, int length) throws IOException {
        return read(position, ByteBuffer.wrap(buffer, offset, length));
    }

    @Override
    public int read(long position, ByteBuffer buffer) throws IOException {
        int wanted = (int) Math.min(buffer.remaining(), endOffset - position);
        if (wanted <= 0) {
            return buffer.hasRemaining() ? -1 : 0;
        }
        try {
            int count = wanted;
            if (ahead == null && position + wanted == endOffset) {
                int limit = buffer.limit();
                buffer.limit(buffer.position() + wanted);
                grant.region().read(position, buffer, memory.settings().timeoutNs(wanted));
                buffer.limit(limit);
            } else {
                if (ahead == null) {
                    ahead = new ReadAhead(memory, grant.region(), endOffset);
                }
                count = ahead.read(position, buffer);
            }
            node.succeeded();
            memory.figures().increment(Figure.CLIENT_REMOTE_READS);
            memory.figures().add(Figure.CLIENT_REMOTE_BYTES, count);
            return count;
        } catch (IOException e) {
            node.failed(grant, e);
            throw e;
        }
    }

    @Override
    public void close() {
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

    /** As stock answers for a host that it knows nothing more of. */
    @Override
    public int getNetworkDistance() {
        return Integer.MAX_VALUE;
    }
}
