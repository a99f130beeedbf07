package io.terrace.bench.simulation.service;

import io.terrace.bench.simulation.kernel.Scheduler;
import io.terrace.common.ControlSample;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PolicyFile;
import io.terrace.placement.policyfile.PolicyFileException;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.PolicyKind;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * The policy file of a seed, which keeps most files in a range of tiers. In half of the seeds three pools share memory and each
 * tier of the range; in half there is a control sample. In a quarter new files get a copy in memory while they are written.
 *
 * @param sample none in the other half
 * @param movesByHand whether others move replicas as well. Those that they move just after the service did count where the service
 *     put them for up to a minute, which is longer than a seed lasts
 */
public record SeedPolicy(PolicySpec spec, ControlSample sample, boolean movesByHand) {

    /** The directory whose files a rule keeps in some tiers. */
    public static final String TIERED = "/tiered";

    private static final List<String> OBJECTIVES = List.of("tiered", "objects", "bytes", "jobs", "time");
    private static final List<String> TIER_WORDS = List.of("nvm", "ssd", "disk", "archive");

    /** @param ownPolicy whether to draw from all policies and their parameters, the adaptive one with each objective */
    public static SeedPolicy of(Scheduler scheduler, boolean ownPolicy) {
        boolean eager = scheduler.oneIn(2);
        List<PolicyKind> kinds = PolicyCatalog.kinds();
        String policy = eager
                ? "idecider"
                : kinds.get(scheduler.random().nextInt(kinds.size())).name();
        Map<String, String> parameters =
                eager ? Map.of("threshold", Integer.toString(scheduler.random().nextInt(3))) : Map.of();
        if (ownPolicy) {
            Random own = scheduler.randomFor("policy");
            policy = own.nextBoolean()
                    ? "adaptive"
                    : kinds.get(own.nextInt(kinds.size())).name();
            parameters = parameters(policy, own);
        }
        int fastest = scheduler.random().nextInt(TIER_WORDS.size());
        int slowest = (int) scheduler.between(fastest, TIER_WORDS.size() - 1);
        boolean allReplicas = scheduler.oneIn(2);
        Random random = scheduler.randomFor("pools and control sample");
        boolean pools = random.nextBoolean();
        ControlSample sample =
                random.nextBoolean() ? new ControlSample(ControlSample.MOST_PERCENT) : ControlSample.NONE;

        boolean movesByHand = !pools || random.nextBoolean();
        StringBuilder text = new StringBuilder("policy: " + policy + "\nparameters:");
        text.append(parameters.isEmpty() ? " {}" : "");
        parameters.forEach((name, value) ->
                text.append("\n  ").append(name).append(": \"").append(value).append('"'));
        if (pools) {
            appendPools(text, random, TIER_WORDS.subList(fastest, slowest + 1));
        }
        text.append("\nrules:");
        String range =
                TIER_WORDS.get(fastest) + ".." + TIER_WORDS.get(slowest) + (allReplicas ? "\n   replicas: all" : "");
        if (pools) {
            appendRule(text, TIERED + "/*{0,1,2,3}", range + "\n   pool: a");
            appendRule(text, TIERED + "/*{4,5,6}", range + "\n   pool: b");
        }
        appendRule(text, TIERED + "/**", range);
        if (scheduler.randomFor("rule for new files").nextInt(4) == 0) {
            text.append("\n   write: memory");
        }
        text.append('\n');
        try {
            return new SeedPolicy(PolicyFile.read("policy", text.toString()), sample, movesByHand);
        } catch (PolicyFileException e) {
            throw new IllegalStateException(text.toString(), e);
        }
    }

    private static Map<String, String> parameters(String policy, Random random) {
        Map<String, String> drawn = new TreeMap<>();
        drawn.put("writes", random.nextBoolean() ? "around" : "allocate");
        if (policy.equals("adaptive")) {
            drawn.put("objective", OBJECTIVES.get(random.nextInt(OBJECTIVES.size())));
            drawn.put("tracked", Integer.toString(16 << random.nextInt(8)));
            drawn.put("sampled", Integer.toString(16 << random.nextInt(8)));
            drawn.put("move-cost", List.of("0", "0.015", "0.3").get(random.nextInt(3)));
            drawn.put("margin", List.of("0", "0.005", "0.2").get(random.nextInt(3)));
            drawn.put("memory", "1000");
        } else if (policy.equals("idecider")) {
            drawn.put("threshold", Integer.toString(random.nextInt(3)));
        }
        return drawn;
    }

    private static void appendRule(StringBuilder text, String path, String range) {
        text.append("\n - path: \"").append(path).append("\"\n   tiers: ").append(range);
    }

    private static void appendPools(StringBuilder text, Random random, List<String> tiers) {
        text.append("\npools:");
        for (String pool : List.of("a", "b")) {
            text.append("\n - name: ").append(pool).append("\n   share: ").append(20 + random.nextInt(30));
            text.append("%\n   most: 60%\n   tiers:");
            for (String tier : tiers) {
                int share = 5 + random.nextInt(40);
                int most = share + random.nextInt(100 - share);
                text.append("\n    ")
                        .append(tier)
                        .append(": {share: ")
                        .append(share)
                        .append("%, most: ");
                text.append(most)
                        .append("%, lend: ")
                        .append(random.nextBoolean())
                        .append('}');
            }
        }
    }

    public boolean hasPools() {
        return !spec.pools().isEmpty();
    }

    /** The pool of a file's blocks in tiers below memory. */
    public int pool(String path) {
        PathRule rule = spec.ruleFor(path);
        return rule == null ? 0 : rule.pool();
    }
}
