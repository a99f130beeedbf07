package io.terrace.placement.explain;

import io.terrace.common.Quantity;
import io.terrace.common.ShownName;
import io.terrace.policy.api.Explanation.Worth;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Words that several sentences share. */
final class Words {

    private static final int LONGEST_NAME = 60;
    private static final double NS_PER_MS = 1e6;
    private static final double FAR = 100;

    private Words() {}

    /** A name in a sentence, cut in the middle where it is long. */
    static String name(String name) {
        String shown = ShownName.shortened(ShownName.printable(name), LONGEST_NAME);
        return shown.contains(" ") ? "'" + shown + "'" : shown;
    }

    /** A path as an argument of a command, for a shell; {@code PATH} where it would not fit a line. */
    static String argument(String path) {
        return ShownName.argument(path, LONGEST_NAME);
    }

    static String ago(long ms) {
        return Quantity.millis(Math.max(0, ms)) + " ago";
    }

    static String reads(long reads) {
        return reads == 1 ? "once" : reads + " times";
    }

    static String capital(String text) {
        return text.isEmpty() ? text : text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }

    /** A message of a DataNode or the NameNode within a sentence: without its full stop. */
    static String message(String message) {
        String shown = ShownName.shortened(ShownName.printable(message), 2 * LONGEST_NAME);
        return shown.endsWith(".") ? shown.substring(0, shown.length() - 1) : shown;
    }

    /** {@code 61 of 64 MB}. */
    static String ofMemory(long part, long capacity) {
        String whole = Quantity.bytes(capacity).replace(".0 ", " ");
        String used = Quantity.bytes(part).replace(".0 ", " ");
        String unit = whole.substring(whole.indexOf(' '));
        return (used.endsWith(unit) ? used.substring(0, used.length() - unit.length()) : used) + " of " + whole;
    }

    /** How much a block is worth to the policy, held against another: {@code 45 times as much}. */
    static String ratio(Worth worth) {
        double ratio = worth.ratio();
        String much = isEven(worth)
                ? "about as much"
                : ratio >= FAR
                        ? "more than 100 times as much"
                        : ratio < 1 / FAR ? "less than 0.01 times as much" : times(ratio) + " times as much";
        return much + (worth.perByte() ? " for its size" : "");
    }

    /** A sentence on what memory saves of each read, where that counts. */
    static String saved(Worth worth) {
        return worth.savedNs() > 0
                ? String.format(
                        Locale.ROOT, " Each of its reads saves about %s ms.", digits(worth.savedNs() / NS_PER_MS))
                : "";
    }

    private static String digits(double ms) {
        return ms >= 10 ? String.valueOf(Math.round(ms)) : String.format(Locale.ROOT, "%.2g", ms);
    }

    private static String times(double ratio) {
        String format = ratio >= 9.95 ? "%.0f" : ratio >= 0.095 ? "%.1f" : "%.2f";
        String text = String.format(Locale.ROOT, format, ratio);
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }

    static boolean isEven(@Nullable Worth worth) {
        return worth != null && worth.ratio() >= 0.95 && worth.ratio() <= 1.05;
    }

    /** How much more often a block would have to be read to be worth as much as the other: {@code about twice as often}. */
    static String moreOften(Worth worth) {
        double factor = 1 / worth.ratio();
        return factor < 1.5
                ? "somewhat more often"
                : factor < 2.5
                        ? "about twice as often"
                        : factor <= FAR
                                ? "about " + Math.round(factor) + " times as often"
                                : "more than 100 times as often";
    }
}
