package io.terrace.client.remote;

import io.terrace.channel.ReadReport;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.ExtentPiece;
import io.terrace.channel.transport.RemoteExtent;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A granted extent that is read by RDMA, and over tcp where RDMA fails: the same bytes, verified in the same way.
 * After the end of the lease it is read over tcp only. There the DataNode can refuse, while nothing refuses an RDMA
 * READ, and one that comes after the extent was deregistered ends the connection that other readers share. Counts the
 * reads that the DataNode cannot see. Thread-safe.
 */
final class VerbsFirstExtent implements RemoteExtent {
    private final RemoteExtent verbs;
    private final RemoteExtent tcp;
    private final long endsNs;
    private final MetricRegistry metricRegistry;
    private final LongAdder reads = new LongAdder();
    private final LongAdder bytes = new LongAdder();

    /** @param endsNs when the lease ends, on this process's clock */
    VerbsFirstExtent(RemoteExtent verbs, RemoteExtent tcp, long endsNs, MetricRegistry metricRegistry) {
        this.verbs = verbs;
        this.tcp = tcp;
        this.endsNs = endsNs;
        this.metricRegistry = metricRegistry;
    }

    @Override
    public long lengthBytes() {
        return tcp.lengthBytes();
    }

    @Override
    public int maxPieceBytes() {
        return verbs.isUsable() ? Math.min(verbs.maxPieceBytes(), tcp.maxPieceBytes()) : tcp.maxPieceBytes();
    }

    @Override
    public ExtentPiece begin(long offset, int lengthBytes, long timeoutNs) throws IOException {
        if (mayUseVerbs() && lengthBytes <= verbs.maxPieceBytes()) {
            try {
                return new Piece(verbs.begin(offset, lengthBytes, timeoutNs), offset);
            } catch (ChannelException e) {
                metricRegistry.increment(Metric.CLIENT_VERBS_STEPPED_DOWN);
            }
        }
        return tcp.begin(offset, lengthBytes, timeoutNs);
    }

    @Override
    public void read(long offset, ByteBuffer target, long timeoutNs) throws IOException {
        int position = target.position();
        int wanted = target.remaining();
        if (mayUseVerbs()) {
            if (wanted > verbs.maxPieceBytes()) {
                // The lease may end on the way.
                readPieces(offset, target, System.nanoTime() + timeoutNs);
                return;
            }
            try {
                verbs.read(offset, target, timeoutNs);
                counted(wanted);
                return;
            } catch (ChannelException e) {
                metricRegistry.increment(Metric.CLIENT_VERBS_STEPPED_DOWN);
                target.position(position);
            }
        }
        tcp.read(offset, target, timeoutNs);
    }

    @Override
    public void close() {
        verbs.close();
        tcp.close();
    }

    /** What was read by RDMA since this was asked last; null when nothing was. */
    @Nullable
    ReadReport takeReport(long grantId) {
        long readsNow = reads.sumThenReset();
        long bytesNow = bytes.sumThenReset();
        return readsNow > 0 || bytesNow > 0 ? new ReadReport(grantId, readsNow, bytesNow) : null;
    }

    private boolean mayUseVerbs() {
        return verbs.isUsable() && endsNs - System.nanoTime() > 0;
    }

    private void counted(int lengthBytes) {
        reads.increment();
        bytes.add(lengthBytes);
        metricRegistry.increment(Metric.CLIENT_VERBS_READS);
        metricRegistry.add(Metric.CLIENT_VERBS_BYTES, lengthBytes);
    }

    /** A piece on its way by RDMA, asked for again over tcp when it does not come. */
    private final class Piece implements ExtentPiece {
        private final ExtentPiece first;
        private final long offset;
        private @Nullable ExtentPiece second;

        Piece(ExtentPiece first, long offset) {
            this.first = first;
            this.offset = offset;
        }

        @Override
        public int lengthBytes() {
            return first.lengthBytes();
        }

        @Override
        public ByteBuffer next(long timeoutNs) throws IOException {
            if (second != null) {
                return second.next(timeoutNs);
            }
            try {
                ByteBuffer arrived = first.next(timeoutNs);
                counted(arrived.remaining());
                return arrived;
            } catch (ChannelException e) {
                metricRegistry.increment(Metric.CLIENT_VERBS_STEPPED_DOWN);
                ExtentPiece again = tcp.begin(offset, first.lengthBytes(), timeoutNs);
                second = again;
                return again.next(timeoutNs);
            }
        }

        @Override
        public void close() {
            first.close();
            if (second != null) {
                second.close();
            }
        }
    }
}
