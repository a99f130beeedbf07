package io.terrace.placement.journal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Numbers for the UUIDs of DataNodes, so that a record names them in a byte or two. A number is never given twice. At most
 * {@value #MOST} DataNodes have one. Not thread-safe.
 */
final class NodeNumbers {

    static final int MOST = 100_000;

    private final List<String> names = new ArrayList<>();
    private final Map<String, Integer> numbers = new HashMap<>();

    /** The number of a DataNode, given now if it has none; -1 when there are too many. */
    int number(String node) {
        Integer known = numbers.get(node);
        if (known != null) {
            return known;
        }
        if (names.size() == MOST) {
            return -1;
        }
        names.add(node);
        numbers.put(node, names.size() - 1);
        return names.size() - 1;
    }

    /** Null where no DataNode has the number. */
    @Nullable
    String name(int number) {
        return number >= 0 && number < names.size() ? names.get(number) : null;
    }

    int size() {
        return names.size();
    }
}
