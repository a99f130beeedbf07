package io.terrace.placement.hdfs.namesystem;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Paths where annotations were seen, at most {@value #MOST}. Where there are more, the quarter is forgotten that was told
 * longest ago: those that are in use are told again now and then. Thread-safe, takes no lock.
 */
final class AnnotatedPaths {

    static final int MOST = 10_000;

    /** When each was told, as a number that grows. */
    private final ConcurrentNavigableMap<String, Long> told = new ConcurrentSkipListMap<>();

    /** As the map counts by walking over it; it may be behind for a moment. */
    private final AtomicInteger size = new AtomicInteger();

    private final AtomicLong tellings = new AtomicLong();

    void add(String path) {
        if (told.put(path, tellings.incrementAndGet()) == null && size.incrementAndGet() > MOST) {
            long[] oldestFirst =
                    told.values().stream().mapToLong(Long::longValue).sorted().toArray();
            long gone = oldestFirst[oldestFirst.length / 4];
            told.forEach((other, number) -> {
                if (number <= gone) {
                    remove(other);
                }
            });
        }
    }

    boolean contains(String path) {
        return told.containsKey(path);
    }

    /** Those that were told last, at most so many. */
    List<String> latest(int most) {
        return told.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(most)
                .map(Map.Entry::getKey)
                .toList();
    }

    boolean isEmpty() {
        return told.isEmpty();
    }

    /** With what is below it. Returns whether any was there. */
    boolean removeTree(String path) {
        boolean was = remove(path);
        for (String each : below(path)) {
            was |= remove(each);
        }
        return was;
    }

    /**
     * The directory or file is at one of these paths now, with what is below it. What is known of them stays.
     *
     * @return whether any was there
     */
    boolean renameTree(String from, List<String> destinations) {
        List<String> below = below(from);
        boolean was = remove(from);
        if (was) {
            destinations.forEach(this::add);
        }
        for (String path : below) {
            if (remove(path)) {
                was = true;
                destinations.forEach(to -> add(to + path.substring(from.length())));
            }
        }
        return was;
    }

    private boolean remove(String path) {
        boolean was = told.remove(path) != null;
        if (was) {
            size.decrementAndGet();
        }
        return was;
    }

    private List<String> below(String path) {
        String directory = path.endsWith("/") ? path : path + '/';
        return List.copyOf(told.subMap(directory, false, directory + Character.MAX_VALUE, true)
                .keySet());
    }
}
