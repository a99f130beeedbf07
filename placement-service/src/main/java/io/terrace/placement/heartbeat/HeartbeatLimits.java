package io.terrace.placement.heartbeat;

import io.terrace.common.TokenBucket;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.heartbeat.Heartbeat.Condition;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.Heartbeat.Result;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a heartbeat down to what the loop takes of one: so many entries of each list, texts of so many characters, and no
 * more reads and writes than its {@link ReportQuota} leave. Honest DataNodes stay below. What is cut is counted.
 */
public final class HeartbeatLimits {

    public static final int MOST_TIERS = 16;
    public static final int MOST_CONDITIONS = 64;
    public static final int MOST_FIGURES = 512;

    /** Characters of a host's name, or of the id of a figure or condition. */
    public static final int LONGEST_NAME = 255;

    /** Characters of what a person is to read. */
    public static final int LONGEST_TEXT = 1024;

    private final int entries;
    private final MetricRegistry metricRegistry;

    public HeartbeatLimits(HeartbeatSettings settings, MetricRegistry metricRegistry) {
        this.entries = settings.entries();
        this.metricRegistry = metricRegistry;
    }

    /** @param allowances those of that DataNode, from which the heat is taken */
    public Heartbeat bounded(long nowMs, Heartbeat heartbeat, ReportQuota reportQuota) {
        return new Heartbeat(
                heartbeat.node(),
                cut(heartbeat.host(), LONGEST_NAME),
                heartbeat.transferPort(),
                heartbeat.incarnation(),
                heartbeat.sequence(),
                cut(heartbeat.tiers(), MOST_TIERS),
                plausible(nowMs, cut(heartbeat.heat(), entries), reportQuota.accesses(), reportQuota.bytes()),
                cut(heartbeat.residency(), entries),
                heartbeat.full(),
                results(cut(heartbeat.results(), entries)),
                conditions(cut(heartbeat.conditions(), MOST_CONDITIONS)),
                heartbeat.bytesServed(),
                heartbeat.serving(),
                figures(heartbeat.figures()));
    }

    private void count(long cut) {
        metricRegistry.add(Metric.PLACEMENT_HEARTBEAT_ENTRIES_CUT, cut);
    }

    private <T> List<T> cut(List<T> list, int most) {
        if (list.size() <= most) {
            return list;
        }
        count(list.size() - most);
        return list.subList(0, most);
    }

    private String cut(String text, int longest) {
        if (text.length() <= longest) {
            return text;
        }
        count(1);
        return text.substring(0, longest);
    }

    private @Nullable String cutIfAny(@Nullable String text) {
        return text == null ? null : cut(text, LONGEST_TEXT);
    }

    private List<Result> results(List<Result> results) {
        if (results.stream().allMatch(result -> isShort(result.message(), LONGEST_TEXT))) {
            return results;
        }
        return results.stream()
                .map(result -> new Result(
                        result.moveId(),
                        result.epoch(),
                        result.outcome(),
                        result.block(),
                        result.bytesMoved(),
                        result.tookMs(),
                        cutIfAny(result.message())))
                .toList();
    }

    private static boolean isShort(@Nullable String text, int longest) {
        return text == null || text.length() <= longest;
    }

    private List<Condition> conditions(List<Condition> conditions) {
        return conditions.stream()
                .map(condition -> new Condition(
                        cut(condition.id(), LONGEST_NAME),
                        condition.severity(),
                        cut(condition.text(), LONGEST_TEXT),
                        cutIfAny(condition.remedy())))
                .toList();
    }

    private Map<String, Long> figures(Map<String, Long> all) {
        if (all.size() <= MOST_FIGURES && all.keySet().stream().allMatch(id -> isShort(id, LONGEST_NAME))) {
            return all;
        }
        Map<String, Long> kept = new HashMap<>();
        all.forEach((id, value) -> {
            if (kept.size() < MOST_FIGURES && isShort(id, LONGEST_NAME)) {
                kept.put(id, value);
            }
        });
        count(all.size() - kept.size());
        return kept;
    }

    private List<Heat> plausible(long nowMs, List<Heat> heat, TokenBucket mostAccesses, TokenBucket mostBytes) {
        double accesses = 0; // Sums of what is made up may be too large for a long.
        double bytes = 0;
        for (Heat entry : heat) {
            accesses += (double) entry.reads() + entry.writes();
            bytes += (double) entry.bytesRead() + entry.bytesWritten();
        }
        if (accesses <= mostAccesses.available(nowMs) && bytes <= mostBytes.available(nowMs)) {
            mostAccesses.charge(nowMs, (long) accesses);
            mostBytes.charge(nowMs, (long) bytes);
            return heat;
        }
        List<Heat> plausible = new ArrayList<>(heat.size());
        for (Heat entry : heat) {
            long bytesRead = mostBytes.take(nowMs, entry.bytesRead());
            Heat taken = new Heat(
                    entry.block(),
                    entry.replica(),
                    entry.inMemory(),
                    mostAccesses.take(nowMs, entry.reads()),
                    bytesRead,
                    Math.min(bytesRead, entry.bytesReadFromMemory()),
                    mostAccesses.take(nowMs, entry.writes()),
                    mostBytes.take(nowMs, entry.bytesWritten()),
                    entry.ageMs());
            count(taken.equals(entry) ? 0 : 1);
            plausible.add(taken);
        }
        return plausible;
    }
}
