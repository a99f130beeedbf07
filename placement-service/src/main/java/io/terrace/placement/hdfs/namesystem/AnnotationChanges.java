package io.terrace.placement.hdfs.namesystem;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which changes of the namespace may concern annotations. Changed attributes are noted by path, at most {@value
 * #MOST_CHANGED} of them; of more nothing is noted, and the next look at a file shows them. A rename matters if annotated
 * directories above differ before and after. Thread-safe.
 */
final class AnnotationChanges {

    static final int MOST_CHANGED = 1_000;

    private final AnnotatedPaths annotated = new AnnotatedPaths();

    /** Directories whose annotations decided on new files below them when they were told last. */
    private final AnnotatedPaths ofWrites = new AnnotatedPaths();

    private final AtomicLong ofWritesVersion = new AtomicLong();

    private final Set<String> changed = ConcurrentHashMap.newKeySet();

    /** Paths to be looked at for {@code satisfy}: of changed attributes, and of changed storage policies. */
    private final Set<String> attributes = ConcurrentHashMap.newKeySet();

    private final Set<String> policies = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean renamed = new AtomicBoolean();

    /**
     * Annotations were seen there.
     *
     * @param decidesOnWrites whether it is a directory, with one that decides on new files below it
     */
    void annotated(String path, boolean decidesOnWrites) {
        annotated.add(path);
        if (decidesOnWrites) {
            ofWrites.add(path);
        }
        if (ofWrites.contains(path)) {
            ofWritesVersion.incrementAndGet();
        }
    }

    /** Directories whose annotations decide on new files below them, or did; those that were told last, at most so many. */
    List<String> ofWrites(int most) {
        return ofWrites.latest(most);
    }

    /** Another number whenever those directories, or what they say, may have changed. */
    long ofWritesVersion() {
        return ofWritesVersion.get();
    }

    void deleted(String path) {
        if (!annotated.isEmpty()) {
            annotated.removeTree(path);
            if (ofWrites.removeTree(path)) {
                ofWritesVersion.incrementAndGet();
            }
        }
    }

    void attributesChanged(String path) {
        if (changed.size() < MOST_CHANGED) {
            changed.add(path);
        }
        if (attributes.size() < MOST_CHANGED) {
            attributes.add(path);
        }
    }

    void policyChanged(String path) {
        policies.add(policies.size() < MOST_CHANGED ? path : "/");
    }

    /** Takes paths whose storage policy changed, at most so many. */
    List<String> takePolicies(int most) {
        return taken(policies, most);
    }

    /** Takes paths whose attributes changed, at most so many. */
    List<String> takeAttributes(int most) {
        return taken(attributes, most);
    }

    boolean isKnownAsAnnotated(String path) {
        return annotated.contains(path);
    }

    private static List<String> taken(Set<String> noted, int most) {
        List<String> taken = new ArrayList<>();
        for (Iterator<String> all = noted.iterator(); all.hasNext() && taken.size() < most; ) {
            taken.add(all.next());
            all.remove();
        }
        return taken;
    }

    /** By the older call: where the new path is a directory, it is below that now. Both are taken for annotated then. */
    void renamedToOrInto(String from, String to) {
        String directory = to.endsWith("/") ? to : to + '/';
        renamed(from, to, List.of(to, directory + from.substring(from.lastIndexOf('/') + 1)));
    }

    /** By the newer call: it is at the new path now. What was there is gone, if it was overwritten. */
    void renamed(String from, String to, boolean overwritten) {
        boolean wasAnnotated = annotated.contains(to);
        if (overwritten) {
            deleted(to);
        }
        renamed(from, to, List.of(to));
        if (wasAnnotated) {
            renamed.set(true);
        }
    }

    private void renamed(String from, String to, List<String> destinations) {
        if (annotated.isEmpty()) {
            return;
        }
        boolean differs = annotated.contains(to) || !annotatedAbove(from).equals(annotatedAbove(to));
        annotated.renameTree(from, destinations);
        if (ofWrites.renameTree(from, destinations)) {
            ofWritesVersion.incrementAndGet();
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
        List<String> paths = taken(changed, most);
        for (String path : paths) {
            concerns |= annotated.contains(path);
        }
        return concerns || (!paths.isEmpty() && isAnnotated.test(paths));
    }
}
