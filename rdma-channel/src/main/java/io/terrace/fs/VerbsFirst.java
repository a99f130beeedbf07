package io.terrace.fs;

import io.terrace.channel.ChannelException;
import io.terrace.channel.CheckedPiece;
import io.terrace.channel.CheckedRegion;
import io.terrace.channel.verbs.VerbsRegion;
import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * A granted range that is read by RDMA, and over tcp where that does not succeed: the same bytes, verified the same way.
 * Counts what only this side knows that it read. Thread-safe.
 */
final class VerbsFirst implements CheckedRegion {
    private final VerbsRegion verbs;
    private final CheckedRegion tcp;
    private final Figures figures;
    private final LongAdder reads = new LongAdder();
    private final LongAdder bytes = new LongAdder();

    VerbsFirst(VerbsRegion verbs, CheckedRegion tcp, Figures figures) {
        this.verbs = verbs;
        this.tcp = tcp;
        this.figures = figures;
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
    public CheckedPiece begin(long offset, int lengthBytes, long timeoutNs) throws IOException {
        if (verbs.isUsable() && lengthBytes <= verbs.maxPieceBytes()) {
            try {
                return new Piece(verbs.begin(offset, lengthBytes, timeoutNs), offset);
            } catch (ChannelException e) {
                figures.increment(Figure.CLIENT_VERBS_STEPPED_DOWN);
            }
        }
        return tcp.begin(offset, lengthBytes, timeoutNs);
    }

    @Override
    public void read(long offset, ByteBuffer target, long timeoutNs) throws IOException {
        int position = target.position();
        int wanted = target.remaining();
        if (verbs.isUsable()) {
            try {
                verbs.read(offset, target, timeoutNs);
                counted(wanted);
                return;
            } catch (ChannelException e) {
                figures.increment(Figure.CLIENT_VERBS_STEPPED_DOWN);
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

    /** Reads by RDMA since this was asked last. */
    long takeReads() {
        return reads.sumThenReset();
    }

    /** Bytes read by RDMA since this was asked last. */
    long takeBytes() {
        return bytes.sumThenReset();
    }

    private void counted(int lengthBytes) {
        reads.increment();
        bytes.add(lengthBytes);
        figures.increment(Figure.CLIENT_VERBS_READS);
        figures.add(Figure.CLIENT_VERBS_BYTES, lengthBytes);
    }

    /** A piece on its way by RDMA, asked for again over tcp when it does not come. */
    private final class Piece implements CheckedPiece {
        private final CheckedPiece first;
        private final long offset;
        private @Nullable CheckedPiece second;

        Piece(CheckedPiece first, long offset) {
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
                figures.increment(Figure.CLIENT_VERBS_STEPPED_DOWN);
                CheckedPiece again = tcp.begin(offset, first.lengthBytes(), timeoutNs);
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
