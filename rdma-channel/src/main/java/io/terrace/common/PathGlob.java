package io.terrace.common;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pattern of absolute HDFS paths: {@code *} and {@code ?} stand for any letters and any one letter (a code point) within a component,
 * {@code **} as a component for any number of components, {@code {a,b}} for either. A directory's own path matches
 * {@code dir/**} as well.
 *
 * <p>Matching takes at most the product of the two lengths: no pattern can hold up the placement loop.
 */
public final class PathGlob {

    public static final int MOST_CHARS = 512;
    static final int MOST_ALTERNATIVES = 64;

    private final String text;
    private final List<String[]> alternatives;

    private PathGlob(String text, List<String[]> alternatives) {
        this.text = text;
        this.alternatives = alternatives;
    }

    /** @throws IllegalArgumentException saying what a pattern must be */
    public static PathGlob of(String text) {
        if (!text.startsWith("/")) {
            throw new IllegalArgumentException("'" + text + "' must be an absolute path, e.g. /warehouse/**");
        }
        if (text.length() > MOST_CHARS) {
            throw new IllegalArgumentException("a path pattern has at most " + MOST_CHARS + " letters");
        }
        List<String> plain = new ArrayList<>();
        expand(text, "", plain);
        List<String[]> split = new ArrayList<>();
        for (String pattern : plain) {
            String[] components = pattern.substring(1).split("/", -1);
            for (int i = 0; i < components.length; i++) {
                check(text, components[i], i == components.length - 1 && components.length == 1);
            }
            split.add(components);
        }
        return new PathGlob(text, split);
    }

    private static void check(String text, String component, boolean root) {
        if (component.isEmpty() && !root) {
            throw new IllegalArgumentException(
                    "'" + text + "' has an empty component; write /dir/** for all below /dir");
        }
        if (component.contains("**") && !component.equals("**")) {
            throw new IllegalArgumentException("in '" + text + "' ** must be a component of its own, as in /a/**/b");
        }
    }

    /** Why some of what it stands for can be no path, with the remedy; null where there is nothing like that. */
    public @Nullable String neverMatches() {
        for (String[] pattern : alternatives) {
            if (pattern[0].equals(".reserved")) {
                return "'" + text + "' never matches: files are known by their own paths; write /a/** for"
                        + " /.reserved/raw/a/**";
            }
            for (String component : pattern) {
                if (component.equals(".snapshot")) {
                    return "'" + text + "' never matches: files in snapshots are known by the paths that they have now;"
                            + " write it without .snapshot and what is behind it";
                }
                if (component.equals(".") || component.equals("..")) {
                    return "'" + text + "' never matches: no path of HDFS has a component '" + component
                            + "'; write it without";
                }
            }
        }
        return null;
    }

    private static void expand(String text, String before, List<String> plain) {
        int open = text.indexOf('{');
        int close = text.indexOf('}');
        if (open < 0 && close < 0) {
            if (plain.size() >= MOST_ALTERNATIVES) {
                throw new IllegalArgumentException("braces stand for at most " + MOST_ALTERNATIVES + " patterns");
            }
            plain.add(before + text);
            return;
        }
        int nested = text.indexOf('{', open + 1);
        if (open < 0 || close < open || (nested >= 0 && nested < close)) {
            throw new IllegalArgumentException(
                    "braces in '" + before + text + "' must come in pairs, one not in another");
        }
        for (String choice : text.substring(open + 1, close).split(",", -1)) {
            expand(text.substring(close + 1), before + text.substring(0, open) + choice, plain);
        }
    }

    /** Whether the pattern takes in an absolute path without a trailing slash. */
    public boolean matches(String path) {
        return matches(components(path));
    }

    /** An absolute path in parts, for one who asks many patterns. */
    public static String[] components(String path) {
        return path.substring(1).split("/", -1);
    }

    /** As {@link #matches(String)}, of its {@link #components}. */
    public boolean matches(String[] components) {
        for (String[] pattern : alternatives) {
            if (matches(pattern, components)) {
                return true;
            }
        }
        return false;
    }

    private static boolean matches(String[] pattern, String[] path) {
        int p = 0;
        int star = -1;
        int retry = 0;
        int i = 0;
        while (i < path.length) {
            if (p < pattern.length && pattern[p].equals("**")) {
                star = p++;
                retry = i;
            } else if (p < pattern.length && matches(pattern[p], path[i])) {
                p++;
                i++;
            } else if (star >= 0) {
                p = star + 1;
                i = ++retry;
            } else {
                return false;
            }
        }
        while (p < pattern.length && pattern[p].equals("**")) {
            p++;
        }
        return p == pattern.length;
    }

    private static boolean matches(String pattern, String name) {
        int p = 0;
        int star = -1;
        int retry = 0;
        int i = 0;
        while (i < name.length()) {
            if (p < pattern.length() && pattern.charAt(p) == '*') {
                star = p++;
                retry = i;
            } else if (p < pattern.length() && pattern.charAt(p) == '?') {
                p++;
                i = name.offsetByCodePoints(i, 1);
            } else if (p < pattern.length() && pattern.charAt(p) == name.charAt(i)) {
                p++;
                i++;
            } else if (star >= 0) {
                p = star + 1;
                retry = name.offsetByCodePoints(retry, 1);
                i = retry;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }

    /** The longest paths above all that the pattern takes in, without wildcards. */
    public List<String> roots() {
        List<String> roots = new ArrayList<>();
        for (String[] pattern : alternatives) {
            StringBuilder root = new StringBuilder();
            for (String component : pattern) {
                if (component.isEmpty() || component.contains("*") || component.contains("?")) {
                    break;
                }
                root.append('/').append(component);
            }
            roots.add(root.isEmpty() ? "/" : root.toString());
        }
        return roots;
    }

    /** As it was written. */
    @Override
    public String toString() {
        return text;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PathGlob glob && glob.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }
}
