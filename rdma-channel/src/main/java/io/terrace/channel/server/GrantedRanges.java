package io.terrace.channel.server;

import io.terrace.channel.Grant;
import io.terrace.channel.GrantAnswer;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.Message;
import io.terrace.channel.ReadReport;
import io.terrace.channel.Refusal;
import io.terrace.channel.RefusalReason;
import io.terrace.channel.shm.LinkDirectory;
import io.terrace.channel.tcp.server.TcpListener;
import io.terrace.channel.tcp.server.TcpRange;
import io.terrace.channel.transport.ChunkChecksums;
import io.terrace.channel.transport.ExtentRange;
import io.terrace.channel.transport.RegionKey;
import io.terrace.common.LogThrottle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The grants of clients of other hosts: each gets the key of a range that is served until the grant and the last read of it
 * have ended. All calls for one client come through its {@link SerialExecutor}, one at a time; those for several may come
 * at once.
 */
final class GrantedRanges implements GrantDispatcher.Grants<TcpGrantSession> {
    private static final Logger LOG = LoggerFactory.getLogger(GrantedRanges.class);

    /** Where the other way cannot say how long its reads may take: longer than any. */
    private static final long LONG_GRACE_NS = TimeUnit.SECONDS.toNanos(10);

    /** A block that cannot be served is asked for again and again. */
    private static final long LOG_NS = TimeUnit.SECONDS.toNanos(1);

    private final LogThrottle failures = new LogThrottle(LOG_NS);
    private final TcpListener listener;
    private final LinkDirectory links;
    private final GrantService owner;
    private final ChecksumCache cache;
    private final OneSidedRanges oneSided;
    private final ScheduledExecutorService later;

    /**
     * None yet.
     *
     * @param links where the owner makes the links that its grants name, unless they name absolute paths
     * @param later tells the owner that a grant is over
     */
    GrantedRanges(
            TcpListener listener,
            LinkDirectory links,
            GrantService owner,
            ChecksumCache cache,
            OneSidedRanges oneSided,
            ScheduledExecutorService later) {
        this.listener = listener;
        this.links = links;
        this.owner = owner;
        this.cache = cache;
        this.oneSided = oneSided;
        this.later = later;
    }

    @Override
    public GrantAnswer grant(TcpGrantSession client, GrantRequest request, Principal principal) {
        if (client.ended) {
            return new Refusal(RefusalReason.OFF, "the connection has ended");
        }
        long nowNs = System.nanoTime();
        GrantAnswer answer = owner.grant(client.peer(), request);
        return answer instanceof Grant grant ? serve(client, grant, principal, nowNs) : answer;
    }

    private GrantAnswer serve(TcpGrantSession client, Grant grant, Principal principal, long nowNs) {
        boolean kept = false;
        try {
            TcpRange range = open(grant, principal);
            if (range == null) {
                return new Refusal(RefusalReason.BUSY, "no room for more checksums");
            }
            long endsNs = nowNs + TimeUnit.MILLISECONDS.toNanos(grant.leaseMs());
            client.held.put(
                    grant.grantId(),
                    new TcpGrantSession.HeldRange(
                            grant.grantId(), grant.descriptor().block(), principal, range, endsNs));
            kept = true;
            return new Grant(grant.grantId(), grant.descriptor(), range.key.digits(), grant.leaseMs());
        } catch (IOException e) {
            Long others = failures.next(nowNs);
            if (others != null) {
                LOG.warn("Cannot serve {} over tcp, nor {} others before it", grant, others, e);
            }
            return new Refusal(RefusalReason.FAILED, "the extent or its checksums cannot be read");
        } finally {
            if (!kept) {
                owner.released(client.peer(), grant.grantId());
            }
        }
    }

    /** Registers what a grant is for; the owner's link has served its purpose afterwards. */
    private @Nullable TcpRange open(Grant grant, Principal principal) throws IOException {
        boolean named = LinkDirectory.isName(grant.linkName());
        Path file = named ? links.path().resolve(grant.linkName()) : Path.of(grant.linkName());
        try {
            long lengthBytes = grant.descriptor().lengthBytes();
            ChunkChecksums checksums = cache.take(grant.descriptor().block(), lengthBytes, principal);
            if (checksums == null) {
                return null;
            }
            boolean registered = false;
            try {
                TcpRange range = listener.register(
                        new ExtentRange(file, grant.descriptor().address(), lengthBytes), checksums);
                registered = true;
                offer(grant, range, file, checksums);
                return range;
            } finally {
                if (!registered) {
                    cache.giveBack(grant.descriptor().block(), principal);
                }
            }
        } finally {
            remove(grant.linkName(), named, file);
        }
    }

