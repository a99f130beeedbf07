package io.terrace.conf;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;

/** Keys of a configuration that begin like ours and are none of {@link TerraceSettings}: mistakes, as a rule. */
public final class UnknownSettings {

    private static final String PREFIX = "terrace.";

    private UnknownSettings() {}

    /** @throws IllegalArgumentException naming each unknown key and the known one nearest to it */
    public static void refuse(Configuration conf) {
        List<String> errors = errors(conf);
        if (!errors.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", errors));
        }
    }

    /** One sentence for each unknown key, naming the nearest known one; empty when all are known. */
    public static List<String> errors(Configuration conf) {
        List<String> errors = new ArrayList<>();
        for (String rest : new TreeSet<>(conf.getPropsWithPrefix(PREFIX).keySet())) {
            String key = PREFIX + rest;
            if (!isKnown(key)) {
                errors.add("unknown setting " + key + "; did you mean " + nearest(key) + "?");
            }
        }
        return errors;
    }

    /** Addresses take a suffix by name service and NameNode, as Hadoop's own do. */
    private static boolean isKnown(String key) {
        return TerraceSettings.find(key) != null
                || TerraceSettings.all().stream()
                        .map(Setting::key)
                        .anyMatch(known -> known.endsWith("-address") && key.startsWith(known + "."));
    }

    private static String nearest(String key) {
        return NearestWord.of(
                key, TerraceSettings.all().stream().map(Setting::key).toList());
    }
}
