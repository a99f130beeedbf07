package io.terrace.bench.soak;

import java.util.List;
import java.util.SplittableRandom;

/** Policy files, by a number. */
final class PolicyDraw {
    private static final List<String> POLICIES =
            List.of("lru", "adaptive", "s3-fifo", "arc", "sieve", "gdsf", "w-tinylfu", "decay-admit", "lfu");

    private static final List<String> RULES = List.of(
            "place: never",
            "place: pin\n    most: 8m",
            "place: prefer\n    weight: 8",
            "place: allow\n    largest: 1m",
            "write: memory");

    private PolicyDraw() {}

    static String text(long draw) {
        SplittableRandom random = new SplittableRandom(draw);
        StringBuilder text = new StringBuilder("policy: ")
                .append(POLICIES.get(random.nextInt(POLICIES.size())))
                .append('\n');
        int rules = random.nextInt(3);
        if (rules > 0) {
            text.append("rules:\n");
        }
        for (int i = 1; i <= rules; i++) {
            text.append("  - path: /soak/c")
                    .append(1 + random.nextInt(2))
                    .append(random.nextBoolean() ? "/**" : "/*1*")
                    .append("\n    ")
                    .append(RULES.get(random.nextInt(RULES.size())))
                    .append('\n');
        }
        return text.toString();
    }
}
