package io.terrace.placementctl.terminal;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A time as it is typed, {@code 30s}, {@code 10m}, {@code 6h}, {@code 2d}; in milliseconds. */
public final class Durations implements ITypeConverter<Long> {

    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

    @Override
    public Long convert(String text) {
        Matcher form = FORM.matcher(text.strip());
        if (!form.matches()) {
            throw new TypeConversionException("'" + text + "' is no time; write it with its unit, e.g. 30s, 10m or 6h");
        }
        long unitMs =
                switch (form.group(2)) {
                    case "ms" -> 1;
                    case "s" -> 1_000;
                    case "m" -> 60_000;
                    case "h" -> 3_600_000;
                    default -> 86_400_000;
                };
        return Long.parseLong(form.group(1)) * unitMs;
    }
}
