package io.terrace.datanode.grant;

import io.terrace.channel.ExtentDescriptor;
import io.terrace.channel.Grant;
import io.terrace.channel.GrantAnswer;
import io.terrace.channel.GrantRequest;
import io.terrace.channel.ReadReport;
import io.terrace.channel.Refusal;
import io.terrace.channel.RefusalReason;
import io.terrace.channel.server.GrantService;
import io.terrace.channel.server.Peer;
import io.terrace.channel.server.Principal;
import io.terrace.common.LogText;
import io.terrace.common.LogThrottle;
import io.terrace.common.StorageTier;
import io.terrace.datanode.extent.CountedReport;
import io.terrace.datanode.extent.Extent;
import io.terrace.datanode.extent.GrantAttempt;
import io.terrace.datanode.extent.GrantRecord;
import io.terrace.datanode.extent.LocalTier;
import io.terrace.datanode.heartbeat.AccessRecorder;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the clients of the grant server: checks the token, takes the grant from the {@link LocalTier} of one medium, makes
 * the link, and accounts what is reported. Thread-safe.
 */
public final class TierGrantService implements GrantService {

    /** Makes the name under which a client may open an extent's file once. */
    public interface ExtentLinks {
        /** @throws NoLinkException when the extent may stay: others are granted it */
        String link(Extent extent) throws IOException;
    }

    /** The extent is whole, but there is no link of it where this client could open it. */
    public static final class NoLinkException extends IOException {
        private static final long serialVersionUID = 1;

        public NoLinkException(String message, Throwable cause) {
            super(message, cause);
        }

        public NoLinkException(String message) {
            super(message);
        }
    }

    /** Also hears of granted reads: stock's own metrics. */
    public interface ReadMeter {
        void granted(Peer peer, long reads, long bytes);
    }

    private static final Logger LOG = LoggerFactory.getLogger(TierGrantService.class);

    /** A client may send any number of bad tokens: all refusals are counted, few are logged. */
    private static final long LOG_NS = TimeUnit.SECONDS.toNanos(1);

    private final LocalTier tier;
    private final StorageTier medium;
    private final ExtentLinks links;
    private final TokenVerifier access;
    private final AccessRecorder accessRecorder;
    private final ReadMeter meter;
    private final MetricRegistry metricRegistry;
    private final LongSupplier nanoClock;
    private final LogThrottle logThrottle = new LogThrottle(LOG_NS);
    private final LogThrottle linkFailures = new LogThrottle(LOG_NS);
    private final Map<Long, Peer> peers = new ConcurrentHashMap<>();

    /** Gives grants on this tier, whose extents are on this medium. */
    public TierGrantService(
            LocalTier tier,
            StorageTier medium,
            ExtentLinks links,
            TokenVerifier access,
            AccessRecorder accessRecorder,
            ReadMeter meter,
            MetricRegistry metricRegistry,
            LongSupplier nanoClock) {
        this.tier = tier;
        this.medium = medium;
        this.links = links;
        this.access = access;
        this.accessRecorder = accessRecorder;
        this.meter = meter;
        this.metricRegistry = metricRegistry;
        this.nanoClock = nanoClock;
    }

    /** To a client of this host, whose user the kernel knows. */
    @Override
    public GrantAnswer grant(Peer peer, GrantRequest request) {
        return grant(peer, request, allowed -> holder(peer, request));
    }

    /** To a client of another host, which may call itself what it likes. */
    GrantAnswer grantElsewhere(Peer peer, GrantRequest request) {
        return grant(peer, request, allowed -> Principal.onAnotherHost(allowed.user()));
    }

    /** For a client of this host. */
    @Override
    public Principal holder(Peer peer, GrantRequest request) {
        return Principal.onThisHost(peer.user());
    }

    /** For a client of another host, by its token alone. */
    Principal holderElsewhere(GrantRequest request) {
        try {
            return Principal.onAnotherHost(
                    access.check(request.block(), request.token()).user());
        } catch (TokenVerifier.Denied e) {
            return Principal.UNPROVEN;
        }
    }

