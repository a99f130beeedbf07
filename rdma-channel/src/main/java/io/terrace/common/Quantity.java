package io.terrace.common;

import java.util.Locale;

/** Amounts as a person reads them, at most eight characters. */
public final class Quantity {

    private static final String[] UNITS = {"B", "KB", "MB", "GB", "TB", "PB"};

    private Quantity() {}

    /** Powers of 1024: {@code 512 B}, {@code 1.5 GB}. */
    public static String bytes(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        String format = unit == 0 || value >= 100 ? "%.0f %s" : "%.1f %s";
        return String.format(Locale.ROOT, format, value, UNITS[unit]);
    }

    /** {@code 250 ms}, {@code 12 s}, {@code 3 min}, {@code 5 h}, {@code 9 d}. */
    public static String millis(long millis) {
        if (millis < 1_000) {
            return millis + " ms";
        }
        long seconds = millis / 1000;
        if (seconds < 120) {
            return seconds + " s";
        }
        if (seconds < 7_200) {
            return seconds / 60 + " min";
        }
        return seconds < 172_800 ? seconds / 3600 + " h" : seconds / 86_400 + " d";
    }

    public static String share(long part, long whole) {
        return whole == 0 ? "-" : Math.round(100.0 * part / whole) + " %";
    }

    public static String decimal(double value) {
        return String.format(Locale.ROOT, value >= 100 ? "%.0f" : "%.1f", value);
    }
}
