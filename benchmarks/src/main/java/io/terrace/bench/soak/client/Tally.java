package io.terrace.bench.soak.client;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counters by name, of one process. Thread-safe. */
final class Tally {
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

    void add(String name, long more) {
        counts.computeIfAbsent(name, fresh -> new LongAdder()).add(more);
    }

    /** As words {@code name=value}. */
    String text() {
        StringBuilder text = new StringBuilder();
        counts.forEach((name, count) ->
                text.append(text.isEmpty() ? "" : " ").append(name).append('=').append(count.sum()));
        return text.toString();
    }
}
