package io.terrace.placement.policyfile;

import io.terrace.conf.NearestWord;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * A mapping of a YAML document whose keys are known beforehand. Reads its values with their types; whatever does not fit
 * goes to the {@link ParseErrors} with its line, and the value counts as absent.
 */
final class YamlMap {

    private final ParseErrors parseErrors;
    private final Map<String, Node> values = new LinkedHashMap<>();

    /**
     * @param what names the mapping in errors
     * @param known its keys; null when any will do
     */
    YamlMap(Node node, String what, @Nullable Collection<String> known, ParseErrors parseErrors) {
        this.parseErrors = parseErrors;
        if (!(node instanceof MappingNode mapping)) {
            parseErrors.add(node, what + " must be a mapping of keys to values");
            return;
        }
        for (NodeTuple entry : mapping.getValue()) {
            if (!(entry.getKeyNode() instanceof ScalarNode key)) {
                parseErrors.add(entry.getKeyNode(), "a key of " + what + " must be a word");
            } else if (known != null && !known.contains(key.getValue())) {
                parseErrors.add(
                        key,
                        "unknown key '" + key.getValue() + "' in " + what + "; did you mean '"
                                + NearestWord.of(key.getValue(), known) + "'?");
            } else if (values.put(key.getValue(), entry.getValueNode()) != null) {
                parseErrors.add(key, "key '" + key.getValue() + "' stands twice in " + what);
            }
        }
    }

    boolean has(String key) {
        return values.containsKey(key);
    }

    Collection<String> keys() {
        return values.keySet();
    }

    @Nullable
    Node node(String key) {
        return values.get(key);
    }

    /** A scalar as it is written; null when absent or wrong. */
    @Nullable
    String text(String key) {
        return read(key, "a single value", text -> text);
    }

    @Nullable
    String word(String key, List<String> allowed) {
        String remedy = "one of " + String.join(", ", allowed);
        Node node = values.get(key);
        String text = text(key);
        if (node == null || text == null || allowed.contains(text)) {
            return text;
        }
        parseErrors.add(
                node,
                key + " is '" + text + "'; it must be " + remedy + "; did you mean '" + NearestWord.of(text, allowed)
                        + "'?");
        return null;
    }

    int whole(String key, int least, int most, int absent) {
        Integer value = read(key, "a whole number from " + least + " to " + most, text -> {
            int number = Integer.parseInt(text);
            return number >= least && number <= most ? number : null;
        });
        return value == null ? absent : value;
    }

    /** A size such as {@code 65536}, {@code 64k}, {@code 2g}; units are powers of 1024. */
    long bytes(String key, long least, long absent) {
        Long value = read(key, "bytes, e.g. 64k, 100m or 2g, at least " + least, text -> {
            Long bytes = parsedBytes(text);
            return bytes != null && bytes >= least ? bytes : null;
        });
        return value == null ? absent : value;
    }

    /** A part such as {@code 30%}, as a number from 0 to 1; NaN when absent or wrong. */
    double share(String key) {
        Double value = read(key, "a share from 1% to 100%, e.g. 30%", text -> {
            double percent = text.endsWith("%") ? Double.parseDouble(text.substring(0, text.length() - 1)) : 0;
            return percent >= 1 && percent <= 100 ? percent / 100 : null;
        });
        return value == null ? Double.NaN : value;
    }

    boolean truth(String key, boolean absent) {
        String word = word(key, List.of("true", "false"));
        return word == null ? absent : word.equals("true");
    }

    private static @Nullable Long parsedBytes(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        int unit = lower.isEmpty() ? -1 : "kmgtp".indexOf(lower.charAt(lower.length() - 1));
        long number = Long.parseLong(unit < 0 ? lower : lower.substring(0, lower.length() - 1));
        long factor = unit < 0 ? 1 : 1L << (10 * (unit + 1));
        return number < 0 || number > Long.MAX_VALUE / factor ? null : number * factor;
    }

    /** The entries of a list; empty when absent or wrong. */
    List<Node> list(String key) {
        Node node = values.get(key);
        if (node == null
                || (node instanceof ScalarNode scalar && scalar.getTag().equals(Tag.NULL))) {
            return List.of();
        }
        if (!(node instanceof SequenceNode sequence)) {
            parseErrors.add(node, key + " must be a list, each entry after a dash");
            return List.of();
        }
        return new ArrayList<>(sequence.getValue());
    }

    private <T> @Nullable T read(String key, String remedy, Function<String, @Nullable T> parse) {
        Node node = values.get(key);
        if (node == null) {
            return null;
        }
        if (!(node instanceof ScalarNode scalar) || scalar.getTag().equals(Tag.NULL)) {
            parseErrors.add(node, key + " must be " + remedy);
            return null;
        }
        T value = null;
        try {
            value = parse.apply(scalar.getValue().strip());
        } catch (NumberFormatException e) {
            value = null;
        }
        if (value == null) {
            parseErrors.add(node, key + " is '" + scalar.getValue() + "'; it must be " + remedy);
        }
        return value;
    }
}
