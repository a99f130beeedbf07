package io.terrace.channel.server;

import io.terrace.channel.Message;
import io.terrace.channel.MessageCodec;
import io.terrace.channel.ReadReport;
import io.terrace.channel.tcp.server.TcpRange;
import io.terrace.channel.tcp.server.TcpSession;
import io.terrace.common.BlockKey;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client of a {@link TcpGrantServer} and the grants that are held for it. Used by what its {@link SerialExecutor} runs,
 * one thing at a time.
 */
final class TcpGrantSession extends GrantDispatcher.Session {
    private static final Logger LOG = LoggerFactory.getLogger(TcpGrantSession.class);

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
            long reads = range.served.reads();
            long bytes = range.served.bytes();
            ReadReport report = new ReadReport(grantId, reads - reportedReads, bytes - reportedBytes);
            reportedReads = reads;
            reportedBytes = bytes;
            return report;
        }
    }

    final TcpSession session;
    private final Peer peer;
    final Map<Long, HeldRange> held = new HashMap<>();

    /** Whether a report of what it read waits for its present call to end. */
    final AtomicBoolean looksWait = new AtomicBoolean();

    /** Grants that are over, but for reads in progress. */
    int ending;

    /** The connection has ended. */
    boolean ended;

    /** The owner was told so. */
    boolean gone;

    /** @param workers that its calls run on */
    TcpGrantSession(Peer peer, TcpSession session, Executor workers) {
        super(workers, SerialExecutor.MOST_WAITING);
        this.peer = Objects.requireNonNull(peer);
        this.session = session;
    }

    @Override
    Peer peer() {
        return peer;
    }

    @Override
    void send(Message message) {
        try {
            // Skips the length in front: the frame has one of its own.
            session.send(MessageCodec.encode(message).position(Integer.BYTES));
        } catch (IOException e) {
            LOG.debug("Connection {} is gone", session.number, e);
        }
    }

    @Override
    void pauseInput() {
        session.pauseInput();
    }

    @Override
    void resumeInput() {
        session.resumeInput();
    }

    @Override
    void close() {
        session.close();
    }

    /** The reports of these that are due. */
    static List<ReadReport> unreported(Collection<HeldRange> ranges) {
        Stream<ReadReport> reports = ranges.stream().map(HeldRange::unreported);
        return reports.filter(report -> report.reads() > 0 || report.bytes() > 0)
                .toList();
    }
}
