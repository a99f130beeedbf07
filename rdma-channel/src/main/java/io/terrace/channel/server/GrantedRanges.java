package io.terrace.channel.server;

import io.terrace.channel.Grant;
import io.terrace.channel.GrantAnswer;
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
 * The ranges that stand behind the grants of a {@link TcpGrantServer}'s clients, from the owner's word to the end of the last
 * read. All of this for one client is done one at a time, see {@link SerialExecutor}, and under that client's lock. Thread-safe.
 */
final class GrantedRanges {
    private static final Logger LOG = LoggerFactory.getLogger(GrantedRanges.class);

    /** Where the other way cannot say how long its reads may take: longer than any. */
    private static final long LONG_GRACE_NS = TimeUnit.SECONDS.toNanos(10);

    /** A block that cannot be served is asked for again and again. */
    private static final long TELL_NS = TimeUnit.SECONDS.toNanos(1);

    private final LogThrottle told = new LogThrottle(TELL_NS);
    private final TcpListener listener;
    private final LinkDirectory links;
    private final GrantService owner;
    private final ChecksumCache shelf;
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
            ChecksumCache shelf,
            OneSidedRanges oneSided,
            ScheduledExecutorService later) {
        this.listener = listener;
        this.links = links;
        this.owner = owner;
        this.shelf = shelf;
        this.oneSided = oneSided;
        this.later = later;
    }

    /**
     * Answers a request; the caller holds the client's lock.
     *
     * @param holder whom the grant counts for
     */
    Message grant(TcpGrantSession client, Message.Ask ask, Principal principal) {
        long nowNs = System.nanoTime();
        GrantAnswer answer = owner.grant(client.peer, ask.request());
        if (answer instanceof Refusal refusal) {
            return new Message.Refused(ask.requestId(), refusal);
        }
        Grant grant = (Grant) answer;
        boolean kept = false;
        try {
            TcpRange range = open(grant, principal);
            if (range == null) {
                return new Message.Refused(
                        ask.requestId(), new Refusal(RefusalReason.BUSY, "no room for more checksums"));
            }
            long endsNs = nowNs + TimeUnit.MILLISECONDS.toNanos(grant.leaseMs());
            client.held.put(
                    grant.grantId(),
                    new TcpGrantSession.HeldRange(
                            grant.grantId(), grant.descriptor().block(), principal, range, endsNs));
            kept = true;
            return new Message.Granted(
                    ask.requestId(),
                    new Grant(grant.grantId(), grant.descriptor(), range.key.digits(), grant.leaseMs()));
        } catch (IOException e) {
            Long others = told.next(nowNs);
            if (others != null) {
                LOG.warn("Cannot serve {} over tcp, nor {} others before it", grant, others, e);
            }
            return new Message.Refused(
                    ask.requestId(), new Refusal(RefusalReason.FAILED, "the extent or its checksums cannot be read"));
        } finally {
            if (!kept) {
                owner.released(client.peer, grant.grantId());
            }
        }
    }

    /** Registers what a grant is for; the owner's link has served its purpose afterwards. */
    private @Nullable TcpRange open(Grant grant, Principal principal) throws IOException {
        boolean named = LinkDirectory.isName(grant.linkName());
        Path file = named ? links.path().resolve(grant.linkName()) : Path.of(grant.linkName());
        try {
            long lengthBytes = grant.descriptor().lengthBytes();
            ChunkChecksums checksums = shelf.take(grant.descriptor().block(), lengthBytes, principal);
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
                    shelf.giveBack(grant.descriptor().block(), principal);
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
        synchronized (client) {
            TcpGrantSession.HeldRange held = client.held.get(grantId);
            if (held != null) {
                oneSided.retired(held.range.key);
            }
        }
    }

    /** Ends a grant; the owner is told when the reads in progress have ended. */
    void end(TcpGrantSession client, long grantId) {
        TcpGrantSession.HeldRange held;
        synchronized (client) {
            held = client.held.remove(grantId);
            if (held != null) {
                client.ending++;
            }
        }
        if (held != null) {
            long graceNs = graceNs(held.range.key);
            // Comes back on whatever thread ended the last read.
            listener.revoke(
                    held.range.key,
                    () -> onLater(() -> client.serialExecutor.runSoon(() -> ended(client, held)), graceNs));
        }
    }

    private long graceNs(RegionKey key) {
        try {
            return oneSided.ended(key);
        } catch (RuntimeException | Error e) {
            LOG.error("Reads of a range that is over may go on beside tcp", e);
            return LONG_GRACE_NS;
        }
    }

    /** What a client read one-sidedly, as it says; the owner believes no more than it granted. */
    void reported(TcpGrantSession client, Message.Report report) {
        synchronized (client) {
            if (!client.ended) {
                List<ReadReport> held = report.reports().stream()
                        .filter(one -> client.held.containsKey(one.grantId()))
                        .toList();
                owner.reported(client.peer, held);
            }
        }
    }

    /**
     * The client is gone. The owner is told when the reads in progress have ended: those that came over other connections
     * of the same client did not end with the one that the grants were given over.
     */
    void disconnected(TcpGrantSession client) {
        List<Long> all;
        synchronized (client) {
            client.ended = true;
            all = List.copyOf(client.held.keySet());
        }
        all.forEach(grantId -> end(client, grantId));
        tellIfGone(client);
    }

    private void ended(TcpGrantSession client, TcpGrantSession.HeldRange held) {
        synchronized (client) {
            try {
                owner.reported(client.peer, TcpGrantSession.unreported(List.of(held)));
            } catch (RuntimeException | Error e) {
                LOG.error("What {} read is not accounted for", client.peer, e);
            }
            try {
                owner.released(client.peer, held.grantId);
            } finally {
                client.ending--;
                shelf.giveBack(held.block, held.principal);
                tellIfGone(client);
            }
        }
    }

    private void tellIfGone(TcpGrantSession client) {
        synchronized (client) {
            if (client.ended && !client.gone && client.held.isEmpty() && client.ending == 0) {
                client.gone = true;
                owner.disconnected(client.peer, true);
            }
        }
    }

    private void onLater(Runnable work, long delayNs) {
        try {
            later.schedule(work, delayNs, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            // The server closes, and serves nobody any more; or there would never be another time.
            work.run();
        }
    }

    /** Reports what was served, and ends what is over. */
    void report(TcpGrantSession client) {
        long nowNs = System.nanoTime();
        List<Long> over;
        synchronized (client) {
            if (client.ended) {
                return;
            }
            owner.reported(client.peer, TcpGrantSession.unreported(client.held.values()));
            over = client.held.values().stream()
                    .filter(held -> held.endsNs - nowNs <= 0)
                    .map(held -> held.grantId)
                    .toList();
        }
        over.forEach(grantId -> end(client, grantId));
    }
}
