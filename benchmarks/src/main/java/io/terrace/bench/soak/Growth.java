package io.terrace.bench.soak;

import io.terrace.bench.measure.PairedRatios;
import io.terrace.bench.soak.ProcessSample.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.DoubleStream;

/**
 * What each process held, check after check. The growth of a resource is the median of the slopes between any two samples (Theil
 * and Sen), times the rounds: single samples that are off do not move it, and a steady leak of a few in each round does. A resource
 * leaks if it grew by more than what does not count, if two thirds of all pairs of samples grew, and if the later half of them goes
 * on growing at half that rate or more: in a single step at most three fifths of the pairs grow, and what fills a cache comes to
 * an end.
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
            if (leaks(values, resource)) {
                leaks.add(name + " " + values);
            }
        });
        return leaks;
    }

    /**
     * How many series are long enough to show a leak.
     *
     * @param prefix of the names of processes; empty for all
     */
    long judged(String prefix) {
        return series.entrySet().stream()
                .filter(one -> one.getKey().startsWith(prefix) && one.getValue().size() >= LEAST_SAMPLES)
                .count();
    }

    /** The most samples of one process, for each name none of whose processes has enough. */
    Map<String, Integer> unjudged() {
        Map<String, Integer> most = new TreeMap<>();
        series.forEach((name, values) -> most.merge(name.substring(0, name.indexOf(' ')), values.size(), Math::max));
        most.values().removeIf(samples -> samples >= LEAST_SAMPLES);
        return most;
    }

    private static boolean leaks(List<Long> all, Resource resource) {
        if (all.size() < LEAST_SAMPLES) {
            return false;
        }
        List<Long> values = all.subList(1, all.size());
        double[] slopes = slopes(values);
        double slope = PairedRatios.medianOf(slopes);
        double later = PairedRatios.medianOf(slopes(values.subList(values.size() / 2, values.size())));
        long growing = DoubleStream.of(slopes).filter(each -> each > 0).count();
        return slope * (values.size() - 1) > resource.slack(values.get(0))
                && growing * 3 >= slopes.length * 2L
                && later >= slope / 2;
    }

    /** Of each pair, for a round. */
    private static double[] slopes(List<Long> values) {
        double[] slopes = new double[values.size() * (values.size() - 1) / 2];
        int next = 0;
        for (int i = 0; i < values.size(); i++) {
            for (int j = i + 1; j < values.size(); j++) {
                slopes[next++] = (double) (values.get(j) - values.get(i)) / (j - i);
            }
        }
        return slopes;
    }

    /** All series, a line each. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        series.forEach((name, values) -> lines.add(name + " " + values));
        return lines;
    }
}
