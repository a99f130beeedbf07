package io.terrace.placement.policyfile;

import io.terrace.common.StorageTier;
import io.terrace.conf.NearestWord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The tiers that the replicas of a file are kept in: the word {@code tiers} of a rule.
 *
 * @param fastest where hot blocks go
 * @param slowest where cold ones go
 * @param allReplicas whether all replicas of a hot block climb, not one
 * @param keepMs for how long after its last access a block does not go down for its age: the word {@code keep}; 0 for what
 *     the settings say
 * @param boundByQuota whether a quota by storage type keeps it within the storage policy of the file
 */
public record TierRange(
        StorageTier fastest, StorageTier slowest, boolean allReplicas, long keepMs, boolean boundByQuota) {

    static final List<String> WORDS = List.of("nvm", "ssd", "disk", "archive");
    private static final String KEEP = "[0-9]{1,5}[mhd]";
    private static final long MOST_KEEP_MS = Duration.ofDays(3650).toMillis();

    public TierRange(StorageTier fastest, StorageTier slowest, boolean allReplicas) {
        this(fastest, slowest, allReplicas, 0);
    }

    public TierRange(StorageTier fastest, StorageTier slowest, boolean allReplicas, long keepMs) {
        this(fastest, slowest, allReplicas, keepMs, false);
    }

    /**
     * Reads {@code 30m}, {@code 12h} or {@code 7d}.
     *
     * @return milliseconds
     * @throws IllegalArgumentException saying what to write instead
     */
    static long parseKeep(String text) {
        if (text.matches(KEEP)) {
            long number = Long.parseLong(text.substring(0, text.length() - 1));
            Duration keep =
                    switch (text.charAt(text.length() - 1)) {
                        case 'm' -> Duration.ofMinutes(number);
                        case 'h' -> Duration.ofHours(number);
                        default -> Duration.ofDays(number);
                    };
            if (number > 0 && keep.toMillis() <= MOST_KEEP_MS) {
                return keep.toMillis();
            }
        }
        throw new IllegalArgumentException(
                "keep is '" + text + "'; it must be minutes, hours or days, e.g. 30m, 12h or 7d, at most 3650d");
    }

    /** As it is written in a policy file. */
    static String keepText(long keepMs) {
        Duration keep = Duration.ofMillis(keepMs);
        return keep.toMinutes() % 60 != 0
                ? keep.toMinutes() + "m"
                : keep.toHours() % 24 != 0 ? keep.toHours() + "h" : keep.toDays() + "d";
    }

    /**
     * Reads {@code ssd..disk}, or a single tier.
     *
     * @throws IllegalArgumentException saying what is wrong and what to write instead
     */
    static TierRange parse(String text, boolean allReplicas) {
        int dots = text.indexOf("..");
        StorageTier first = tier(text, dots < 0 ? text : text.substring(0, dots));
        StorageTier last = dots < 0 ? first : tier(text, text.substring(dots + 2));
        if (first.compareTo(last) > 0) {
            throw new IllegalArgumentException(
                    "tiers is '" + text + "', slower tier first; write " + name(last) + ".." + name(first));
        }
        return new TierRange(first, last, allReplicas);
    }

    private static StorageTier tier(String text, String word) {
        String name = word.strip();
        if (WORDS.contains(name)) {
            return StorageTier.valueOf(name.toUpperCase(Locale.ROOT));
        }
        String said = "tiers is '" + text + "'; ";
        if (name.equals("memory")) {
            throw new IllegalArgumentException(said + "memory holds copies, not replicas: say what goes there with"
                    + " 'place', and here where replicas are, e.g. nvm..disk");
        }
        throw new IllegalArgumentException(said + "it must be one of " + String.join(", ", WORDS)
                + ", or two of them as in ssd..disk, the faster one first"
                + (name.isEmpty() ? "" : "; did you mean '" + NearestWord.of(name, WORDS) + "'?"));
    }

    private static String name(StorageTier tier) {
        return tier.name().toLowerCase(Locale.ROOT);
    }

    TierRange keeping(long forMs) {
        return new TierRange(fastest, slowest, allReplicas, forMs);
    }

    /**
     * What is left of it within these tiers, from the fastest of them down to the first that is missing.
     *
     * @return null if nothing is left
     */
    public @Nullable TierRange within(Collection<StorageTier> allowed) {
        List<StorageTier> left = new ArrayList<>();
        for (StorageTier tier : tiers(fastest.ordinal(), slowest.ordinal())) {
            if (allowed.contains(tier)) {
                left.add(tier);
            } else if (!left.isEmpty()) {
                break;
            }
        }
        return left.isEmpty() ? null : new TierRange(left.get(0), left.get(left.size() - 1), allReplicas, keepMs, true);
    }

    public boolean contains(StorageTier tier) {
        return fastest.compareTo(tier) <= 0 && tier.compareTo(slowest) <= 0;
    }

    /** Whether all of it is slower than that tier. */
    public boolean isBelow(StorageTier tier) {
        return tier.compareTo(fastest) < 0;
    }

    /** The tiers from one of the range to another, both included, in that sequence; empty if one of them is outside. */
    private List<StorageTier> tiers(int from, int to) {
        List<StorageTier> tiers = new ArrayList<>();
        int step = from <= to ? 1 : -1;
        for (int i = from; i != to + step; i += step) {
            tiers.add(StorageTier.values()[i]);
        }
        return tiers;
    }

    /** Where a replica of a tier outside is brought: the nearest end of the range first. */
    public List<StorageTier> inwards(StorageTier outside) {
        return outside.compareTo(fastest) < 0
                ? tiers(fastest.ordinal(), slowest.ordinal())
                : tiers(slowest.ordinal(), fastest.ordinal());
    }

    /** The faster tiers of the range, fastest first. */
    public List<StorageTier> fasterThan(StorageTier tier) {
        return tier.compareTo(fastest) <= 0 ? List.of() : tiers(fastest.ordinal(), tier.ordinal() - 1);
    }

    /** The slower tiers of the range, the next one first. */
    public List<StorageTier> slowerThan(StorageTier tier) {
        return tier.compareTo(slowest) >= 0 ? List.of() : tiers(tier.ordinal() + 1, slowest.ordinal());
    }

    /** As it is written in a policy file. */
    @Override
    public String toString() {
        return fastest == slowest ? name(fastest) : name(fastest) + ".." + name(slowest);
    }

    /** The range of a rule; null where the rule gives none. */
    public static @Nullable TierRange of(@Nullable PathRule rule) {
        return rule == null ? null : rule.tiers();
    }
}
