package io.terrace.bench.soak;

import io.terrace.bench.soak.client.LastBlock;
import java.io.PrintWriter;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import java.util.function.Predicate;

/** What processes counted, and what they found wrong. Thread-safe. */
final class Findings {
    /** More are counted and not printed. */
    private static final int MAX_PRINTED = 200;

    private static final String FAILED_FLIPPED = "reads.failed.quiet.flipped";
    private static final String LONGEST_SETTLE = "settle.max.s";
    private static final String RECOVERED_DAMAGED = "recovered.damaged";

    private final PrintWriter out;
    private final Flips flips;
    private final Predicate<String> memoryUnverified;
    private final Predicate<LastBlock> recoveredDamaged;
    private final LongPredicate staleCopy;
    private final Set<Long> damaged = new HashSet<>();
    private final Set<String> filesLost = new HashSet<>();
    private final Map<String, Long> ended = new TreeMap<>();
    private final Map<String, Map<String, Long>> running = new TreeMap<>();
    private final Map<String, Long> found = new TreeMap<>();
    private int printed;

    /**
     * @param memoryUnverified whether a process reads memory without checksums, so that it sees a flipped bit until a scrub
     * @param recoveredDamaged whether a recovery left the block with a replica alone in which a bit had been flipped
     * @param staleCopy whether a DataNode refuses copies of a block, as stock left a part of an earlier one
     */
    Findings(
            PrintWriter out,
            Flips flips,
            Predicate<String> memoryUnverified,
            Predicate<LastBlock> recoveredDamaged,
            LongPredicate staleCopy) {
        this.out = out;
        this.flips = flips;
        this.memoryUnverified = memoryUnverified;
        this.recoveredDamaged = recoveredDamaged;
        this.staleCopy = staleCopy;
        for (String name : new String[] {
            "bytes.wrong",
            "bytes.wrong.flipped",
            "bytes.lost",
            "files.lost",
            "check.hidden",
            RECOVERED_DAMAGED,
            "broken",
            "stuck",
            "clients.ended",
            "datanodes.ended",
            "daemons.ended"
        }) {
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
            case "LOST" -> lost(process, line, words);
            case "FAILED" -> failed(process, line, words);
            case "SETTLED" -> found.merge(LONGEST_SETTLE, (Long.parseLong(words[2]) + 999) / 1000, Math::max);
            case "REPLICAS" -> replicas(process, line, words);
            case "HIDDEN" -> hidden(process, line, words);
            case "UNREADABLE" -> unreadable(process, line, words);
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
                && flips.explainsInMemory(block, offset, Integer.parseInt(words[3]), Integer.parseInt(words[4]));
        count(explained ? "bytes.wrong.flipped" : "bytes.wrong", count);
        if (!explained) {
            print(process, line);
        }
    }

    /** A block counts once, whoever reads it in whichever round. */
    private void unreadable(String process, String line, String[] words) {
        LastBlock block = LastBlock.of(List.of(words).subList(3, words.length));
        if (recoveredDamaged.test(block)) {
            if (damaged.add(block.id())) {
                count(RECOVERED_DAMAGED, 1);
                print(process, line);
            }
            return;
        }
        lost(process, line, words);
    }

    /** A file that is gone counts, however little of it was acknowledged. */
    private void lost(String process, String line, String[] words) {
        count("bytes.lost", Math.max(1, Long.parseLong(words[2])));
        count("files.lost", filesLost.add(words[1]) ? 1 : 0);
        print(process, line);
    }

    /** Only a bit that was flipped there makes a replica bad. */
    private void hidden(String process, String line, String[] words) {
        if (flips.ofReplica(Long.parseLong(words[3])).isEmpty()) {
            lost(process, line, words);
            return;
        }
        count("check.hidden", 1);
        print(process, line);
    }

    /** Without faults nothing fails, but for a block that a flipped bit has spoilt for this client, or for all. */
    private void failed(String process, String line, String[] words) {
        long block = Long.parseLong(words[3]);
        boolean hidden = words[4].equals("hidden") && flips.ofReplica(block).isPresent();
        if (hidden || damaged.contains(block)) {
            count(FAILED_FLIPPED, 1);
        } else {
            count(words[1].equals("short") ? "reads.short.quiet" : words[1] + ".failed.quiet", 1);
            print(process, line);
        }
    }

    /**
     * A stock reader that is served from a bad copy in memory has the NameNode take the replica on the volume for bad too: a known
     * difference from stock (docs/reliability.md).
     */
    private void replicas(String process, String line, String[] words) {
        long block = Long.parseLong(words[3]);
        String why = "";
        if (words[2].equals("missing") && flips.wasInMemory(block)) {
            why = ".flipped";
        } else if (words[2].equals("missing") && staleCopy.test(block)) {
            why = ".stale";
        }
        count("replicas." + words[2] + why, 1);
        print(process, line);
    }

    /** Prints something that is wrong. */
    synchronized void print(String process, String line) {
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
