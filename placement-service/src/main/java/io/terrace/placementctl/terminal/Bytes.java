package io.terrace.placementctl.terminal;

import org.apache.hadoop.util.StringUtils.TraditionalBinaryPrefix;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Bytes as they are typed and as Hadoop reads them, {@code 1048576}, {@code 512m}, {@code 64g}; never below 0. */
public final class Bytes implements ITypeConverter<Long> {

    @Override
    public Long convert(String text) {
        try {
            long bytes = TraditionalBinaryPrefix.string2long(text.strip());
            if (bytes >= 0) {
                return bytes;
            }
        } catch (IllegalArgumentException e) {
            throw no(text);
        }
        throw no(text);
    }

    private static TypeConversionException no(String text) {
        return new TypeConversionException("'" + text + "' is no number of bytes; write it e.g. as 64g");
    }
}
