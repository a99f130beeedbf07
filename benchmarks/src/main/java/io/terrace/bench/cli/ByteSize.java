package io.terrace.bench.cli;

import java.util.Locale;
import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A size on the command line, in Hadoop's way: {@code 4096}, {@code 64k}, {@code 256m}, {@code 4g}. */
final class ByteSize implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
        long bytes;
        try {
            bytes = TraditionalBinaryPrefix.string2long(text.strip());
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("'" + text + "' is no size: write bytes, or 64k, 256m, 4g");
        }
        if (bytes < 0) {
            throw new TypeConversionException("'" + text + "' is negative");
        }
        return bytes;
    }

    /** Short and in binary units: {@code 64 KiB}. */
    static String text(long bytes) {
        String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
        int unit = 0;
        double value = bytes;
        while (value >= 1024 && unit < units.length - 1) {
            value /= 1024;
            unit++;
        }
        String format = value >= 100 || value == Math.rint(value) ? "%.0f %s" : "%.1f %s";
        return String.format(Locale.ROOT, format, value, units[unit]);
    }
}
