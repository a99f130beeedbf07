package io.terrace.channel.server;

import io.terrace.channel.ReadReport;
import io.terrace.channel.tcp.server.TcpRange;
import io.terrace.channel.tcp.server.TcpSession;
import io.terrace.common.BlockKey;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * One client of a {@link TcpGrantServer} and the grants it holds. Guarded by itself: whoever calls the owner for this
 * client holds its lock, so that calls come one at a time and none after the last. A grant may take long: whoever must not
 * wait for one comes by {@link SerialExecutor}.
 */
final class TcpGrantSession {
    /** A grant that this process holds for the client: the client only has the key of the range. */
    static final class HeldRange {
        final long grantId;
        final BlockKey block;
        final Principal principal;
        final TcpRange range;
        final long endsNs;
        private long reportedReads;
        private long reportedBytes;

        HeldRange(long grantId, BlockKey block, Principal principal, TcpRange range, long endsNs) {
            this.grantId = grantId;
            this.block = block;
            this.principal = principal;
            this.range = range;
            this.endsNs = endsNs;
        }

        /** What was served since the last report. */
        ReadReport unreported() {
            long reads = range.reads.sum();
            long bytes = range.bytes.sum();
            ReadReport report = new ReadReport(grantId, reads - reportedReads, bytes - reportedBytes);
            reportedReads = reads;
            reportedBytes = bytes;
            return report;
        }
    }

    final Peer peer;
    final TcpSession session;
    final SerialExecutor serialExecutor;
    final Map<Long, HeldRange> held = new HashMap<>();

    /** What is due is to be seen to, once, when its present call is over. */
    final AtomicBoolean looksWait = new AtomicBoolean();

    /** Grants that are over, but for reads in progress. */
    int ending;

    /** The connection has ended. */
    boolean ended;

    /** The owner was told so. */
    boolean gone;

    /** @param workers that its calls run on */
    TcpGrantSession(Peer peer, TcpSession session, Executor workers) {
        this.peer = Objects.requireNonNull(peer);
        this.session = session;
        this.serialExecutor = new SerialExecutor(workers, session);
    }

    /** The reports of these that are due. */
    static List<ReadReport> unreported(Collection<HeldRange> ranges) {
        Stream<ReadReport> reports = ranges.stream().map(HeldRange::unreported);
        return reports.filter(report -> report.reads() > 0 || report.bytes() > 0)
                .toList();
    }
}
