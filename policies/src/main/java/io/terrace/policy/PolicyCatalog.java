package io.terrace.policy;

import io.terrace.policy.shelf.DecayShelf;
import io.terrace.policy.shelf.IDeciderShelf;
import io.terrace.policy.shelf.LayeredPolicy;
import io.terrace.policy.shelf.LruShelf;
import io.terrace.policy.shelf.Shelf;
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
        shelf(
                "idecider",
                "Admits an object read more often than a threshold and evicts the one of greatest age (Rudani, Campbell)",
                List.of(
                        new PolicyParameter("threshold", "2", "reads an object must exceed to be admitted, 0 or more"),
                        remembered()),
                parameters -> {
                    int threshold = (int) parameters.whole("threshold", 0, Integer.MAX_VALUE);
                    int remembered = (int) parameters.whole("remembered", 1, Integer.MAX_VALUE);
                    return capacity -> new IDeciderShelf(capacity, threshold, remembered);
                });
        shelf(
                "lru",
                "Admits everything that fits and evicts the least recently used",
                List.of(),
                parameters -> LruShelf::new);
        decay("decay-admit", false, "Decayed access counts; admits what is read more than those it displaces");
        decay(
                "decay-density",
                true,
                "Decayed access counts per byte; admits what is worth more than those it displaces");
    }

    private static void decay(String name, boolean byDensity, String summary) {
        shelf(
                name,
                summary,
                List.of(
                        new PolicyParameter("half-life", "1h", "time in which a count halves, at least 1s"),
                        remembered()),
                parameters -> {
                    long halfLifeMs = parameters.durationMs("half-life", 1000);
                    int remembered = (int) parameters.whole("remembered", 1, Integer.MAX_VALUE);
                    return capacity -> new DecayShelf(name, capacity, halfLifeMs, byDensity, remembered);
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
    public static Policy create(String name, Map<String, String> parameters, Hierarchy hierarchy) {
        Entry entry = ENTRIES.get(name);
        if (entry == null) {
            throw new IllegalArgumentException(
                    "there is no policy '" + name + "'; there are " + String.join(", ", ENTRIES.keySet()));
        }
        return entry.factory.make(new PolicyParameters(entry.kind, parameters), hierarchy);
    }

    private static PolicyParameter remembered() {
        return new PolicyParameter(
                "remembered",
                "1000000",
                "objects outside the fast tiers whose reads are counted, the latest read ones");
    }

    private static void shelf(String name, String summary, List<PolicyParameter> parameters, ShelfReader reader) {
        List<PolicyParameter> all = new ArrayList<>(parameters);
        all.add(WRITES);
        ENTRIES.put(
                name,
                new Entry(
                        new PolicyKind(name, summary, all),
                        (values, hierarchy) -> new LayeredPolicy(
                                name,
                                hierarchy,
                                reader.read(values),
                                values.word("writes", "around", "allocate").equals("allocate"))));
    }

    private record Entry(PolicyKind kind, Factory factory) {}

    @FunctionalInterface
    private interface Factory {
        Policy make(PolicyParameters parameters, Hierarchy hierarchy);
    }

    @FunctionalInterface
    private interface ShelfReader {
        Shelf.Maker read(PolicyParameters parameters);
    }
}