    /** Tcp serves it, whatever becomes of the other way. */
    private void offer(Grant grant, TcpRange range, Path file, ChunkChecksums checksums) {
        try {
            oneSided.granted(grant, range.key, file, checksums);
        } catch (RuntimeException | Error e) {
            LOG.error("{} is served over tcp only", grant, e);
        }
    }

    private void remove(String linkName, boolean named, Path file) {
        try {
            if (named) {
                links.unlink(linkName);
            } else {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            LOG.warn("Cannot remove the link of a granted extent: it stays until the DataNode starts anew", e);
        }
    }

    /** The extent of a grant retires: it is not read one-sidedly from now on. */
    void retired(TcpGrantSession client, long grantId) {
        TcpGrantSession.HeldRange held = client.held.get(grantId);
        if (held != null) {
            oneSided.retired(held.range.key);
        }
    }

    /** Ends a grant; the owner is told when the reads in progress have ended. */
    void released(TcpGrantSession client, long grantId) {
        TcpGrantSession.HeldRange held = client.held.remove(grantId);
        if (held != null) {
            client.ending++;
            long graceNs = graceNs(held.range.key);
            // Continues on the thread that ended the last read.
            listener.revoke(
                    held.range.key, () -> onLater(() -> client.calls.runSoon(() -> over(client, held)), graceNs));
        }
    }

    private long graceNs(RegionKey key) {
        try {
            return oneSided.ended(key);
        } catch (RuntimeException | Error e) {
            LOG.error("Cannot end the RDMA reads of a range: they may go on beside tcp", e);
            return LONG_GRACE_NS;
        }
    }

    /** What a client read one-sidedly, as it says; the owner believes no more than it granted. */
    private void reported(TcpGrantSession client, List<ReadReport> reports) {
        if (!client.ended) {
            List<ReadReport> held = reports.stream()
                    .filter(one -> client.held.containsKey(one.grantId()))
                    .toList();
            owner.reported(client.peer(), held);
        }
    }

    @Override
    public SerialExecutor.Call call(TcpGrantSession client, Message message) throws MalformedMessageException {
        if (message instanceof Message.Report report) {
            return () -> reported(client, report.reports());
        }
        if (message instanceof Message.Release release) {
            return () -> release.grantIds().forEach(grantId -> released(client, grantId));
        }
        throw new MalformedMessageException("not a message for this server");
    }

    /**
     * The client is gone. The owner is told when the reads in progress have ended: those that came over other connections
     * of the same client did not end with the one that the grants were given over.
     */
    @Override
    public void ended(TcpGrantSession client, boolean orderly) {
        client.ended = true;
        List.copyOf(client.held.keySet()).forEach(grantId -> released(client, grantId));
        tellIfGone(client);
    }

    private void over(TcpGrantSession client, TcpGrantSession.HeldRange held) {
        try {
            owner.reported(client.peer(), TcpGrantSession.unreported(List.of(held)));
        } catch (RuntimeException | Error e) {
            LOG.error("Cannot account what {} read", client.peer(), e);
        }
        try {
            owner.released(client.peer(), held.grantId);
        } finally {
            client.ending--;
            cache.giveBack(held.block, held.principal);
            tellIfGone(client);
        }
    }

    private void tellIfGone(TcpGrantSession client) {
        if (client.ended && !client.gone && client.held.isEmpty() && client.ending == 0) {
            client.gone = true;
            owner.disconnected(client.peer(), true);
        }
    }

    private void onLater(Runnable work, long delayNs) {
        try {
            later.schedule(work, delayNs, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // The server is closing, or no thread would run this later.
            work.run();
        }
    }

    /** Reports what was served, and ends what is over. */
    void report(TcpGrantSession client) {
        if (client.ended) {
            return;
        }
        long nowNs = System.nanoTime();
        owner.reported(client.peer(), TcpGrantSession.unreported(client.held.values()));
        List<Long> over = client.held.values().stream()
                .filter(held -> held.endsNs - nowNs <= 0)
                .map(held -> held.grantId)
                .toList();
        over.forEach(grantId -> released(client, grantId));
    }
}
