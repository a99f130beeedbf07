package io.terrace.conf;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Keys of a configuration that look like ours and are none of {@link TerraceSettings}: mistakes, as a rule. */
public final class UnknownSettings {

    private static final String PREFIX = "terrace.";

    private UnknownSettings() {}

    /**
     * What is wrong with a configuration's keys.
     *
     * @return one sentence for each unknown key, naming the nearest known one; empty when all are known
     */
    public static List<String> complaints(Iterable<String> keys) {
        List<String> complaints = new ArrayList<>();
        for (String key : keys) {
            if (!isKnown(key)) {
                complaints.add("unknown setting " + key + "; did you mean " + nearest(key) + "?");
            }
        }
        return complaints;
    }

    /** Whether a key of a configuration is one of ours, or none of our business. Suffixed keys count as their stem. */
    static boolean isKnown(String key) {
        return !key.startsWith(PREFIX)
                || Stream.of(TerraceSettings.values())
                        .anyMatch(known ->
                                key.equals(known.key()) || (known.takesSuffix() && key.startsWith(known.key() + ".")));
    }

    private static String nearest(String key) {
        return NearestWord.of(
                key,
                Stream.of(TerraceSettings.values()).map(TerraceSettings::key).toList());
    }
}
