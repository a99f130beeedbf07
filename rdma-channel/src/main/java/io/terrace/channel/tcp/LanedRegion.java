package io.terrace.channel.tcp;

import io.terrace.channel.CheckedPiece;
import io.terrace.channel.CheckedRegion;
import io.terrace.channel.RegionKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A range of another host within reach over several connections. Each read goes over the one with least in flight; a
 * reader of many pieces takes one by {@link #lane} and stays on it, so that they come in order. Thread-safe.
 */
public final class LanedRegion implements CheckedRegion {
    private static final Logger LOG = LoggerFactory.getLogger(LanedRegion.class);

    private final TcpLanes lanes;
    private final RegionKey key;
    private final TcpRegion first;
    private final Map<TcpLink, TcpRegion> others = new ConcurrentHashMap<>(4);
    private boolean closed;

    LanedRegion(TcpLanes lanes, RegionKey key, TcpRegion first) {
        this.lanes = lanes;
        this.key = key;
        this.first = first;
    }

    @Override
    public long lengthBytes() {
        return first.lengthBytes();
    }

    @Override
    public int maxPieceBytes() {
        return first.maxPieceBytes();
    }

    @Override
    public CheckedRegion lane() {
        TcpLink link = lanes.idlest();
        if (link == lanes.first()) {
            return first;
        }
        TcpRegion region = others.get(link);
        return region == null ? attached(link) : region;
    }

    @Override
    public CheckedPiece begin(long offset, int bytes, long timeoutNs) throws IOException {
        return lane().begin(offset, bytes, timeoutNs);
    }

    @Override
    public void read(long offset, ByteBuffer target, long timeoutNs) throws IOException {
        lane().read(offset, target, timeoutNs);
    }

    @Override
    public synchronized void close() {
        closed = true;
        others.values().forEach(TcpRegion::close);
        others.clear();
        first.close();
    }

    private synchronized TcpRegion attached(TcpLink link) {
        TcpRegion present = others.get(link);
        if (present != null || closed) {
            return present == null ? first : present;
        }
        others.keySet().removeIf(TcpLink::hasEnded);
        try {
            TcpRegion fresh = link.attach(key, lanes.timeoutNs());
            others.put(link, fresh);
            return fresh;
        } catch (IOException e) {
            // Whether the range is void or only this connection, the first one tells.
            LOG.debug("Cannot reach for a range over one more connection", e);
            if (link.hasEnded()) {
                lanes.ended(link);
            }
            return first;
        }
    }
}
