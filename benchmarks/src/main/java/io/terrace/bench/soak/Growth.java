package io.terrace.bench.soak;

import io.terrace.bench.soak.ProcessSample.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * What each process held, check after check. A resource leaks if it grows all the time: everything in the last third is above
 * everything in the first, and by more than a fifth and what does not count.
 */
final class Growth {
    /** Fewer say nothing. The first is not used: classes are loaded, caches filled. */
    static final int LEAST_SAMPLES = 7;

    private final Map<String, List<Long>> series = new TreeMap<>();

    /**
     * Takes a sample in.
     *
     * @param process its name, a space and its id: one that was started again begins anew
     */
    void add(String process, Map<Resource, Long> sample) {
        sample.forEach((resource, value) -> series.computeIfAbsent(
                        process + " " + resource.name().toLowerCase(Locale.ROOT), fresh -> new ArrayList<>())
                .add(value));
    }

    /** What leaks, with its values. */
    List<String> leaks() {
        List<String> leaks = new ArrayList<>();
        series.forEach((name, values) -> {
            Resource resource =
                    Resource.valueOf(name.substring(name.lastIndexOf(' ') + 1).toUpperCase(Locale.ROOT));
            if (leaks(values, resource.slack())) {
                leaks.add(name + " " + values);
            }
        });
        return leaks;
    }

    /** How many series are long enough to show a leak. */
    long judged() {
        return series.values().stream()
                .filter(values -> values.size() >= LEAST_SAMPLES)
                .count();
    }

    /** The most samples of one process, for each name none of whose processes has enough. */
    Map<String, Integer> unjudged() {
        Map<String, Integer> most = new TreeMap<>();
        series.forEach((name, values) -> most.merge(name.substring(0, name.indexOf(' ')), values.size(), Math::max));
        most.values().removeIf(samples -> samples >= LEAST_SAMPLES);
        return most;
    }

    private static boolean leaks(List<Long> all, long slack) {
        if (all.size() < LEAST_SAMPLES) {
            return false;
        }
        List<Long> values = all.subList(1, all.size());
        int third = values.size() / 3;
        List<Long> first = values.subList(0, third);
        List<Long> last = values.subList(values.size() - third, values.size());
        long most = first.stream().mapToLong(Long::longValue).max().orElse(0);
        long least = last.stream().mapToLong(Long::longValue).min().orElse(0);
        return least > most + slack && least > most * 1.2;
    }

    /** All series, a line each. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        series.forEach((name, values) -> lines.add(name + " " + values));
        return lines;
    }
}
