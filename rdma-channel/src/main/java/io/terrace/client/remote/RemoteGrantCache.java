package io.terrace.client.remote;

import io.terrace.channel.Grant;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.MalformedMessageException;
import io.terrace.channel.Message;
import io.terrace.channel.transport.Access;
import io.terrace.channel.transport.ChannelException;
import io.terrace.channel.transport.RegionKey;
import io.terrace.channel.transport.RemoteExtent;
import io.terrace.channel.transport.TransferStatus;
import io.terrace.client.ClientConfig;
import io.terrace.client.GrantCache;
import io.terrace.client.GrantKey;
import io.terrace.client.PendingGrant;
import io.terrace.common.BlockKey;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The grants that were given over one connection, and the blocks that were refused. All readers of the process share
 * them while their leases last; they end with the connection. Bounded; thread-safe.
 */
final class RemoteGrantCache {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteGrantCache.class);
    private static final int MAX_GRANTS = 1024;
    private static final long REFUSED_PAUSE_NS = TimeUnit.SECONDS.toNanos(1);

    /** A grant that has been over for so long is over for the DataNode too. */
    private static final long OVER_NS = TimeUnit.SECONDS.toNanos(2);

    private final RemoteConnection connection;
    private final ClientConfig.Remote settings;
    private final MetricRegistry metricRegistry;
    private final GrantCache<RemoteGrant, BlockKey> grants = new GrantCache<>(REFUSED_PAUSE_NS, MAX_GRANTS, key -> {});

    /** Held by who asks: answers go to one thread at a time. */
    private final ReentrantLock asking = new ReentrantLock();

    private final ReadReporter reports;
    private long lastRequest;
    private long lookedNs = System.nanoTime();

    RemoteGrantCache(RemoteConnection connection, ClientConfig.Remote settings, MetricRegistry metricRegistry) {
        this.connection = connection;
        this.settings = settings;
        this.metricRegistry = metricRegistry;
        this.reports = new ReadReporter(
                told -> connection.send(new Message.Report(told), System.nanoTime() + settings.timeoutNs()),
                ReadReporter.onTimer());
    }

    RemoteConnection connection() {
        return connection;
    }

    /**
     * A grant, held already or asked for; null when it is refused, late, or others are asking for too long.
     *
     * @throws IOException when the connection is of no use
     */
    @Nullable
    RemoteGrant of(GrantKey key, byte[] token) throws IOException {
        RemoteGrant held = grants.usable(key);
        if (held != null) {
            return held;
        }
        RemoteGrant granted = grants.obtain(key, pending -> askInTurn(pending, token), settings.timeoutNs())
                .grant();
        // The grant is held even if its waiters gave up.
        return granted == null ? grants.usable(key) : granted;
    }

    /** The grant is not used for anything new. */
    boolean forget(RemoteGrant grant) {
        boolean held = grants.forget(grant);
        if (held) {
            reports.remove(grant.grantId());
        }
        return held;
    }

    /** The block is not asked for again for a while. */
    void refuse(BlockKey block) {
        grants.refuse(block);
    }

    boolean isRefused(BlockKey block, long nowNs) {
        return grants.isRefused(block, nowNs);
    }

    /** What was read without the DataNode's doing, and is told to it. */
    ReadReporter reports() {
        return reports;
    }

    /** Asks when nobody else does, since answers go to one thread at a time. */
    private void askInTurn(PendingGrant<RemoteGrant> pending, byte[] token) throws IOException {
        try {
            if (!asking.tryLock(settings.timeoutNs(), TimeUnit.NANOSECONDS)) {
                pending.fail(Metric.CLIENT_FALLBACK_TIMEOUT);
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted before a grant was asked for");
        }
        try {
            long nowNs = System.nanoTime();
            if (nowNs - lookedNs > OVER_NS) {
                lookedNs = nowNs;
                letGoOfOver(nowNs);
            }
            RemoteGrant fresh;
            try {
                fresh = ask(pending.key(), token, pending.askedNs());
            } catch (SocketTimeoutException | ChannelException e) {
                if (connection.hasEnded() || !connection.hasHeardSince(pending.askedNs())) {
                    throw e;
                }
                // A disk may be slow, or the block gone meanwhile. The DataNode is there, and so is what it granted.
                LOG.debug("The grant of {} is late or void", pending.key(), e);
                Metric why = isVoid(e) ? Metric.CLIENT_REMOTE_REFUSED : Metric.CLIENT_FALLBACK_TIMEOUT;
                metricRegistry.increment(why);
                refuse(pending.key().block());
                pending.fail(why);
                return;
            }
            if (fresh == null) {
                pending.fail(Metric.CLIENT_REMOTE_REFUSED);
                return;
            }
            makeRoomFor(fresh);
            if (!pending.succeed(fresh)) {
                grants.hold(fresh);
            }
        } finally {
            asking.unlock();
        }
    }

    private static boolean isVoid(IOException e) {
        return e instanceof ChannelException channel && channel.status() == TransferStatus.NO_ACCESS;
    }

    private @Nullable RemoteGrant ask(GrantKey key, byte[] token, long askedNs) throws IOException {
        long deadlineNs = askedNs + settings.timeoutNs();
        long request = ++lastRequest;
        connection.send(new Message.Ask(request, new GrantRequest(key.block(), token, false)), deadlineNs);
        while (true) {
            Message answer = connection.receive(deadlineNs);
            if (answer instanceof Message.Granted granted && granted.requestId() == request) {
                return granted(key, granted.grant(), askedNs, deadlineNs);
            }
            if (answer instanceof Message.Refused refused && refused.requestId() == request) {
                metricRegistry.increment(Metric.CLIENT_REMOTE_REFUSED);
                LOG.debug("{} is refused: {}", key, refused.refusal());
                refuse(key.block());
                return null;
            }
            // A late answer, whose waiter gave up: that grant ends with its lease.
        }
    }

    private @Nullable RemoteGrant granted(GrantKey key, Grant grant, long askedNs, long deadlineNs) throws IOException {
        metricRegistry.increment(Metric.CLIENT_REMOTE_GRANTS);
        if (!grant.descriptor().block().equals(key.block())) {
            throw new MalformedMessageException("a grant of another block than asked for");
        }
        RegionKey region = RegionKey.of(
                grant.linkName(),
                grant.descriptor().address(),
                grant.descriptor().lengthBytes(),
                Access.READ);
        long endsNs = askedNs + TimeUnit.MILLISECONDS.toNanos(grant.leaseMs());
        RemoteExtent extent = connection.attach(region, settings, metricRegistry, endsNs, deadlineNs);
        if (!extent.isUsable()) {
            // Its chunks, dfs.bytes-per-checksum, do not fit a buffer.
            extent.close();
            refuse(key.block());
            connection.send(new Message.Release(List.of(grant.grantId())), deadlineNs);
            return null;
        }
        return new RemoteGrant(key, grant.grantId(), grant.descriptor().tier(), connection, extent, endsNs);
    }

    /** Lets go of the grant that a fresh one replaces, and of others when there are too many. */
    private void makeRoomFor(RemoteGrant fresh) throws IOException {
        if (grants.size() >= MAX_GRANTS) {
            makeRoom();
        }
        if (fresh.region() instanceof VerbsFirstExtent region) {
            reports.add(fresh.grantId(), region);
        }
        RemoteGrant before = grants.held(fresh.key());
        if (before != null && forget(before)) {
            before.region().close();
        }
    }

    /** With block tokens each open has a key of its own, so nobody may ask again with that of a grant that is over. */
    void letGoOfOver(long nowNs) {
        for (RemoteGrant other : grants.all()) {
            if (!other.holds(nowNs - OVER_NS)) {
                forget(other);
                other.region().close();
            }
        }
    }

    /** Those that are over go, and as many others as it takes. */
    private void makeRoom() throws IOException {
        long nowNs = System.nanoTime();
        List<Long> released = new ArrayList<>();
        for (RemoteGrant other : grants.all()) {
            if (!other.holds(nowNs) || grants.size() >= MAX_GRANTS) {
                forget(other);
                other.region().close();
                released.add(other.grantId());
            }
        }
        // Only what is read through a grant that is held counts.
        reports.report();
        if (!released.isEmpty()) {
            connection.send(new Message.Release(released), nowNs + settings.timeoutNs());
        }
    }
}
