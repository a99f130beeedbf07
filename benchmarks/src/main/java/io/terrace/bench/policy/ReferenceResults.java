package io.terrace.bench.policy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Results of other people's policies on the same cells, from a {@code reference.csv} beside the traces: columns trace,
 * tiers, mem_frac, policy, object_hit, byte_hit, job_all_hit, promoted_bytes, promoted_per_read_byte, mean_ms. Names
 * that begin with {@code *} are clairvoyant, those with {@code #} are bounds; neither counts as a reference to beat.
 */
final class ReferenceResults {

    private static final int COLUMNS = 10;

    /** One policy's figures in one cell; NaN where the file has none. */
    record Figures(double objectHit, double byteHit, double jobHit, double meanMs) {}

    private final Map<ReplayCase, Map<String, Figures>> rows = new LinkedHashMap<>();

    static ReferenceResults read(Path file) throws IOException {
        ReferenceResults reference = new ReferenceResults();
        List<String> lines = Files.readAllLines(file);
        for (int number = 2; number <= lines.size(); number++) {
            String[] fields = lines.get(number - 1).split(",", -1);
            if (fields.length < COLUMNS) {
                throw new IOException(file + ", line " + number + ": there must be at least " + COLUMNS + " columns");
            }
            try {
                ReplayCase replayCase =
                        new ReplayCase(fields[0], Integer.parseInt(fields[1]), Double.parseDouble(fields[2]));
                reference
                        .rows
                        .computeIfAbsent(replayCase, key -> new LinkedHashMap<>())
                        .put(
                                fields[3],
                                new Figures(
                                        number(fields[4]), number(fields[5]), number(fields[6]), number(fields[9])));
            } catch (IllegalArgumentException e) {
                throw new IOException(file + ", line " + number + ": " + e.getMessage(), e);
            }
        }
        return reference;
    }

    private static double number(String text) {
        return text.isEmpty() ? Double.NaN : Double.parseDouble(text);
    }

    Iterable<ReplayCase> cells() {
        return rows.keySet();
    }

    /** The least recently used policy's figures in the cell; null when the cell is not known. */
    @Nullable
    Figures lru(ReplayCase replayCase) {
        return rows.getOrDefault(replayCase, Map.of()).get("LRU");
    }

    /** The bound that no policy without prefetch exceeds; null when the cell has none. */
    @Nullable
    Figures bound(ReplayCase replayCase) {
        return rows.getOrDefault(replayCase, Map.of()).entrySet().stream()
                .filter(row -> row.getKey().startsWith("#"))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }

    /** Best figure of the online policies in the cell; NaN when there is none. */
    double best(ReplayCase replayCase, Metric metric) {
        return rows.getOrDefault(replayCase, Map.of()).entrySet().stream()
                .filter(row -> !row.getKey().startsWith("*") && !row.getKey().startsWith("#"))
                .mapToDouble(row -> metric.of(row.getValue()))
                .reduce(metric::better)
                .orElse(Double.NaN);
    }

    /** A figure that policies are compared by. */
    enum Metric {
        OBJECT_HIT,
        BYTE_HIT,
        JOB_HIT,
        MEAN_MS;

        double of(Figures figures) {
            return switch (this) {
                case OBJECT_HIT -> figures.objectHit();
                case BYTE_HIT -> figures.byteHit();
                case JOB_HIT -> figures.jobHit();
                case MEAN_MS -> figures.meanMs();
            };
        }

        private double better(double a, double b) {
            return this == MEAN_MS ? Math.min(a, b) : Math.max(a, b);
        }
    }
}
