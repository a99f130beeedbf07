package io.terrace.metrics;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How a metric is shown: a fixed name and, if it is of a {@link MetricFamily}, a tag. JMX, {@code /prom} and {@code
 * /terrace/metrics} all take their names from here. Counters end in {@code total}, times are in seconds.
 *
 * @param name dotted, without the process: {@code lock.seconds} of {@code placement.lock.nanoseconds}
 * @param tag what tells it from others of that name, or null
 * @param doc of the metric, or of its family
 */
public record Series(Metric metric, String name, @Nullable Tag tag, String doc) {
    private static final String SECONDS = "seconds";

    /**
     * Name and value of a tag.
     *
     * @param value letters, digits, dots, hyphens and underscores: Hadoop escapes values neither at {@code /prom} nor in the
     *     names of JMX beans
     */
    public record Tag(String name, String value) {
        /** Tag of a family: how it ended. */
        static final String OUTCOME = "outcome";
        /** Tag of a family: why. */
        static final String REASON = "reason";
        /** Tag of a family: what for. */
        static final String ASKER = "asker";

        private static final Pattern UNSAFE = Pattern.compile("[^A-Za-z0-9._-]");

        public Tag {
            if (value.isEmpty() || UNSAFE.matcher(value).find()) {
                throw new IllegalArgumentException("tag " + name + " cannot be '" + value + "'");
            }
        }

        /** A tag of any text, in which an underscore takes the place of each character that is not safe. */
        public static Tag of(String name, String text) {
            return new Tag(name, text.isEmpty() ? "_" : UNSAFE.matcher(text).replaceAll("_"));
        }

        @Override
        public String toString() {
            return name + "=" + value;
        }
    }

    /** How the metric is shown. */
    public static Series of(Metric metric) {
        MetricFamily family = MetricFamily.of(metric);
        String name = shown(metric, family == null ? metric.id() : family.id());
        return family == null
                ? new Series(metric, name, null, metric.doc())
                : new Series(metric, name, family.tag(metric), family.doc());
    }

    private static String shown(Metric metric, String id) {
        String name = id.startsWith(metric.where().prefix())
                ? id.substring(metric.where().prefix().length())
                : id;
        return switch (metric.unit()) {
            case COUNT, BYTES -> name;
            case MILLISECONDS, NANOSECONDS -> name.substring(0, name.lastIndexOf('.') + 1) + SECONDS;
        };
    }

    /** All metrics of one kind of process, by their tags; those without one come first, under an empty list. */
    static Map<List<Tag>, List<Series>> byTag(Metric.Where where) {
        Map<List<Tag>, List<Series>> groups = new LinkedHashMap<>();
        groups.put(List.of(), new ArrayList<>());
        Stream.of(Metric.values())
                .filter(metric -> metric.where() == where)
                .map(Series::of)
                .forEach(series -> groups.computeIfAbsent(
                                series.tag == null ? List.of() : List.of(series.tag), tags -> new ArrayList<>())
                        .add(series));
        return groups;
    }

    /** Its name in metrics2 and as an attribute in JMX: {@code LockSecondsTotal}. */
    public String attribute() {
        StringBuilder attribute = new StringBuilder();
        for (String word : name.split("[._-]")) {
            attribute.append(word.substring(0, 1).toUpperCase(Locale.ROOT)).append(word.substring(1));
        }
        return metric.kind() == Metric.Kind.COUNTER ? attribute + "Total" : attribute.toString();
    }

    /** Its name for Prometheus: {@code terrace_placement_lock_seconds_total}. */
    public String prometheusName() {
        String words =
                metric.where().prometheusPrefix() + name.replace('.', '_').replace('-', '_');
        return metric.kind() == Metric.Kind.COUNTER ? words + "_total" : words;
    }

    /** The unit that ends its name, or null for a count. */
    @Nullable
    String unit() {
        return switch (metric.unit()) {
            case COUNT -> null;
            case BYTES -> "bytes";
            case MILLISECONDS, NANOSECONDS -> SECONDS;
        };
    }

    /** A value of the metric as it is shown: a {@code Double} of seconds for a time, else a {@code Long}. */
    Number shown(long value) {
        return switch (metric.unit()) {
            case COUNT, BYTES -> value;
            case MILLISECONDS -> value / 1e3;
            case NANOSECONDS -> value / 1e9;
        };
    }
}
