package io.terrace.bench.soak;

import java.io.PrintWriter;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/** What processes counted, and what they found wrong. Thread-safe. */
final class Findings {
    /** More are counted and not printed. */
    private static final int MAX_PRINTED = 200;

    private final PrintWriter out;
    private final Flips flips;
    private final Predicate<String> memoryUnverified;
    private final Map<String, Long> ended = new TreeMap<>();
    private final Map<String, Map<String, Long>> running = new TreeMap<>();
    private final Map<String, Long> found = new TreeMap<>();
    private int printed;

    /** @param memoryUnverified whether a process reads memory without checksums, so that it sees a flipped bit until a scrub */
    Findings(PrintWriter out, Flips flips, Predicate<String> memoryUnverified) {
        this.out = out;
        this.flips = flips;
        this.memoryUnverified = memoryUnverified;
        for (String name : new String[] {"bytes.wrong", "bytes.wrong.flipped", "bytes.lost", "broken", "stuck"}) {
            found.put(name, 0L);
        }
    }

    /** Takes a line of a process in. */
    synchronized void take(String process, String line) {
        String[] words = line.split(" ", -1);
        switch (words[0]) {
            case "TALLY" -> {
                Map<String, Long> tally = new TreeMap<>();
                for (int i = 1; i < words.length; i++) {
                    int equals = words[i].indexOf('=');
                    if (equals > 0) {
                        tally.put(words[i].substring(0, equals), Long.parseLong(words[i].substring(equals + 1)));
                    }
                }
                running.put(process, tally);
            }
            case "WRONG" -> wrong(process, line, words);
            case "LOST" -> {
                count("bytes.lost", Long.parseLong(words[2]));
                print(process, line);
            }
            case "BROKEN" -> {
                count("broken", 1);
                print(process, line);
            }
            case "STUCK" -> {
                count("stuck", 1);
                print(process, line);
            }
            default -> {}
        }
    }

    private void wrong(String process, String line, String[] words) {
        long count = Long.parseLong(words[5]);
        long block = Long.parseLong(words[6]);
        long offset = Long.parseLong(words[7]);
        boolean explained = memoryUnverified.test(process)
                && count == 1
                && flips.explains(block, offset, Integer.parseInt(words[3]), Integer.parseInt(words[4]));
        count(explained ? "bytes.wrong.flipped" : "bytes.wrong", count);
        if (!explained) {
            print(process, line);
        }
    }

    private void print(String process, String line) {
        if (printed++ < MAX_PRINTED) {
            out.println("  " + java.time.LocalTime.now().withNano(0) + " " + process + ": " + line);
            out.flush();
        }
    }

    synchronized void count(String name, long more) {
        found.merge(name, more, Long::sum);
    }

    /** The process has ended: the next one of its name counts from nothing. */
    synchronized void ended(String process) {
        Map<String, Long> tally = running.remove(process);
        if (tally != null) {
            tally.forEach((name, value) -> ended.merge(name, value, Long::sum));
        }
    }

    /** All figures. */
    synchronized Map<String, Long> figures() {
        Map<String, Long> all = new TreeMap<>(ended);
        running.values().forEach(tally -> tally.forEach((name, value) -> all.merge(name, value, Long::sum)));
        found.forEach((name, value) -> all.merge(name, value, Long::sum));
        return all;
    }

    long value(String name) {
        return figures().getOrDefault(name, 0L);
    }
}
