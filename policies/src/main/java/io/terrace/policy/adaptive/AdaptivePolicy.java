package io.terrace.policy.adaptive;

import io.terrace.policy.api.Access;
import io.terrace.policy.api.Explanation;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.cache.CachePolicy;
import io.terrace.policy.cache.FrequencySketch;
import it.unimi.dsi.fastutil.HashCommon;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The self-tuning cache policy. Every access teaches the {@link ReuseModel}; a {@link RuleTournament} of imagined
 * residencies picks the {@link RankingRule}; the real residency lets an object in when by that rule it is worth more
 * than each one it displaces.
 *
 * <p>Reads of one object by one job within {@value #BURST_MS} ms are one sign of interest.
 *
 * <p>At most {@code tracked} objects have a record; when one more comes, of a few records drawn at random the one
 * unused for longest is given up, and how often it was read goes into a sketch from which it starts when it comes back.
 */
public final class AdaptivePolicy implements CachePolicy {

    private static final String NAME = "adaptive";
    static final int REAL = 1;
    private static final long BURST_MS = 60_000;
    private static final double GAP_MEMORY = 0.25;
    private static final int FORGET_DRAWS = 8;
    private static final int FORGET_TRIES = 64;
    /** Tracked objects for each word of the sketch. */
    private static final int OBJECTS_PER_WORD = 4;

    /** Tracked objects for each one that the sketch is to tell apart: with four words each, few that were never read look read. */
    private static final int OBJECTS_PER_ROOM = 16;

    private static final int MOST_REMEMBERED_READS = 15;
    private static final int JOB_MASK = 0xFFFF;
    private static final double NS_PER_MS = 1e6;

    private final ObjectRecords records;
    private final ReuseModel model;
    private final ObjectRanking ranking;
    private final CacheContents real;
    private final RuleTournament ruleTournament;
    private final JobRuns runs = new JobRuns();
    private final MoveLatencySampler moveLatencySampler = new MoveLatencySampler();
    private final int tracked;
    private final Objective objective;
    /** Reads of objects without a record. */
    private final FrequencySketch forgotten;

    private long latestMs = Long.MIN_VALUE;
    private long seed = 1;

    public AdaptivePolicy(long capacityBytes, Tuning tuning) {
        tracked = tuning.tracked();
        objective = tuning.objective();
        records = new ObjectRecords(tracked);
        forgotten = new FrequencySketch(tracked / OBJECTS_PER_WORD);
        model = new ReuseModel(tuning.readsPerHalving(), tuning.moveCost());
        ranking = new ObjectRanking(records, model, objective);
        real = new CacheContents(REAL, records, ranking, capacityBytes);
        ruleTournament = new RuleTournament(
                records, ranking, capacityBytes, objective, tuning.moveCost(), tuning.margin(), tuning.sampled());
    }

    @Override
    public void access(Access access, Evictions evictions) {
        latestMs = Math.max(latestMs, access.nowMs());
        long id = access.object();
        long hash = HashCommon.murmurHash3(id);
        int slot = records.find(id, hash);
        if (slot == ObjectRecords.NONE) {
            slot = remember(id, hash, access.sizeBytes(), evictions);
        } else if (records.sizeBytes(slot) != access.sizeBytes()) {
            sized(slot, access.sizeBytes(), evictions);
        }
        if (objective == Objective.JOBS && access.inputBytes() > 0) {
            records.input(slot, access.inputBytes());
        } else if (objective == Objective.TIME && access.savedNs() > 0) {
            records.saved(slot, access.savedNs() / access.burst());
        }
        int job = access.job() < 0 ? 0 : 1 + ((int) (HashCommon.murmurHash3(access.job()) & JOB_MASK) % JOB_MASK);
        boolean again = job != 0
                && job == records.job(slot)
                && records.weight(slot) > 0
                && latestMs - records.readMs(slot) < BURST_MS;
        if (again) {
            ruleTournament.readAgain(slot, hash, worth(access, access.burst()), latestMs);
            return;
        }
        int burst = Math.min(access.burst(), ObjectRecords.MOST_READS);
        learn(slot, job, access.job(), burst);
        ruleTournament.read(slot, hash, worth(access, burst), burst, model.delayMs(), latestMs);
        if (!real.has(slot) && real.offer(slot, ruleTournament.leader(), latestMs, evictions)) {
            moveLatencySampler.begin(slot, latestMs, real);
        }
    }

    private String saved(int slot) {
        double ns = savedNs(slot);
        return ns > 0 ? String.format(Locale.ROOT, ", each saves about %.2g ms", ns / NS_PER_MS) : "";
    }

    private double savedNs(int slot) {
        return objective == Objective.TIME && records.savedLog(slot) > 0 ? Log2.inverse(records.savedLog(slot)) : 0;
    }

    private double worth(Access access, int burst) {
        return objective.value(access.bytes(), burst, access.savedNs());
    }

    private void learn(int slot, int job, long jobId, int burst) {
        int reads = records.reads(slot);
        // A forgotten object comes back with its count of reads, but the time of the last read is lost.
        boolean first = records.weight(slot) == 0;
        long ageMs = first ? ReportIntervalEstimator.FIRST_PERIOD_MS : Math.max(0, latestMs - records.readMs(slot));
        ranking.beforeReads(slot, first, burst, latestMs);
        ReportIntervalEstimator reportIntervalEstimator = ranking.reportInterval(slot);
        if (burst > 1 && !first) {
            reportIntervalEstimator.toldTogether(ageMs);
        }
        // Reads reported in one sum were made one after the other since the last report.
        double spanMs = Math.min(ageMs, reportIntervalEstimator.periodMs());
        long withinMs = (long) (spanMs / burst);
        float weight = runs.next(jobId, latestMs);
        double gapLog = 0;
        if (!first) {
            long gapMs = burst == 1 ? ageMs : ageMs - (long) spanMs + withinMs;
            model.end(records.returnClass(slot), gapMs, records.weight(slot));
            gapLog = nearer(records.gapLog(slot), Log2.of(gapMs + 1), reads, 1);
            ranking.heat(slot, ageMs, burst);
        } else {
            records.heats(slot, (float) Log2.of((long) burst), (float) Log2.of((long) reads + burst));
        }
        if (burst > 1) {
            gapLog = nearer(gapLog, Log2.of(1 + spanMs / burst), first ? 0 : reads + 1, burst - 1);
        }
        int known = (first ? 0 : reads) + burst;
        int node = ReuseModel.classOf(known, gapLog, records.sizeBytes(slot));
        if (burst > 1) {
            model.startAndEnd(node, burst - 1, withinMs, weight);
        }
        records.reads(slot, reads + burst);
        records.readMs(slot, latestMs);
        records.gapAndWeight(slot, (float) gapLog, weight);
        records.classAndJob(slot, node, job);
        model.start(node, weight);
    }

    /** The typical gap after further gaps that are alike; {@code before} is how many it was made of. */
    private static double nearer(double gapLog, double furtherLog, int before, int further) {
        double fresh = further == 1 ? GAP_MEMORY : 1 - Math.pow(1 - GAP_MEMORY, further);
        double share = Math.max(fresh, (double) further / Math.max(1, before + further - 1));
        return gapLog + (furtherLog - gapLog) * Math.min(1, share);
    }

    private int remember(long id, long hash, long sizeBytes, Evictions evictions) {
        if (records.count() >= tracked) {
            forgetOne(evictions);
        }
        int slot = records.add(id, hash);
        records.size(slot, sizeBytes);
        records.reads(slot, forgotten.estimate(id));
        ruleTournament.thin(latestMs);
        return slot;
    }

    /** Gives up the record unused for longest among a few drawn; those in the cache only if no other is found. */
    private void forgetOne(Evictions evictions) {
        int oldest = ObjectRecords.NONE;
        int drawn = 0;
        for (int tries = 0; drawn < FORGET_DRAWS && (tries < FORGET_TRIES || oldest == ObjectRecords.NONE); tries++) {
            seed ^= seed << 13;
            seed ^= seed >>> 7;
            seed ^= seed << 17;
            int slot = (int) (((seed >>> 32) * records.high()) >>> 32);
            if (!records.used(slot) || (real.has(slot) && tries < FORGET_TRIES)) {
                continue;
            }
            drawn++;
            if (oldest == ObjectRecords.NONE || records.readMs(slot) < records.readMs(oldest)) {
                oldest = slot;
            }
        }
        long id = records.id(oldest);
        // With the reads that it came back with it would be credited them twice.
        int known = forgotten.estimate(id);
        for (int i = Math.min(MOST_REMEMBERED_READS, records.reads(oldest)); i > known; i--) {
            forgotten.add(id, tracked / OBJECTS_PER_ROOM);
        }
        if (real.has(oldest)) {
            real.leave(oldest);
            evictions.evicted(id, records.sizeBytes(oldest));
        }
        ruleTournament.leave(oldest);
        records.remove(oldest);
    }

    private void sized(int slot, long sizeBytes, Evictions evictions) {
        long more = sizeBytes - records.sizeBytes(slot);
        boolean here = real.has(slot);
        real.grow(slot, more);
        ruleTournament.grow(slot, more);
        records.size(slot, sizeBytes);
        if (here && sizeBytes > real.capacityBytes()) {
            real.leave(slot);
            evictions.evicted(records.id(slot), sizeBytes);
        }
        real.resized(slot, ruleTournament.leader(), latestMs);
        real.shrink(ruleTournament.leader(), latestMs, evictions);
        ruleTournament.resized(slot, latestMs);
    }

    @Override
    public boolean holds(long object) {
        int slot = records.find(object, HashCommon.murmurHash3(object));
        return slot != ObjectRecords.NONE && real.has(slot);
    }

    @Override
    public void adopt(long nowMs, long object, long sizeBytes, Evictions evictions) {
        latestMs = Math.max(latestMs, nowMs);
        long hash = HashCommon.murmurHash3(object);
        int slot = records.find(object, hash);
        if (slot == ObjectRecords.NONE) {
            slot = remember(object, hash, sizeBytes, evictions);
            records.readMs(slot, latestMs);
            records.classAndJob(slot, ReuseModel.classOf(1, 0, sizeBytes), 0);
        } else if (records.sizeBytes(slot) != sizeBytes) {
            sized(slot, sizeBytes, evictions);
        }
        if (!real.has(slot)) {
            real.adopt(slot, latestMs);
            real.shrink(ruleTournament.leader(), latestMs, evictions);
        }
    }

    @Override
    public void resized(long object, long sizeBytes, Evictions evictions) {
        int slot = records.find(object, HashCommon.murmurHash3(object));
        if (slot != ObjectRecords.NONE) {
            sized(slot, sizeBytes, evictions);
        }
    }

    @Override
    public void arrived(long nowMs, long object) {
        int slot = records.find(object, HashCommon.murmurHash3(object));
        long tookMs = slot == ObjectRecords.NONE ? -1 : moveLatencySampler.end(slot, nowMs);
        if (tookMs >= 0) {
            model.moved(tookMs);
        }
    }

    @Override
    public void drop(long object) {
        int slot = records.find(object, HashCommon.murmurHash3(object));
        if (slot != ObjectRecords.NONE) {
            real.leave(slot);
            moveLatencySampler.giveUp(slot);
        }
    }

    @Override
    public void forget(long object) {
        int slot = records.find(object, HashCommon.murmurHash3(object));
        if (slot != ObjectRecords.NONE) {
            real.leave(slot);
            ruleTournament.leave(slot);
            records.remove(slot);
        }
    }

    @Override
    public void resize(long capacityBytes, Evictions evictions) {
        real.capacity(capacityBytes);
        real.shrink(ruleTournament.leader(), latestMs, evictions);
        ruleTournament.capacity(capacityBytes, latestMs);
    }

    @Override
    public long usedBytes() {
        return real.usedBytes();
    }

    @Override
    public long nextToLeave() {
        int slot = real.nextToLeave();
        return slot == ObjectRecords.NONE ? PlacementPolicy.NO_OBJECT : records.id(slot);
    }

    @Override
    public long trackedObjects() {
        return records.count();
    }

    @Override
    public long memoryBytes() {
        return records.memoryBytes()
                + model.memoryBytes()
                + forgotten.memoryBytes()
                + runs.memoryBytes()
                + real.memoryBytes()
                + ruleTournament.memoryBytes();
    }

    private static String against(RankingRule rule, double bar) {
        return rule == RankingRule.RECENT
                ? ", against " + Math.round(-bar / 1000) + " s ago"
                : ", against 2^" + Explanation.tenths(bar);
    }

    @Override
    public @Nullable Explanation explain(long nowMs, long object, int tier) {
        int slot = records.find(object, HashCommon.murmurHash3(object));
        if (slot == ObjectRecords.NONE) {
            return null;
        }
        RankingRule rule = ruleTournament.leader();
        long now = Math.max(latestMs, nowMs);
        long ageMs = Math.max(0, now - records.readMs(slot));
        int competitor = real.candidate(rule, now);
        boolean hasCompetitor = competitor != ObjectRecords.NONE && competitor != slot;
        double worth = ranking.worthNow(rule, slot, now);
        double bar = hasCompetitor ? ranking.worthNow(rule, competitor, now) : Double.NaN;
        boolean here = real.has(slot);
        String because = records.sizeBytes(slot) > real.capacityBytes()
                ? "larger than the tier"
                : here ? "worth its space" : "worth less than what would leave, or than the move";
        String against = hasCompetitor ? against(rule, bar) + " of object " + records.id(competitor) + " here" : "";
        String sentence = "read " + Explanation.times(records.reads(slot)) + ", last " + ageMs / 1000 + " s ago"
                + saved(slot) + ", " + Math.round(100 * model.returnChance(records.returnClass(slot)))
                + " % of its kind are read again; judged by " + rule.evidence()
                + (rule == RankingRule.RECENT ? "" : " its worth is 2^" + Explanation.tenths(worth)) + against + ": "
                + because;
        return new Explanation(
                NAME,
                because,
                object,
                tier,
                worth,
                bar,
                ageMs,
                hasCompetitor ? records.id(competitor) : Explanation.NO_COMPETITOR,
                hasCompetitor ? rule.compare(worth, bar, savedNs(slot)) : null,
                sentence);
    }
}
