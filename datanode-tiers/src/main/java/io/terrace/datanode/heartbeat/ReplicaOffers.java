package io.terrace.datanode.heartbeat;

import io.terrace.common.Agent;
import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.protocol.HeartbeatLimits;
import io.terrace.protocol.ProtoConverter;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.OfferProto;
import io.terrace.protocol.proto.DataNodeProtos.OffersWantedProto;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Replicas that the DataNode offers to a placement service: the oldest ones of the tiers that it asks about, so that it learns
 * of those that nobody reads. A thread of its own walks over the replicas, one directory at a time, as long as the service asks.
 *
 * <p>A walk finds the oldest {@value #MOST_KEPT}; they are told before the next one begins, which finds the next oldest. After
 * the youngest it begins with the oldest again. After each look the walk rests for {@value #REST} times as long as that took, as
 * disks are slow and others read them. What the service did not look at is told again.
 */
public final class ReplicaOffers implements Agent {

    static final int MOST_KEPT = 16_384;

    /** So a walk takes a tenth of the time of one disk. */
    static final int REST = 9;

    /** A service that asks does so with each heartbeat; while it has enough to do it does not, and the walk waits. */
    static final long ASKED_NS = TimeUnit.SECONDS.toNanos(60);

    /** After so long without a question, a walk begins with the oldest again. */
    static final long FORGOTTEN_NS = TimeUnit.HOURS.toNanos(1);

    static final long LEAST_PAUSE_NS = TimeUnit.SECONDS.toNanos(5);
    static final long MOST_PAUSE_NS = TimeUnit.MINUTES.toNanos(10);

    /**
     * A replica that is on a tier.
     *
     * @param writtenMs when its file was written, on the wall clock
     */
    public record Offer(BlockVersion block, StorageTier tier, long writtenMs) {}

    /** A walk over the replicas of a block pool. */
    public interface Walk {
        /**
         * Looks at some replicas.
         *
         * @return false at the end
         */
        boolean next(Consumer<Offer> each);
    }

    /** The replicas of the DataNode. */
    public interface Replicas {
        /** A walk over those on volumes of these tiers. */
        Walk walk(String pool, Set<StorageTier> tiers);
    }

    private static final Comparator<Offer> OLDEST_FIRST = Comparator.comparingLong(Offer::writtenMs)
            .thenComparingLong(offer -> offer.block().key().blockId());

    private final Replicas replicas;
    private final MetricRegistry metricRegistry;
    private final LongSupplier wallClockMs;
    private final LongSupplier nanoClock;
    private final Map<String, OfPool> pools = new ConcurrentHashMap<>();

    /**
     * Without a thread; somebody calls {@link #doWork}.
     *
     * @param wallClockMs milliseconds since 1970
     * @param nanoClock the clock of {@link #doWork}
     */
    public ReplicaOffers(
            Replicas replicas, MetricRegistry metricRegistry, LongSupplier wallClockMs, LongSupplier nanoClock) {
        this.replicas = replicas;
        this.metricRegistry = metricRegistry;
        this.wallClockMs = wallClockMs;
        this.nanoClock = nanoClock;
    }

    /**
     * The service of a block pool asks.
     *
     * @param leastAgeMs of the replicas that it wants to know, by tier
     */
    void ask(long nowNs, String pool, Map<StorageTier, Long> leastAgeMs) {
        pools.computeIfAbsent(pool, OfPool::new).ask(nowNs, leastAgeMs);
    }

    /**
     * Takes what a service answered.
     *
     * @return whether it asks for offers
     */
    boolean ask(long nowNs, String pool, List<OffersWantedProto> wanted) {
        if (!wanted.isEmpty()) {
            Map<StorageTier, Long> leastAgeMs = new EnumMap<>(StorageTier.class);
            wanted.forEach(
                    each -> leastAgeMs.put(ProtoConverter.tier(each.getTier()), Math.max(0, each.getLeastAgeMs())));
            ask(nowNs, pool, leastAgeMs);
        }
        return !wanted.isEmpty();
    }

    /**
     * Adds the next ones to a heartbeat, as many as it may carry.
     *
     * @return those that were added
     */
    List<Offer> addTo(HeartbeatRequestProto.Builder request, String pool) {
        List<Offer> told = take(pool, HeartbeatLimits.OFFERS);
        for (Offer offer : told) {
            request.addOffers(OfferProto.newBuilder()
                    .setBlock(ProtoConverter.block(offer.block()))
                    .setTier(ProtoConverter.tier(offer.tier()))
                    .setAgeMs(Math.max(0, wallClockMs.getAsLong() - offer.writtenMs())));
        }
        return told;
    }

    /** Of those that were told, the service looked at so many, the first ones; the others are the next ones. */
    void looked(String pool, List<Offer> told, int first) {
        metricRegistry.add(Metric.VOLUME_OFFERED, first);
        OfPool ofPool = pools.get(pool);
        if (ofPool != null) {
            ofPool.putBack(told.subList(first, told.size()));
        }
    }

    /** Takes the next ones, the oldest first, at most so many. */
    List<Offer> take(String pool, int most) {
        OfPool ofPool = pools.get(pool);
        return ofPool == null ? List.of() : ofPool.take(most);
    }

    /** Goes on with each walk. */
    @Override
    public int doWork(long nowNs) {
        pools.values().forEach(pool -> pool.step(nowNs));
        return 0;
    }

    /** The walks of one pool; the walk itself is the thread's alone. */
    private final class OfPool {
        private final String pool;
        private final Deque<Offer> queue = new ArrayDeque<>();
        private final PriorityQueue<Offer> oldest = new PriorityQueue<>(OLDEST_FIRST.reversed());
        private Map<StorageTier, Long> asked = Map.of();
        private long askedNs;
        private @Nullable Walk walk;
        private @Nullable Offer told;
        private boolean pauses;
        private long walkBeganNs;
        private long nextWalkNs;
        private long restsUntilNs = Long.MIN_VALUE;

        private OfPool(String pool) {
            this.pool = pool;
        }

        synchronized void ask(long nowNs, Map<StorageTier, Long> leastAgeMs) {
            asked = Map.copyOf(leastAgeMs);
            askedNs = nowNs;
        }

        synchronized List<Offer> take(int most) {
            List<Offer> taken = new ArrayList<>();
            while (taken.size() < most && !queue.isEmpty()) {
                taken.add(queue.remove());
            }
            return taken;
        }

        synchronized void putBack(List<Offer> offers) {
            for (int i = offers.size() - 1; i >= 0; i--) {
                queue.addFirst(offers.get(i));
            }
        }

        private synchronized Map<StorageTier, Long> asked(long nowNs) {
            return nowNs - askedNs < ASKED_NS ? asked : Map.of();
        }

        private synchronized boolean isForgotten(long nowNs) {
            return nowNs - askedNs >= FORGOTTEN_NS;
        }

        private synchronized boolean isTold() {
            return queue.isEmpty();
        }

        private synchronized void tell(List<Offer> offers) {
            queue.addAll(offers);
        }

        private synchronized void forget() {
            queue.clear();
        }

        void step(long nowNs) {
            Map<StorageTier, Long> wanted = asked(nowNs);
            if (wanted.isEmpty()) {
                if (isForgotten(nowNs)) {
                    walk = null;
                    told = null;
                    oldest.clear();
                    forget();
                }
            } else if (walk != null) {
                if (restsUntilNs == Long.MIN_VALUE || nowNs - restsUntilNs >= 0) {
                    look(walk, wanted);
                }
            } else if (isTold() && (!pauses || nowNs - nextWalkNs >= 0)) {
                walkBeganNs = nowNs;
                walk = replicas.walk(pool, wanted.keySet());
            }
        }

        private void look(Walk current, Map<StorageTier, Long> wanted) {
            long beganNs = nanoClock.getAsLong();
            boolean goesOn = current.next(offer -> see(offer, wanted));
            long endedNs = nanoClock.getAsLong();
            restsUntilNs = endedNs + REST * (endedNs - beganNs);
            if (!goesOn) {
                end(endedNs, wanted);
            }
        }

        private void see(Offer offer, Map<StorageTier, Long> wanted) {
            @Nullable Long leastAgeMs = wanted.get(offer.tier());
            if (leastAgeMs == null
                    || wallClockMs.getAsLong() - offer.writtenMs() < leastAgeMs
                    || (told != null && OLDEST_FIRST.compare(offer, told) <= 0)) {
                return;
            }
            oldest.add(offer);
            if (oldest.size() > MOST_KEPT) {
                oldest.remove();
            }
        }

        /** The next walk goes on with younger ones, or begins anew after a pause; half of the time nothing is walked over. */
        private void end(long nowNs, Map<StorageTier, Long> wanted) {
            walk = null;
            told = oldest.size() < MOST_KEPT ? null : oldest.peek();
            List<Offer> offers = new ArrayList<>(oldest);
            offers.sort(OLDEST_FIRST);
            oldest.clear();
            tell(offers);
            long leastAgeMs =
                    wanted.values().stream().mapToLong(Long::longValue).min().orElse(0);
            long pauseNs = TimeUnit.MILLISECONDS.toNanos(leastAgeMs / 4);
            pauses = true;
            long leastNs = Math.max(LEAST_PAUSE_NS, nowNs - walkBeganNs);
            nextWalkNs = nowNs + (told != null ? leastNs : Math.max(leastNs, Math.min(pauseNs, MOST_PAUSE_NS)));
        }
    }
}
