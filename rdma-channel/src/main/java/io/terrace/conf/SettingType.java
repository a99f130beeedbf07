package io.terrace.conf;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;

/**
 * What the value of a {@link Setting} is, its unit, and how it is written. Text is read as Hadoop reads it: sizes and
 * counts take suffixes ({@code 4g}), times take units ({@code 10s}) and are milliseconds without one.
 *
 * @param <T> the value in the program
 */
public final class SettingType<T extends Comparable<T>> {

    private static final Configuration HADOOP = new Configuration(false);

    /** A count. */
    public static final SettingType<Integer> WHOLE =
            new SettingType<>("a whole number", "", (key, text) -> Math.toIntExact(number(text)), String::valueOf);

    /** Bytes, or bytes a second. */
    public static final SettingType<Long> BYTES =
            new SettingType<>("a size", "4g", (key, text) -> number(text), SettingType::size);

    /** A time in milliseconds. */
    public static final SettingType<Long> MILLIS = new SettingType<>(
            "a time",
            "10s",
            (key, text) -> HADOOP.getTimeDurationHelper(key, text, TimeUnit.MILLISECONDS),
            SettingType::time);

    public static final SettingType<Boolean> FLAG =
            new SettingType<>("true or false", "", (key, text) -> flag(text), String::valueOf);

    /** Any text, none included. */
    public static final SettingType<String> TEXT =
            new SettingType<>("text", "", (key, text) -> text, Function.identity());

    /** A file or directory of this host. */
    public static final SettingType<Path> PATH =
            new SettingType<>("a local path", "", (key, text) -> Path.of(text), Path::toString);

    /** The same, not below the directory that the process was started in. */
    public static final SettingType<Path> ABSOLUTE_PATH =
            new SettingType<>("an absolute path", "", (key, text) -> absolute(text), Path::toString);

    private final String noun;
    private final String example;
    private final Parser<T> parser;
    private final Function<T, String> writer;

    private interface Parser<T> {
        T parse(String key, String text);
    }

    private SettingType(String noun, String example, Parser<T> parser, Function<T, String> writer) {
        this.noun = noun;
        this.example = example;
        this.parser = parser;
        this.writer = writer;
    }

    /** One of these words. */
    static SettingType<String> oneOf(String... words) {
        List<String> known = List.of(words);
        return new SettingType<>(String.join(" or ", words), "", (key, text) -> word(known, text), Function.identity());
    }

    /** What a value is, for somebody who gave something else. */
    String noun() {
        return noun;
    }

    /** A usual value, where the noun alone does not show how one is written; empty otherwise. */
    String example() {
        return example;
    }

    /** A value as it would stand in a configuration. */
    String write(T value) {
        return writer.apply(value);
    }

    /** @throws IllegalArgumentException or {@link ArithmeticException} if the text is no such value */
    T parse(String key, String text) {
        return parser.parse(key, text);
    }

    private static long number(String text) {
        if (text.isEmpty()) {
            throw new NumberFormatException("empty");
        }
        return TraditionalBinaryPrefix.string2long(text);
    }

    private static boolean flag(String text) {
        return word(List.of("true", "false"), text.toLowerCase(Locale.ROOT)).equals("true");
    }

    private static String word(List<String> known, String text) {
        if (!known.contains(text)) {
            throw new IllegalArgumentException("none of " + known);
        }
        return text;
    }

    private static Path absolute(String text) {
        Path path = Path.of(text);
        if (!path.isAbsolute()) {
            throw new IllegalArgumentException("not absolute");
        }
        return path.normalize();
    }

    private static String size(long bytes) {
        String suffixes = "kmgtpe";
        int power = bytes == 0 ? 0 : Long.numberOfTrailingZeros(bytes) / 10;
        return power == 0 ? Long.toString(bytes) : (bytes >> 10 * power) + "" + suffixes.charAt(power - 1);
    }

    private static String time(long ms) {
        for (TimeUnit unit : List.of(TimeUnit.DAYS, TimeUnit.HOURS, TimeUnit.MINUTES, TimeUnit.SECONDS)) {
            if (ms != 0 && ms % unit.toMillis(1) == 0) {
                return ms / unit.toMillis(1) + unit.name().substring(0, 1).toLowerCase(Locale.ROOT);
            }
        }
        return ms + "ms";
    }
}
