package io.terrace.channel.tcp;

import io.terrace.channel.transport.ExtentPiece;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.transport.RemoteExtent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a range of another host over several connections. Each read uses the connection with least in flight; a reader
 * of many pieces takes one by {@link #leastBusy} and keeps it, so that the pieces come in order. Thread-safe.
 */
public final class PooledTcpExtent implements RemoteExtent {
    private static final Logger LOG = LoggerFactory.getLogger(PooledTcpExtent.class);

    private final TcpConnectionPool pool;
    private final RegionKey key;
    private final TcpExtent first;
    private final Map<TcpLink, TcpExtent> others = new ConcurrentHashMap<>(4);
    private boolean closed;

    PooledTcpExtent(TcpConnectionPool pool, RegionKey key, TcpExtent first) {
        this.pool = pool;
        this.key = key;
        this.first = first;
    }

    @Override
    public long lengthBytes() {
        return first.lengthBytes();
    }

    @Override
    public boolean isUsable() {
        return first.isUsable();
    }

    @Override
    public int maxPieceBytes() {
        return first.maxPieceBytes();
    }

    @Override
    public RemoteExtent leastBusy() {
        TcpLink link = pool.idlest();
        if (link == pool.first()) {
            return first;
        }
        TcpExtent region = others.get(link);
        return region == null ? attached(link) : region;
    }

    @Override
    public ExtentPiece begin(long offset, int bytes, long timeoutNs) throws IOException {
        return leastBusy().begin(offset, bytes, timeoutNs);
    }

    @Override
    public @Nullable ExtentPiece beginIfRoom(long offset, int bytes, long timeoutNs) throws IOException {
        return leastBusy().beginIfRoom(offset, bytes, timeoutNs);
    }

    @Override
    public void read(long offset, ByteBuffer target, long timeoutNs) throws IOException {
        leastBusy().read(offset, target, timeoutNs);
    }

    @Override
    public synchronized void close() {
        closed = true;
        others.values().forEach(TcpExtent::close);
        others.clear();
        first.close();
    }

    private synchronized TcpExtent attached(TcpLink link) {
        TcpExtent present = others.get(link);
        if (present != null || closed) {
            return present == null ? first : present;
        }
        others.keySet().removeIf(TcpLink::hasEnded);
        try {
            TcpExtent fresh = link.attach(key, pool.timeoutNs());
            others.put(link, fresh);
            return fresh;
        } catch (IOException e) {
            // Whether the range is void or only this connection, the first one tells.
            LOG.debug("Cannot reach for a range over one more connection", e);
            if (link.hasEnded()) {
                pool.ended(link);
            }
            return first;
        }
    }
}
