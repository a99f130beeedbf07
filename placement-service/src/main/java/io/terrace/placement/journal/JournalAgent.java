package io.terrace.placement.journal;

import io.terrace.common.Agent;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.journal.JournalException.Next;
import io.terrace.placement.journal.JournalExchange.Found;
import io.terrace.placement.journal.JournalStore.HeatCursor;
import io.terrace.placement.journal.JournalStore.Opener;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The journal's side of the {@link JournalExchange}: opens the store, writes what comes, finds what is asked for, and keeps to
 * the bytes allowed by forgetting the blocks read longest ago. A turn does a bounded part of that; while it goes through all
 * heat it goes on writing.
 *
 * <p>A store that fails is closed. What is damaged is begun anew, at once but not twice within
 * that time; all else is tried again after {@value #RETRY_S} s,
 * and meanwhile nothing is kept. The first failure in a row leaves a line in the log. Owned by one thread.
 */
final class JournalAgent implements Agent {

    static final int RETRY_S = 60;
    private static final int ENTRIES_PER_TURN = 4_096;
    private static final int QUESTIONS_PER_TURN = 1_024;
    private static final int BLOCKS_PER_STEP = 8_192;
    private static final long CHECK_NS = TimeUnit.SECONDS.toNanos(60);

    private static final Logger LOG = LoggerFactory.getLogger(JournalAgent.class);

    private final JournalExchange exchange;
    private final Opener opener;
    private final MetricRegistry metricRegistry;
    private final int mostLoaded;
    private final long halfLifeMs;
    private final long mostBytes;
    private final List<JournalEntry> entries = new ArrayList<>();
    private volatile @Nullable JournalStore store;
    private volatile @Nullable String problem;
    private volatile long bytes;
    private boolean givenUp;
    private boolean logged;
    private boolean due = true;
    private boolean anewWanted;
    private long anewNs = -TimeUnit.SECONDS.toNanos(RETRY_S);
    private long tryNs;
    private long checkNs;
    private long[] toLoad = {};
    private int loaded;
    /** A load was asked for and is not done. */
    private boolean loading;

    /**
     * @param mostLoaded blocks whose heat is loaded at once
     * @param mostBytes of the store
     */
    JournalAgent(
            JournalExchange exchange,
            Opener opener,
            int mostLoaded,
            long halfLifeMs,
            long mostBytes,
            MetricRegistry metricRegistry) {
        this.exchange = exchange;
        this.opener = opener;
        this.mostLoaded = mostLoaded;
        this.halfLifeMs = halfLifeMs;
        this.mostBytes = mostBytes;
        this.metricRegistry = metricRegistry;
        // From now on, so that what comes before the store is open is kept.
        exchange.open(true);
    }

    /** Why nothing is kept, with the remedy; null while it is. Any thread. */
    @Nullable
    String problem() {
        return problem;
    }

    /** Of the store, as of the last minute. Any thread. */
    long bytes() {
        return bytes;
    }

    /** The store; null while there is none. Any thread may read moves in it. */
    @Nullable
    JournalStore store() {
        return store;
    }

    @Override
    public int doWork(long nowNs) {
        if (givenUp || !due && store == null && nowNs - tryNs < TimeUnit.SECONDS.toNanos(RETRY_S)) {
            return 0;
        }
        due = false;
        try {
            JournalStore open = store == null ? open(nowNs) : store;
            // Questions first: what was asked before a record came is about the one before.
            int work = answer(open);
            work += write(open) + load(open);
            if (nowNs - checkNs >= CHECK_NS) {
                checkNs = nowNs;
                check(open);
            }
            return work;
        } catch (JournalException e) {
            failed(nowNs, e);
        } catch (RuntimeException | LinkageError e) {
            failed(
                    nowNs,
                    new JournalException(
                            e instanceof LinkageError ? Next.GIVE_UP : Next.RETRY,
                            e instanceof LinkageError
                                    ? "RocksDB cannot be used (" + e
                                            + "): put the jars of lib/journal of one release of Terrace on"
                                            + " the NameNode's class path and no other RocksDB"
                                    : "the journal failed (" + e + "): report this with the NameNode's log",
                            e));
        }
        return 1;
    }

    private JournalStore open(long nowNs) throws JournalException {
        tryNs = nowNs;
        JournalStore opened;
        try {
            opened = anewWanted ? anew(nowNs, problem) : opener.open(false);
        } catch (JournalException e) {
            if (e.next() != Next.BEGIN_ANEW || anewWanted) {
                throw e;
            }
            opened = anew(nowNs, e.getMessage());
        }
        anewWanted = false;
        store = opened;
        problem = null;
        logged = false;
        checkNs = nowNs;
        bytes = opened.bytes();
        exchange.open(true);
        LOG.info("The journal is open, {} bytes", bytes);
        return opened;
    }

    private JournalStore anew(long nowNs, @Nullable String why) throws JournalException {
        anewNs = nowNs;
        metricRegistry.increment(Metric.PLACEMENT_JOURNAL_BEGUN_ANEW);
        LOG.warn("{}. It is begun anew; heat and the history of moves are lost", why);
        return opener.open(true);
    }

    private void failed(long nowNs, JournalException e) {
        metricRegistry.increment(Metric.PLACEMENT_JOURNAL_FAILURES);
        exchange.open(false);
        JournalStore broken = store;
        store = null;
        if (loading) {
            exchange.wantLoad();
        }
        loading = false;
        toLoad = new long[0];
        loaded = 0;
        if (broken != null) {
            broken.close();
        }
        tryNs = nowNs;
        problem = e.getMessage();
        givenUp = e.next() == Next.GIVE_UP;
        // What was read is damaged, though the store could be opened.
        anewWanted = e.next() == Next.BEGIN_ANEW && broken != null;
        due = anewWanted && nowNs - anewNs >= TimeUnit.SECONDS.toNanos(RETRY_S);
        if (!logged) {
            logged = true;
            LOG.warn("Terrace keeps no journal{}: {}", givenUp ? "" : " for now", e.getMessage(), e.getCause());
        }
        exchange.take(new ArrayList<>(), Integer.MAX_VALUE);
    }

    private int write(JournalStore open) throws JournalException {
        entries.clear();
        int taken = exchange.take(entries, ENTRIES_PER_TURN);
        if (taken > 0) {
            open.write(entries);
            for (JournalEntry entry : entries) {
                if (entry instanceof MoveRecord) {
                    metricRegistry.increment(Metric.PLACEMENT_JOURNAL_MOVES_WRITTEN);
                } else if (entry instanceof HeatRecord) {
                    metricRegistry.increment(Metric.PLACEMENT_JOURNAL_HEAT_WRITTEN);
                }
            }
        }
        return taken;
    }

    private int answer(JournalStore open) throws JournalException {
        int answered = 0;
        while (answered < QUESTIONS_PER_TURN && exchange.hasRoomForFound()) {
            Long blockId = exchange.takeQuestion();
            if (blockId == null) {
                break;
            }
            answered++;
            HeatRecord heat = open.heat(blockId);
            if (heat != null && exchange.found(new Found(heat, true))) {
                metricRegistry.increment(Metric.PLACEMENT_JOURNAL_HEAT_RECALLED);
            }
        }
        return answered;
    }

    private int load(JournalStore open) throws JournalException {
        if (exchange.takeLoad()) {
            loading = true;
            // Before all heat is gone through, which takes longer.
            exchange.notes(open.notes());
            toLoad = hottest(open);
            loaded = 0;
        }
        int before = loaded;
        while (loaded < toLoad.length && loaded - before < QUESTIONS_PER_TURN && exchange.hasRoomForFound()) {
            HeatRecord heat = open.heat(toLoad[loaded++]);
            if (heat != null && exchange.found(new Found(heat, false))) {
                metricRegistry.increment(Metric.PLACEMENT_JOURNAL_HEAT_LOADED);
            }
        }
        if (loaded == toLoad.length) {
            loading = false;
            toLoad = new long[0];
            loaded = 0;
        }
        return loaded - Math.min(before, loaded);
    }

    private long[] hottest(JournalStore open) throws JournalException {
        HottestHeat hottest = new HottestHeat(mostLoaded, halfLifeMs);
        try (HeatCursor all = open.cursor()) {
            for (int i = 1; all.next(); i++) {
                hottest.add(all.blockId(), all.heat(), all.lastMs());
                goOn(open, i);
            }
        }
        return hottest.takeHottestFirst();
    }

    /** Writes what has come meanwhile, now and then. */
    private void goOn(JournalStore open, int blocks) throws JournalException {
        if (blocks % BLOCKS_PER_STEP == 0) {
            write(open);
        }
    }

    private void check(JournalStore open) throws JournalException {
        open.checkRoom();
        bytes = open.bytes();
        // Moves have an eighth, whose oldest go by themselves.
        if (bytes > mostBytes - mostBytes / 8) {
            forgetQuarter(open);
            bytes = open.bytes();
        }
    }

    /** Forgets about a quarter of the heat, of the blocks read longest ago. */
    private void forgetQuarter(JournalStore open) throws JournalException {
        long[] sample = new long[BLOCKS_PER_STEP];
        int sampled = 0;
        int every = 1;
        try (HeatCursor all = open.cursor()) {
            for (int i = 1; all.next(); i++) {
                if (i % every == 0) {
                    if (sampled == sample.length) {
                        // Half of them stand for all, so that in the end the sample covers everything evenly.
                        sampled = halve(sample);
                        every *= 2;
                    }
                    sample[sampled++] = all.lastMs();
                }
                goOn(open, i);
            }
        }
        if (sampled == 0) {
            return;
        }
        Arrays.sort(sample, 0, sampled);
        long oldMs = sample[sampled / 4];
        long[] old = new long[BLOCKS_PER_STEP];
        int count = 0;
        try (HeatCursor all = open.cursor()) {
            for (int i = 1; all.next(); i++) {
                if (all.lastMs() <= oldMs) {
                    old[count++] = all.blockId();
                    if (count == old.length) {
                        forget(open, old, count);
                        count = 0;
                    }
                }
                goOn(open, i);
            }
        }
        forget(open, old, count);
        open.compact();
    }

    private static int halve(long[] sample) {
        for (int i = 0; i < sample.length / 2; i++) {
            sample[i] = sample[2 * i + 1];
        }
        return sample.length / 2;
    }

    private void forget(JournalStore open, long[] ids, int count) throws JournalException {
        if (count > 0) {
            open.forget(ids, count);
            metricRegistry.add(Metric.PLACEMENT_JOURNAL_HEAT_FORGOTTEN, count);
        }
    }

    /** Writes what is left. */
    @Override
    public void onClose() throws JournalException {
        JournalStore open = store;
        store = null;
        exchange.open(false);
        if (open != null) {
            try {
                while (write(open) > 0) {
                    continue;
                }
            } finally {
                open.close();
            }
        }
    }
}
