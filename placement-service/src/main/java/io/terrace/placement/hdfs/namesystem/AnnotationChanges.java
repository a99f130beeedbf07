package io.terrace.placement.hdfs.namesystem;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which changes of the namespace may concern annotations. Changed attributes are noted by path, at most {@value
 * #MOST_CHANGED} of them; of more nothing is noted, and the next look at a file shows them. A rename matters if annotated
 * directories above differ before and after. Thread-safe.
 */
final class AnnotationChanges {

    static final int MOST_CHANGED = 1_000;
    static final int MOST_ANNOTATED = 10_000;

    /** Paths where annotations were seen. */
    private final Set<String> annotated = ConcurrentHashMap.newKeySet();

    private final Set<String> changed = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean renamed = new AtomicBoolean();

    void annotated(String path) {
        if (annotated.size() < MOST_ANNOTATED) {
            annotated.add(path);
        }
    }

    void attributesChanged(String path) {
        if (changed.size() < MOST_CHANGED) {
            changed.add(path);
        }
    }

    void renamed(String from, String to) {
        if (annotated.isEmpty()) {
            return;
        }
        boolean differs = annotated.contains(to) || !annotatedAbove(from).equals(annotatedAbove(to));
        if (annotated.remove(from)) {
            annotated(to);
        }
        if (differs) {
            renamed.set(true);
        }
    }

    private List<String> annotatedAbove(String path) {
        List<String> above = new ArrayList<>();
        for (String at = parent(path); at != null; at = parent(at)) {
            if (annotated.contains(at)) {
                above.add(at);
            }
        }
        return above;
    }

    private static @Nullable String parent(String path) {
        int slash = path.lastIndexOf('/');
        return slash < 0 || path.length() == 1 ? null : slash == 0 ? "/" : path.substring(0, slash);
    }

    boolean isEmpty() {
        return !renamed.get() && changed.isEmpty();
    }

    /**
     * Takes what was noted, of changed attributes at most so many.
     *
     * @param isAnnotated whether any of these paths has annotations now
     * @return whether annotations changed
     */
    boolean take(int most, Predicate<List<String>> isAnnotated) {
        boolean concerns = renamed.getAndSet(false);
        List<String> paths = new ArrayList<>();
        for (Iterator<String> all = changed.iterator(); all.hasNext() && paths.size() < most; ) {
            String path = all.next();
            all.remove();
            paths.add(path);
            concerns |= annotated.contains(path);
        }
        return concerns || (!paths.isEmpty() && isAnnotated.test(paths));
    }
}
