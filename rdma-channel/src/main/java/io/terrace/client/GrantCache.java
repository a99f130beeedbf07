package io.terrace.client;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The grants that readers of this process share, and what was refused lately. Of the threads that want the same grant at
 * the same time one asks for it, and the others wait for its answer.
 *
 * <p>Whoever asks bounds the grants; refusals are bounded here. Thread-safe; a look-up takes no lock and allocates nothing.
 *
 * @param <G> the grants
 * @param <R> what a refusal holds for: one {@link GrantKey}, or a block whoever reads it
 */
public final class GrantCache<G extends CachedGrant, R> {
    private final Map<GrantKey, G> grants = new ConcurrentHashMap<>();
    private final Map<GrantKey, PendingGrant<G>> asks = new ConcurrentHashMap<>();
    private final Map<R, Long> refusedUntilNs = new ConcurrentHashMap<>();
    private final long refusedPauseNs;
    private final int refusedMax;
    private final Consumer<GrantKey> notGranted;

    /**
     * Asks a DataNode. The answer may be told to the pending grant after this returns.
     *
     * @param <E> thrown when nothing can be asked, which says nothing about the grant: others that wait for it ask too
     */
    public interface Asker<G extends CachedGrant, E extends Exception> {
        void ask(PendingGrant<G> pending) throws E;
    }

    /**
     * @param refusedPauseNs for so long nobody asks again for what was refused
     * @param refusedMax refusals remembered; when full all are forgotten, which costs an ask each
     * @param notGranted told when an ask has ended without a grant, before those who wait for it learn so
     */
    public GrantCache(long refusedPauseNs, int refusedMax, Consumer<GrantKey> notGranted) {
        this.refusedPauseNs = refusedPauseNs;
        this.refusedMax = refusedMax;
        this.notGranted = notGranted;
    }

    /** The grant that is held and may be used; null when there is none. */
    public @Nullable G usable(GrantKey key) {
        G held = grants.get(key);
        return held != null && held.isUsable() ? held : null;
    }

    /**
     * Asks for a grant, or waits for the answer to who asks for the same. What is granted is held from then on, whoever
     * still waits for it.
     *
     * @param timeoutNs how long to wait for the answer
     */
    public <E extends Exception> PendingGrant.Outcome<G> obtain(GrantKey key, Asker<G, E> asker, long timeoutNs)
            throws E {
        while (true) {
            PendingGrant<G> mine = pending(key);
            PendingGrant<G> first = asks.putIfAbsent(key, mine);
            if (first == null) {
                ask(mine, asker);
            }
            PendingGrant.Outcome<G> outcome = (first == null ? mine : first).await(timeoutNs);
            if (outcome != null) {
                return outcome;
            }
        }
    }

    private <E extends Exception> void ask(PendingGrant<G> mine, Asker<G, E> asker) throws E {
        G meanwhile = usable(mine.key());
        if (meanwhile != null) {
            mine.succeed(meanwhile);
            return;
        }
        boolean asked = false;
        try {
            asker.ask(mine);
            asked = true;
        } finally {
            if (!asked) {
                mine.abandon();
            }
        }
    }

    private PendingGrant<G> pending(GrantKey key) {
        return new PendingGrant<>(key, System.nanoTime(), outcome -> {
            if (outcome != null) {
                G granted = outcome.grant();
                if (granted == null) {
                    notGranted.accept(key);
                } else {
                    hold(granted);
                }
            }
            asks.remove(key);
        });
    }

    /** Holds a grant in place of the one before it. */
    public void hold(G grant) {
        grants.put(grant.key(), grant);
        if (!grant.isUsable()) {
            // It may have ended before it was added; then nobody would remove it.
            forget(grant);
        }
    }

    /** The grant is not given to new readers; returns whether it was held. */
    public boolean forget(G grant) {
        return grants.remove(grant.key(), grant);
    }

    /** The grant that is held, used or not. */
    public @Nullable G held(GrantKey key) {
        return grants.get(key);
    }

    /** All that are held; may be forgotten while one goes through them. */
    public Collection<G> all() {
        return grants.values();
    }

    public int size() {
        return grants.size();
    }

    /** Nobody should ask again for a while. */
    public void refuse(R what) {
        if (refusedUntilNs.size() >= refusedMax) {
            refusedUntilNs.clear();
        }
        refusedUntilNs.put(what, System.nanoTime() + refusedPauseNs);
    }

    public boolean isRefused(R what, long nowNs) {
        Long untilNs = refusedUntilNs.isEmpty() ? null : refusedUntilNs.get(what);
        if (untilNs == null || nowNs - untilNs < 0) {
            return untilNs != null;
        }
        refusedUntilNs.remove(what, untilNs);
        return false;
    }
}
