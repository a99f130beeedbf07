package io.terrace.policy;

import io.terrace.policy.adaptive.AdaptivePolicy;
import io.terrace.policy.adaptive.Objective;
import io.terrace.policy.adaptive.Tuning;
import io.terrace.policy.api.PlacementPolicy;
import io.terrace.policy.api.TierHierarchy;
import io.terrace.policy.cache.ArcPolicy;
import io.terrace.policy.cache.CachePolicy;
import io.terrace.policy.cache.DecayPolicy;
import io.terrace.policy.cache.FrequencyPolicy;
import io.terrace.policy.cache.FrequencyPolicy.Rule;
import io.terrace.policy.cache.IDeciderPolicy;
import io.terrace.policy.cache.LruPolicy;
import io.terrace.policy.cache.S3FifoPolicy;
import io.terrace.policy.cache.SievePolicy;
import io.terrace.policy.cache.TinyLfuPolicy;
import io.terrace.policy.cache.TwoQueuePolicy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The policies that can be chosen by name, with their parameters; the one place where they are made. */
public final class PolicyCatalog {

    private static final PolicyParameter WRITES = new PolicyParameter(
            "writes", "around", "'around': only reads are counted; 'allocate': a write counts as a read would");

    private static final Map<String, Entry> ENTRIES = new LinkedHashMap<>();

    static {
        adaptive();
        cachePolicy(
                "idecider",
                "Admits an object read more often than a threshold and evicts the one of greatest age (Rudani,"
                        + " Campbell)",
                List.of(
                        new PolicyParameter("threshold", "2", "reads an object must exceed to be admitted, 0 or more"),
                        remembered()),
                parameters -> {
                    int threshold = (int) parameters.whole("threshold", 0, Integer.MAX_VALUE);
                    int remembered = remembered(parameters);
                    return capacity -> new IDeciderPolicy(capacity, threshold, remembered);
                });
        cachePolicy(
                "lru",
                "Admits everything that fits and evicts the least recently used",
                List.of(),
                parameters -> LruPolicy::new);
        frequency("lfu", Rule.LFU, "Admits everything that fits and evicts the least often used");
        cachePolicy(
                "lrfu",
                "Between LRU and LFU: counts that fade with every access to anything (Lee et al. 2001)",
                List.of(
                        new PolicyParameter("lambda", "0.001", "half-lives per access; 0 is LFU, 1 is LRU"),
                        remembered()),
                parameters -> {
                    double lambda = parameters.number("lambda", 0, 1);
                    int remembered = remembered(parameters);
                    return capacity -> new FrequencyPolicy("lrfu", Rule.LRFU, capacity, remembered, lambda);
                });
        frequency("gdsf", Rule.GDSF, "Greedy dual by size and frequency: uses per byte, ageing with what was evicted");
        cachePolicy(
                "s3-fifo",
                "Three FIFO queues: new objects prove themselves in a small one (Yang et al. 2023)",
                List.of(
                        new PolicyParameter("small", "0.1", "share of the room for new objects, above 0 and below 1"),
                        ghosts()),
                parameters -> {
                    double small = parameters.number("small", 0.001, 0.999);
                    int remembered = remembered(parameters);
                    return capacity -> new S3FifoPolicy(capacity, small, remembered);
                });
        cachePolicy(
                "arc",
                "Recency and frequency lists whose shares follow what comes back (Megiddo, Modha 2003)",
                List.of(ghosts()),
                parameters -> {
                    int remembered = remembered(parameters);
                    return capacity -> new ArcPolicy(capacity, remembered);
                });
        cachePolicy(
                "2q",
                "A FIFO for new objects, a recency list for what comes back (Johnson, Shasha 1994)",
                List.of(
                        new PolicyParameter("in", "0.25", "share of the room for new objects, above 0 and below 1"),
                        new PolicyParameter(
                                "out", "0.5", "bytes remembered after leaving, as a share of the room, 0..8"),
                        ghosts()),
                parameters -> {
                    double in = parameters.number("in", 0.001, 0.999);
                    double out = parameters.number("out", 0, 8);
                    int remembered = remembered(parameters);
                    return capacity -> new TwoQueuePolicy(capacity, in, out, remembered);
                });
        cachePolicy(
                "sieve",
                "A queue with a hand that spares what was used since it last came by (Zhang et al. 2024)",
                List.of(),
                parameters -> SievePolicy::new);
        cachePolicy(
                "w-tinylfu",
                "A window by recency before a room guarded by a frequency sketch (Einziger et al. 2017)",
                List.of(
                        new PolicyParameter("window", "0.01", "share of the room for new objects, above 0 and below 1"),
                        new PolicyParameter("expected", "65536", "objects the sketch is made for, 16 to 67108864")),
                parameters -> {
                    double window = parameters.number("window", 0.0001, 0.9);
                    int expected = (int) parameters.whole("expected", 16, 1 << 26);
                    return capacity -> new TinyLfuPolicy(capacity, window, expected);
                });
        decay("decay-admit", false, "Decayed access counts; admits what is read more than those it displaces");
        decay(
                "decay-density",
                true,
                "Decayed access counts per byte; admits what is worth more than those it displaces");
    }

