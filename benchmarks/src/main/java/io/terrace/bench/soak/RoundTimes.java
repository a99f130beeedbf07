package io.terrace.bench.soak;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** How long each part of a round took. Not thread-safe. */
final class RoundTimes {
    private final Map<String, Long> seconds = new LinkedHashMap<>();
    private long sinceNs;

    /** @param nowNs when the first part begins */
    RoundTimes(long nowNs) {
        this.sinceNs = nowNs;
    }

    /** A part has ended, and the next one begins. */
    void ended(String part, long nowNs) {
        seconds.put(part, TimeUnit.NANOSECONDS.toSeconds(nowNs - sinceNs));
        sinceNs = nowNs;
    }

    /** Such as {@code faults 16 s, mend 5 s}. */
    String text() {
        return seconds.entrySet().stream()
                .map(each -> each.getKey() + " " + each.getValue() + " s")
                .collect(Collectors.joining(", "));
    }
}
