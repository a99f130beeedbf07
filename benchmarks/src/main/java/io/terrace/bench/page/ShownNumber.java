package io.terrace.bench.page;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number as the page shows it, rounded and with its unit.
 *
 * @param value in the unit of the metric: bytes, nanoseconds, or a count; of a share percent
 * @param halfDigit by which it may be off, half of its last digit
 */
record ShownNumber(double value, double halfDigit) {
    private static final List<String> BYTES = List.of("B", "KB", "MB", "GB", "TB", "PB");
    private static final Pattern NUMBER = Pattern.compile("([0-9,]+(?:\\.([0-9]+))?)(?: (B|KB|MB|GB|TB|PB|ms|%))?");
    private static final double NANOSECONDS_OF_MS = 1e6;

    /** @throws IllegalArgumentException when it is no number */
    static ShownNumber parse(String text) {
        Matcher matcher = NUMBER.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is no number with a known unit");
        }
        String unit = matcher.group(3) == null ? "" : matcher.group(3);
        double scale =
                unit.equals("ms") ? NANOSECONDS_OF_MS : BYTES.contains(unit) ? Math.pow(1024, BYTES.indexOf(unit)) : 1;
        int digits = matcher.group(2) == null ? 0 : matcher.group(2).length();
        return new ShownNumber(
                Double.parseDouble(matcher.group(1).replace(",", "")) * scale, 0.5 * Math.pow(10, -digits) * scale);
    }

    /** What it must be near, from {@code placementctl status --json}: a metric, or the share of one in another. */
    static double of(JsonNode service, String id) {
        int slash = id.indexOf('/');
        if (slash < 0) {
            return service.path("figures").has(id)
                    ? service.path("figures").path(id).asDouble()
                    : service.path(id).asDouble(Double.NaN);
        }
        return 100 * of(service, id.substring(0, slash)) / of(service, id.substring(slash + 1));
    }

    /** Whether it may have been shown at a time at which the exact number went from the one to the other. */
    boolean isBetween(double one, double other) {
        double most = halfDigit * 1.000001;
        return value >= Math.min(one, other) - most && value <= Math.max(one, other) + most;
    }
}
