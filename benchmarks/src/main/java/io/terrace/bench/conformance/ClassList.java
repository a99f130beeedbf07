package io.terrace.bench.conformance;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The committed list of test classes.
 *
 * <p>Format of the list: a {@code [group]} line opens a group, every further line is one class name; {@code #} starts a
 * comment. A class stands in one group only.
 *
 * @param classes in the order of the file
 */
record ClassList(List<ListedClass> classes) {
    private static final Pattern CLASS_NAME = Pattern.compile("[A-Za-z_]\\w*(\\.[A-Za-z_]\\w*)+");

    ClassList {
        classes = List.copyOf(classes);
    }

    /**
     * Reads a list.
     *
     * @throws IllegalArgumentException naming the line that is malformed or repeated
     */
    static ClassList parse(List<String> lines) {
        List<ListedClass> classes = new ArrayList<>();
        Map<String, Integer> seen = new HashMap<>();
        String group = "";
        for (int number = 1; number <= lines.size(); number++) {
            String line = withoutComment(lines.get(number - 1));
            if (line.isEmpty()) {
                continue;
            }
            if (line.startsWith("[") && line.endsWith("]")) {
                group = line.substring(1, line.length() - 1).trim();
                continue;
            }
            if (group.isEmpty()) {
                throw new IllegalArgumentException("line " + number + ": " + line + " stands before the first [group]");
            }
            Integer first = seen.putIfAbsent(requireClassName(line, number), number);
            if (first != null) {
                throw new IllegalArgumentException("line " + number + ": " + line + " is listed in line " + first);
            }
            classes.add(new ListedClass(group, line));
        }
        return new ClassList(classes);
    }

    /** Those of the list that the filter names, by full or simple name; all where the filter is empty. */
    ClassList named(List<String> names) {
        if (names.isEmpty()) {
            return this;
        }
        List<ListedClass> chosen = new ArrayList<>();
        for (String name : names) {
            List<ListedClass> found = classes.stream()
                    .filter(listed -> listed.className().equals(name)
                            || listed.simpleName().equals(name))
                    .toList();
            if (found.isEmpty() && CLASS_NAME.matcher(name).matches()) {
                found = List.of(new ListedClass("named", name));
            }
            if (found.isEmpty()) {
                throw new IllegalArgumentException(name + " is not in the list; give its full class name");
            }
            chosen.addAll(found);
        }
        return new ClassList(chosen.stream().distinct().toList());
    }

    /** The classes of this shard: every n-th, so that slow groups spread over the shards. */
    ClassList shard(Shard shard) {
        List<ListedClass> chosen = new ArrayList<>();
        for (int i = shard.index() - 1; i < classes.size(); i += shard.count()) {
            chosen.add(classes.get(i));
        }
        return new ClassList(chosen);
    }

    static String requireClassName(String text, int line) {
        if (!CLASS_NAME.matcher(text).matches()) {
            throw new IllegalArgumentException("line " + line + ": " + text + " is not a class name");
        }
        return text;
    }

    static String withoutComment(String line) {
        int hash = line.indexOf('#');
        return (hash < 0 ? line : line.substring(0, hash)).trim();
    }
}
