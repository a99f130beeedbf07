package io.terrace.conf;

import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.jspecify.annotations.Nullable;

/**
 * One {@code terrace.*} property. {@link TerraceSettings} lists all of them.
 *
 * @param defaultText as it would stand in a configuration; empty where the property is unset by default
 * @param least smallest value allowed; null where there is no bound
 * @param most largest value allowed; null where there is no bound
 * @param readBy the processes that read it: client, DataNode, NameNode, placementctl
 * @param doc what it does
 * @param <T> its value in the program
 */
public record Setting<T extends Comparable<T>>(
        String key,
        SettingType<T> type,
        String defaultText,
        @Nullable T least,
        @Nullable T most,
        String readBy,
        String doc) {

    /**
     * The value in this configuration, or the default.
     *
     * @throws IllegalArgumentException naming key, value and remedy: if it is not of the type, out of range, or unset
     *     without a default
     */
    public T get(Configuration conf) {
        return get(conf::get);
    }

    /** As above, from any lookup by key that answers null for what is unset. */
    public T get(UnaryOperator<String> conf) {
        T value = orNull(conf);
        if (value == null) {
            throw new IllegalArgumentException(key + " is not set; it must be " + allowed());
        }
        return value;
    }

    /**
     * The same, but null where it is unset and has no default.
     *
     * @throws IllegalArgumentException naming key, value and remedy
     */
    public @Nullable T orNull(Configuration conf) {
        return orNull(conf::get);
    }

    /** As above, from any lookup by key that answers null for what is unset. */
    public @Nullable T orNull(UnaryOperator<String> conf) {
        String given = conf.apply(key);
        String text = given == null ? defaultText : given.trim();
        if (text.isEmpty() && defaultText.isEmpty() && !type.equals(SettingType.TEXT)) {
            return null;
        }
        try {
            T value = type.parse(key, text);
            if ((least == null || value.compareTo(least) >= 0) && (most == null || value.compareTo(most) <= 0)) {
                return value;
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw refusal(text, allowed(), e);
        }
        throw refusal(text, allowed(), null);
    }

    /** For a value that is of the type and in range, and still cannot be. */
    public IllegalArgumentException refusal(String text, String remedy, @Nullable Exception cause) {
        return new IllegalArgumentException(
                key + " is " + (text.isEmpty() ? "empty" : text) + "; it must be " + remedy, cause);
    }

    private String allowed() {
        boolean shown = !type.example().isEmpty();
        boolean usual = !defaultText.isEmpty() && !defaultText.equals("0");
        String such = shown ? " such as " + (usual ? defaultText : type.example()) + "," : "";
        if (least == null) {
            return type.noun() + such;
        }
        return type.noun()
                + such
                + (most == null
                        ? " at least " + type.write(least)
                        : " from " + type.write(least) + " to " + type.write(most));
    }
}
