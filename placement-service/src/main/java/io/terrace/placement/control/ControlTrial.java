package io.terrace.placement.control;

import io.terrace.common.ControlSample;
import io.terrace.common.ControlSample.Arm;
import io.terrace.common.Quantity;
import io.terrace.common.StorageTier;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.control.Estimate.Sums;
import io.terrace.placement.heartbeat.Heartbeat.ReadTime;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The comparison of blocks that climb with the control sample, which does not, and what follows from it.
 *
 * <p>Two shares of all blocks take part, by a hash. Whoever is about to order a climb that heat asked for asks first ({@link
 * #mayClimb}): a block of the control sample stays, and its reads count from then on; one of the other share climbs, and its reads
 * count as of when it is there. So both were chosen by the same heat. A block that goes down again goes on counting as climbed:
 * what comes and goes is part of what a tier is worth.
 *
 * <p>If reads of those that climbed are slower, by the whole interval, nothing climbs into the tier for a time; then the
 * comparison begins anew. It is looked at as often as the evidence has doubled, since an interval that is looked at all the time
 * misses its 95 %. What was read counts half after each half hour. Owned by the engine's thread; outlives epochs.
 */
public final class ControlTrial {

    /** Why a climb that waited is not made. */
    public static final String SLOWER = "reads from the tier were slower than of the control sample";

    /** When a comparison that grows slowly is looked at. */
    static final long LOOK_MS = 600_000;

    static final long HALVED_MS = 1_800_000;

    private static final long TURN_MS = 1_000;

    private final ControlSettings settings;
    private final MetricRegistry metricRegistry;
    private final ComparedBlocks controls = new ComparedBlocks();
    private final ComparedBlocks treated = new ComparedBlocks();
    private final Map<StorageTier, AllReads> allReads = new EnumMap<>(StorageTier.class);
    private final ReadCosts readCosts = new ReadCosts();
    private final Map<StorageTier, Look> looks = new EnumMap<>(StorageTier.class);
    private long turnedMs = Long.MIN_VALUE;
    private long halvedMs = Long.MIN_VALUE;

    /** How long reads of one tier took; each entry of a heartbeat is a cluster. */
    private static final class AllReads {
        private long reads;
        private long bytes;
        private final Sums readNs = new Sums();
        private final Sums byteNs = new Sums();
    }

    /** When a tier is looked at next, until when it is left, and by what it was found slower. */
    private static final class Look {
        private @Nullable Benefit why;
        private double nextReads = Benefit.LEAST_READS;
        private long lastMs = Long.MIN_VALUE;
        private long leftUntilMs = Long.MIN_VALUE;
    }

    public ControlTrial(ControlSettings settings, MetricRegistry metricRegistry) {
        this.settings = settings;
        this.metricRegistry = metricRegistry;
    }

    /** The blocks in it. */
    public ControlSample sample() {
        return settings.sample();
    }

    /** Whether nothing climbs by heat into the tier now. */
    public boolean isLeft(long nowMs, StorageTier tier) {
        return leftForMs(nowMs, tier) > 0;
    }

    /** For which nothing climbs by heat into the tier; 0 if it may. */
    public long leftForMs(long nowMs, StorageTier tier) {
        Look look = looks.get(tier);
        return look == null || look.leftUntilMs == Long.MIN_VALUE ? 0 : Math.max(0, look.leftUntilMs - nowMs);
    }

    /** Tiers that are left now. */
    public List<StorageTier> left(long nowMs) {
        return looks.keySet().stream().filter(tier -> isLeft(nowMs, tier)).toList();
    }

    /** Whether a block never climbs by heat. */
    public boolean holds(long blockId) {
        return sample().arm(blockId) == Arm.CONTROL;
    }

    /**
     * Heat asks a tier for a block, and nothing else stands against it.
     *
     * @return false if it stays, as it is in the control sample
     */
    public boolean mayClimb(StorageTier tier, long blockId) {
        switch (sample().arm(blockId)) {
            case CONTROL -> {
                controls.asked(tier, blockId, true);
                metricRegistry.increment(Metric.PLACEMENT_CONTROL_HELD);
                return false;
            }
            case TREATED -> treated.asked(tier, blockId, false);
            case NEITHER -> {}
        }
        return true;
    }

    /** A block has come into a tier. */
    public void climbed(StorageTier tier, long blockId) {
        if (sample().arm(blockId) == Arm.TREATED) {
            treated.climbed(tier, blockId);
        }
    }

    /**
     * A block was read.
     *
     * @param timedReads those that took so long
     */
    public void read(long blockId, long reads, long timedReads, long timedNs) {
        switch (sample().arm(blockId)) {
            case CONTROL -> controls.read(blockId, reads, timedReads, timedNs);
            case TREATED -> treated.read(blockId, reads, timedReads, timedNs);
            case NEITHER -> {}
        }
    }

    /** A DataNode tells how long reads took. */
    public void read(List<ReadTime> times) {
        for (ReadTime time : times) {
            if (time.reads() > 0) {
                readCosts.add(time);
                AllReads all = allReads.computeIfAbsent(time.tier(), tier -> new AllReads());
                all.reads += time.reads();
                all.bytes += time.bytes();
                all.readNs.add(time.reads(), time.ns());
                if (time.bytes() > 0) {
                    all.byteNs.add(time.bytes(), time.ns());
                }
            }
        }
    }

    /** Looks at the tiers whose evidence has grown. */
    public void turn(long nowMs) {
        if (turnedMs != Long.MIN_VALUE && nowMs - turnedMs < TURN_MS) {
            return;
        }
        turnedMs = nowMs;
        halve(nowMs);
        for (StorageTier tier : StorageTier.values()) {
            double reads = Math.min(controls.timedReads(tier), treated.timedReads(tier));
            if (reads >= Benefit.LEAST_READS) {
                Look look = looks.computeIfAbsent(tier, first -> new Look());
                if (look.leftUntilMs != Long.MIN_VALUE && nowMs >= look.leftUntilMs) {
                    look.leftUntilMs = Long.MIN_VALUE;
                }
                if (reads >= look.nextReads || nowMs - look.lastMs >= LOOK_MS) {
                    look.lastMs = nowMs;
                    look.nextReads = 2 * reads;
                    judge(nowMs, tier, look);
                }
            }
        }
    }

    private void judge(long nowMs, StorageTier tier, Look look) {
        Benefit benefit = Benefit.of(tier, controls, treated);
        if (benefit.verdict() == Benefit.Verdict.SLOWER) {
            look.why = benefit;
            controls.forget(tier);
            treated.forget(tier);
            look.nextReads = Benefit.LEAST_READS;
            look.leftUntilMs = nowMs + settings.pauseMs();
            metricRegistry.increment(Metric.PLACEMENT_TIERS_LEFT_TIMES);
        }
    }

    private void halve(long nowMs) {
        if (halvedMs == Long.MIN_VALUE) {
            halvedMs = nowMs;
        } else if (nowMs - halvedMs >= HALVED_MS) {
            halvedMs = nowMs;
            controls.halve();
            treated.halve();
            readCosts.halve();
            for (AllReads all : allReads.values()) {
                all.reads /= 2;
                all.bytes /= 2;
                all.readNs.halve();
                all.byteNs.halve();
            }
            looks.values().forEach(look -> look.nextReads = Math.max(Benefit.LEAST_READS, look.nextReads / 2));
        }
    }

    private Benefit benefit(long nowMs, StorageTier tier) {
        Look look = looks.get(tier);
        long leftForMs = leftForMs(nowMs, tier);
        Benefit why = look == null || leftForMs == 0 ? null : look.why;
        return why == null ? Benefit.of(tier, controls, treated) : why.left(leftForMs);
    }

    /** What each tier is worth that a block of the sample or of the other share was asked for, or that is left; fastest first. */
    public List<Benefit> benefits(long nowMs) {
        List<Benefit> benefits = new ArrayList<>();
        for (StorageTier tier : StorageTier.values()) {
            Benefit benefit = benefit(nowMs, tier);
            if (benefit.control().blocks() + benefit.treated().blocks() > 0 || benefit.leftForMs() > 0) {
                benefits.add(benefit);
            }
        }
        return benefits;
    }

    /** What a read takes, by tier. */
    public ReadCosts readCosts() {
        return readCosts;
    }

    /** How long reads took, of all blocks; fastest tier first. */
    public List<TierTimes> times() {
        List<TierTimes> times = new ArrayList<>();
        allReads.forEach((tier, all) ->
                times.add(new TierTimes(tier, all.reads, all.bytes, all.readNs.estimate(), all.byteNs.estimate())));
        return times;
    }

    /** Why heat does not bring a block into a tier now; null if it may. */
    public @Nullable Obstacle obstacle(long nowMs, StorageTier tier, long blockId) {
        if (holds(blockId)) {
            return new Obstacle(sample().percent(), 0);
        }
        long leftForMs = leftForMs(nowMs, tier);
        return leftForMs > 0 ? new Obstacle(0, leftForMs) : null;
    }

    /**
     * Why heat does not bring a block into a tier.
     *
     * @param samplePercent it is in the control sample, of that share; 0 if it is not
     * @param leftForMs the tier is left for so long
     */
    public record Obstacle(int samplePercent, long leftForMs) {}

    /** Why heat does not bring a block to a faster volume now, in words; empty if it may. */
    public String ofVolumes(long nowMs, long blockId) {
        if (holds(blockId)) {
            return "; it does not climb: it is in the control sample (" + TerraceSettings.PLACEMENT_CONTROL_SHARE.key()
                    + ")";
        }
        StringBuilder words = new StringBuilder();
        for (StorageTier tier : left(nowMs)) {
            if (tier != StorageTier.MEMORY) {
                words.append("; nothing climbs to ")
                        .append(tier.name().toLowerCase(Locale.ROOT))
                        .append(" for another ")
                        .append(Quantity.millis(leftForMs(nowMs, tier)))
                        .append(", as reads from there were slower (")
                        .append(TerraceSettings.PLACEMENT_CONTROL_PAUSE.key())
                        .append(')');
            }
        }
        return words.toString();
    }
}