    private GrantAnswer grant(Peer peer, GrantRequest request, Function<TokenVerifier.Allowed, Principal> holder) {
        if (request.write()) {
            return new Refusal(RefusalReason.NO_WRITES, "what is granted is not written");
        }
        long nowNs = nanoClock.getAsLong();
        TokenVerifier.Allowed allowed;
        try {
            allowed = access.check(request.block(), request.token());
        } catch (TokenVerifier.Denied e) {
            String why = LogText.shown(String.valueOf(e.getMessage()));
            Long others = logThrottle.next(nowNs);
            if (others != null) {
                String block = LogText.shown(request.block().toString());
                String user = LogText.shown(peer.user());
                LOG.info("Refused {} to user {}: {} ({} earlier refusals)", block, user, why, others);
            }
            return new Refusal(e.reason(), why);
        }
        // Half the range of a long is long enough; more would overflow.
        long validNs = Math.min(TimeUnit.MILLISECONDS.toNanos(allowed.validMs()), Long.MAX_VALUE / 2);
        peers.put(peer.session(), peer);
        GrantAttempt attempt =
                tier.grants().grant(peer.session(), holder.apply(allowed), request.block(), nowNs + validNs, nowNs);
        GrantRecord held = attempt.grant();
        if (held == null) {
            return refusal(attempt.refused());
        }
        long leaseMs = TimeUnit.NANOSECONDS.toMillis(attempt.leaseNs());
        Extent extent = held.extent();
        if (leaseMs <= 0) {
            tier.grants().released(peer.session(), held.id(), nowNs);
            return new Refusal(RefusalReason.EXPIRED_TOKEN, "the token is about to end");
        }
        try {
            // The file stays as long as the grant is held.
            String link = links.link(extent);
            ExtentDescriptor descriptor = new ExtentDescriptor(
                    extent.key(), medium, extent.address(), extent.lengthBytes(), extent.slot(), extent.sequence());
            GrantAuditLog.granted(peer, allowed.user(), descriptor);
            return new Grant(held.id(), descriptor, link, leaseMs);
        } catch (NoLinkException e) {
            metricRegistry.increment(Metric.NVM_LOCAL_NOT_LINKED);
            Long others = logThrottle.next(nowNs);
            if (others != null) {
                LOG.warn(
                        "Cannot grant {} to {} ({} earlier failures). Its clients read it through stock HDFS",
                        extent,
                        LogText.shown(peer.user()),
                        others,
                        e);
            }
            tier.grants().released(peer.session(), held.id(), nowNs);
            return new Refusal(RefusalReason.FAILED, "cannot link the extent for clients of this host");
        } catch (IOException e) {
            Long others = linkFailures.next(nowNs);
            if (others != null) {
                LOG.warn(
                        "Cannot link {} for a client ({} earlier failures). It is dropped, and clients read the replica",
                        extent,
                        others,
                        e);
            }
            tier.changed(extent.key().pool(), extent.key().blockId(), nowNs);
            tier.grants().released(peer.session(), held.id(), nowNs);
            return new Refusal(RefusalReason.FAILED, "cannot link the extent");
        } catch (RuntimeException | Error e) {
            tier.grants().released(peer.session(), held.id(), nowNs);
            throw e;
        }
    }

    private static Refusal refusal(GrantAttempt.@Nullable Refused refused) {
        if (refused == null) {
            throw new IllegalStateException("neither a grant nor a refusal");
        }
        return switch (refused) {
            case NOT_RESIDENT -> new Refusal(RefusalReason.NOT_RESIDENT, "not in memory on this DataNode");
            case STALE_STAMP -> new Refusal(RefusalReason.STALE_STAMP, "in memory with another generation stamp");
            case NO_SLOT -> new Refusal(RefusalReason.BUSY, "no slot left for it");
            case TOO_MANY_GRANTS -> new Refusal(RefusalReason.BUSY, "too many grants are held");
            case TOKEN_OVER -> new Refusal(RefusalReason.EXPIRED_TOKEN, "the token is over");
            case OFF -> new Refusal(RefusalReason.OFF, "Terrace is off");
        };
    }

    @Override
    public long renew(Peer peer, long grantId) {
        return TimeUnit.NANOSECONDS.toMillis(tier.grants().renew(peer.session(), grantId, nanoClock.getAsLong()));
    }

    @Override
    public void released(Peer peer, long grantId) {
        tier.grants().released(peer.session(), grantId, nanoClock.getAsLong());
    }

    @Override
    public void reported(Peer peer, List<ReadReport> reports) {
        long nowNs = nanoClock.getAsLong();
        long reads = 0;
        long bytes = 0;
        for (ReadReport report : reports) {
            CountedReport counted =
                    tier.grants().reported(peer.session(), report.grantId(), report.reads(), report.bytes(), nowNs);
            if (counted == null
                    || counted.accepted().reads() < report.reads()
                    || counted.accepted().bytes() < report.bytes()) {
                metricRegistry.increment(Metric.READS_GRANTED_REJECTED);
            }
            if (counted != null && counted.accepted().isAny()) {
                accessRecorder.granted(
                        medium,
                        counted.extent().key().pool(),
                        counted.extent().key().blockId(),
                        counted.accepted().reads(),
                        counted.accepted().bytes(),
                        peer.address());
                reads += counted.accepted().reads();
                bytes += counted.accepted().bytes();
            }
        }
        if (reads > 0 || bytes > 0) {
            meter.granted(peer, reads, bytes);
        }
    }

    @Override
    public void disconnected(Peer peer, boolean orderly) {
        long unreportedBytes = tier.grants().disconnected(peer.session(), nanoClock.getAsLong());
        peers.remove(peer.session());
        if (!orderly) {
            metricRegistry.add(Metric.READS_GRANTED_UNREPORTED_BYTES, unreportedBytes);
        }
    }

    /** The peer of a session that asked for a grant and is not gone. */
    public @Nullable Peer peer(long session) {
        return peers.get(session);
    }
}