    private static void adaptive() {
        List<PolicyParameter> parameters = List.of(
                new PolicyParameter(
                        "objective",
                        "tiered",
                        "what counts: 'objects' served, 'bytes' served, 'jobs' whose whole input is served, 'time'"
                                + " that reads are spared, or 'tiered': objects in the fastest tier, bytes below"),
                new PolicyParameter("tracked", "1000000", "objects with a record of about 60 bytes, 16 to 16777216"),
                new PolicyParameter(
                        "sampled", "32768", "objects that take part in the tournament of rules, 16 or more"),
                new PolicyParameter(
                        "move-cost", "0.015", "what a move into a tier costs, as a share of a hit, 0 to 0.9"),
                new PolicyParameter(
                        "margin", "0.005", "share of all reads by which a rule must lead to be followed, 0 to 1"),
                new PolicyParameter(
                        "memory", "100000", "reads after which older evidence on returns counts half, 1000 or more"),
                WRITES);
        PolicyKind kind = new PolicyKind(
                "adaptive",
                "Learns when objects of each kind come back, keeps what earns most hits for its room, and follows the"
                        + " best of several rules tried in miniature; the default",
                parameters);
        ENTRIES.put(kind.name(), new Entry(kind, (values, hierarchy) -> {
            String objective = values.word("objective", "tiered", "objects", "bytes", "jobs", "time");
            CachePolicy.Maker[] makers = new CachePolicy.Maker[hierarchy.base()];
            for (int k = 0; k < makers.length; k++) {
                Tuning tuning = new Tuning(
                        objective(objective, k),
                        (int) values.whole("tracked", 16, Tuning.MOST_TRACKED),
                        (int) values.whole("sampled", 16, Tuning.MOST_TRACKED),
                        values.number("move-cost", 0, 0.9),
                        values.number("margin", 0, 1),
                        values.whole("memory", 1000, Long.MAX_VALUE));
                makers[k] = capacity -> new AdaptivePolicy(capacity, tuning);
            }
            boolean allocate = values.word("writes", "around", "allocate").equals("allocate");
            return new TieredPolicy(kind.name(), hierarchy, makers, allocate);
        }));
    }

    private static Objective objective(String word, int tier) {
        return switch (word) {
            case "bytes" -> Objective.BYTES;
            case "jobs" -> Objective.JOBS;
            case "time" -> Objective.TIME;
            case "tiered" -> tier > 0 ? Objective.BYTES : Objective.OBJECTS;
            default -> Objective.OBJECTS;
        };
    }

    private static void frequency(String name, Rule rule, String summary) {
        cachePolicy(name, summary, rule == Rule.LFU ? List.of(remembered()) : List.of(), parameters -> {
            int remembered = rule == Rule.LFU ? remembered(parameters) : 0;
            return capacity -> new FrequencyPolicy(name, rule, capacity, remembered, 0);
        });
    }

    private static void decay(String name, boolean byDensity, String summary) {
        cachePolicy(
                name,
                summary,
                List.of(
                        new PolicyParameter("half-life", "1h", "time in which a count halves, at least 1s"),
                        remembered()),
                parameters -> {
                    long halfLifeMs = parameters.durationMs("half-life", 1000);
                    int remembered = remembered(parameters);
                    return capacity -> new DecayPolicy(name, capacity, halfLifeMs, byDensity, remembered);
                });
    }

    private PolicyCatalog() {}

    /** The policies in the order they are shown. */
    public static List<PolicyKind> kinds() {
        List<PolicyKind> kinds = new ArrayList<>();
        ENTRIES.values().forEach(entry -> kinds.add(entry.kind));
        return kinds;
    }

    /**
     * Makes a policy.
     *
     * @param name one of {@link #kinds}
     * @param parameters values from the policy file; absent keys take their defaults
     * @throws IllegalArgumentException naming what is wrong and what is allowed
     */
    public static PlacementPolicy create(String name, Map<String, String> parameters, TierHierarchy hierarchy) {
        Entry entry = ENTRIES.get(name);
        if (entry == null) {
            throw new IllegalArgumentException(
                    "there is no policy '" + name + "'; there are " + String.join(", ", ENTRIES.keySet()));
        }
        return entry.factory.make(new PolicyParameters(entry.kind, parameters), hierarchy);
    }

    private static int remembered(PolicyParameters parameters) {
        return (int) parameters.whole("remembered", 1, Integer.MAX_VALUE);
    }

    private static PolicyParameter ghosts() {
        return new PolicyParameter("remembered", "1000000", "objects remembered after leaving, at most");
    }

    private static PolicyParameter remembered() {
        return new PolicyParameter(
                "remembered",
                "1000000",
                "objects outside the fast tiers whose reads are counted, the latest read ones");
    }

    private static void cachePolicy(String name, String summary, List<PolicyParameter> parameters, CacheReader reader) {
        List<PolicyParameter> all = new ArrayList<>(parameters);
        all.add(WRITES);
        ENTRIES.put(
                name,
                new Entry(
                        new PolicyKind(name, summary, all),
                        (values, hierarchy) -> new TieredPolicy(
                                name,
                                hierarchy,
                                reader.read(values),
                                values.word("writes", "around", "allocate").equals("allocate"))));
    }

    private record Entry(PolicyKind kind, Factory factory) {}

    @FunctionalInterface
    private interface Factory {
        PlacementPolicy make(PolicyParameters parameters, TierHierarchy hierarchy);
    }

    @FunctionalInterface
    private interface CacheReader {
        CachePolicy.Maker read(PolicyParameters parameters);
    }
}
