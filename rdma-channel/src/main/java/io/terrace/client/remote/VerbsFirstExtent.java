package io.terrace.client.remote;

import io.terrace.channel.ReadReport;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.ExtentPiece;
import io.terrace.channel.transport.ReadCounter;
import io.terrace.channel.transport.RemoteExtent;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.common.RetryPause;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A granted extent that is read by RDMA, and over tcp where RDMA fails: the same bytes, verified in the same way.
 * After the end of the lease it is read over tcp only. There the DataNode can refuse, while nothing refuses an RDMA
 * READ, and one that comes after the extent was deregistered ends the connection that other readers share. Counts the
 * reads that the DataNode cannot see. Thread-safe.
 */
final class VerbsFirstExtent implements RemoteExtent {
    private static final Logger LOG = LoggerFactory.getLogger(VerbsFirstExtent.class);

    /** A deadline that is over sooner was spent waiting for room in the device's queue, which says nothing of the way. */
    private static final long SILENT_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final RemoteExtent verbs;
    private final RemoteExtent tcp;
    private final long endsNs;
    private final MetricRegistry metricRegistry;
    private final RetryPause pause;
    private final ReadCounter counter = new ReadCounter();
    private long reportedReads;
    private long reportedBytes;

    /**
     * Reads nothing yet.
     *
     * @param pause of READs from the DataNode, for all its extents
     * @param endsNs when the lease ends, on this process's clock
     */
    VerbsFirstExtent(
            RemoteExtent verbs, RemoteExtent tcp, RetryPause pause, long endsNs, MetricRegistry metricRegistry) {
        this.verbs = verbs;
        this.tcp = tcp;
        this.pause = pause;
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
        ExtentPiece piece = beginByRdma(offset, lengthBytes, timeoutNs);
        return piece == null ? tcp.begin(offset, lengthBytes, timeoutNs) : piece;
    }

    @Override
    public @Nullable ExtentPiece beginIfRoom(long offset, int lengthBytes, long timeoutNs) throws IOException {
        ExtentPiece piece = beginByRdma(offset, lengthBytes, timeoutNs);
        return piece == null ? tcp.beginIfRoom(offset, lengthBytes, timeoutNs) : piece;
    }

    private @Nullable ExtentPiece beginByRdma(long offset, int lengthBytes, long timeoutNs) throws IOException {
        if (mayUseVerbs() && lengthBytes <= verbs.maxPieceBytes()) {
            long beganNs = System.nanoTime();
            try {
                return new Piece(verbs.begin(offset, lengthBytes, timeoutNs), offset);
            } catch (ChannelException e) {
                failed(e, beganNs);
            }
        }
        return null;
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
            long beganNs = System.nanoTime();
            try {
                verbs.read(offset, target, timeoutNs);
                counted(offset, wanted);
                return;
            } catch (ChannelException e) {
                failed(e, beganNs);
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
    synchronized ReadReport takeReport(long grantId) {
        long reads = counter.reads() - reportedReads;
        long bytes = counter.bytes() - reportedBytes;
        reportedReads += reads;
        reportedBytes += bytes;
        return reads > 0 || bytes > 0 ? new ReadReport(grantId, reads, bytes) : null;
    }

    private boolean mayUseVerbs() {
        long nowNs = System.nanoTime();
        return verbs.isUsable() && endsNs - nowNs > 0 && pause.isOver(nowNs);
    }

    /** Where the way is silent, each read would wait for all of its time. */
    private void failed(ChannelException why, long beganNs) {
        metricRegistry.increment(Metric.CLIENT_VERBS_STEPPED_DOWN);
        long nowNs = System.nanoTime();
        if (why.status() == TransferStatus.DEADLINE && nowNs - beganNs >= SILENT_NS) {
            pause.failed(nowNs);
            LOG.debug("RDMA is silent, tcp serves for a while", why);
        }
    }

    private void counted(long offset, int lengthBytes) {
        if (pause.hasFailed()) {
            pause.worked(System.nanoTime());
        }
        counter.count(offset, lengthBytes);
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
            long beganNs = System.nanoTime();
            try {
                ByteBuffer arrived = first.next(timeoutNs);
                counted(offset, arrived.remaining());
                return arrived;
            } catch (ChannelException e) {
                failed(e, beganNs);
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
