package io.terrace.bench.soak;

import java.util.List;
import java.util.SplittableRandom;

/** Policy files, by a number. Each has the replicas of one client at least go to the faster volume, or up and down. */
final class PolicyDraw {
    private static final List<String> POLICIES =
            List.of("lru", "adaptive", "s3-fifo", "arc", "sieve", "gdsf", "w-tinylfu", "decay-admit", "lfu");

    private static final List<String> RULES = List.of(
            "place: never",
            "place: pin\n    most: 8m",
            "place: prefer\n    weight: 8",
            "place: allow\n    largest: 1m",
            "write: memory");

    private static final List<String> TIERS = List.of("ssd", "disk", "ssd..disk", "ssd..disk\n    replicas: all");

    private static final String INDENT = "\n    ";

    private PolicyDraw() {}

    static String text(long draw) {
        SplittableRandom random = new SplittableRandom(draw);
        StringBuilder text = new StringBuilder("policy: ")
                .append(POLICIES.get(random.nextInt(POLICIES.size())))
                .append('\n');
        text.append("rules:\n");
        for (int rules = random.nextInt(3); rules > 0; rules--) {
            String path = "c" + (1 + random.nextInt(2)) + (random.nextBoolean() ? "/**" : "/*1*");
            String rule = RULES.get(random.nextInt(RULES.size()));
            boolean ranged = random.nextBoolean();
            add(text, path, ranged ? rule + INDENT + tiers(random.nextInt(TIERS.size())) : rule);
        }
        int first = random.nextInt(TIERS.size());
        add(text, "c1/**", tiers(first));
        // Another range than the one before.
        add(text, "c2/**", tiers((first + 1 + random.nextInt(TIERS.size() - 1)) % TIERS.size()));
        return text.toString();
    }

    private static String tiers(int which) {
        return "tiers: " + TIERS.get(which);
    }

    private static void add(StringBuilder text, String path, String rule) {
        text.append("  - path: /soak/").append(path).append(INDENT).append(rule).append('\n');
    }
}
