package io.terrace.placement.policyfile;

import io.terrace.conf.NearestWord;
import io.terrace.placement.policyfile.PathRule.Place;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A word of a rule that an extended attribute may give as well: {@code user.terrace.tiers}. Sorted as they are shown. */
public enum AnnotationWord {
    PLACE,
    WEIGHT,
    POOL,
    TIERS,
    REPLICAS,
    KEEP,
    WRITE,
    SATISFY;

    static final List<String> PLACES = lowerCase(Place.values());
    static final List<String> REPLICA_WORDS = List.of("one", "all");
    static final List<String> WRITE_WORDS = List.of("home", "memory");
    static final List<String> SATISFY_WORDS = List.of("true", "false");
    static final int LEAST_WEIGHT = 2;
    static final int MOST_WEIGHT = 100;

    /** As it is written. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** All words as they are written. */
    public static List<String> words() {
        return lowerCase(values());
    }

    private static List<String> lowerCase(Enum<?>[] all) {
        return Stream.of(all).map(one -> one.name().toLowerCase(Locale.ROOT)).toList();
    }

    /** @throws IllegalArgumentException naming the nearest word, if there is no such word */
    public static AnnotationWord of(String word) {
        if (!words().contains(word)) {
            throw new IllegalArgumentException("there is no word '" + word + "'; it must be one of "
                    + String.join(", ", words()) + "; did you mean '" + NearestWord.of(word, words()) + "'?");
        }
        return valueOf(word.toUpperCase(Locale.ROOT));
    }

    /**
     * Checks what can be checked without the policy file.
     *
     * @throws IllegalArgumentException saying what is wrong and what to write instead
     */
    public void check(String value) {
        switch (this) {
            case PLACE -> place(value);
            case WEIGHT -> weight(value);
            case POOL -> pool(value);
            case TIERS -> TierRange.parse(value, false);
            case REPLICAS -> allReplicas(value);
            case KEEP -> TierRange.parseKeep(value);
            case WRITE -> writeToMemory(value);
            case SATISFY -> satisfy(value);
        }
    }

    static Place place(String value) {
        return Place.valueOf(oneOf(PLACE, value, PLACES).toUpperCase(Locale.ROOT));
    }

    static boolean allReplicas(String value) {
        return oneOf(REPLICAS, value, REPLICA_WORDS).equals("all");
    }

    static boolean writeToMemory(String value) {
        return oneOf(WRITE, value, WRITE_WORDS).equals("memory");
    }

    static boolean satisfy(String value) {
        return oneOf(SATISFY, value, SATISFY_WORDS).equals("true");
    }

    static int weight(String value) {
        int weight = value.matches("[0-9]{1,3}") ? Integer.parseInt(value) : 0;
        if (weight < LEAST_WEIGHT || weight > MOST_WEIGHT) {
            throw new IllegalArgumentException(
                    "weight is '" + value + "'; it must be a whole number from " + LEAST_WEIGHT + " to " + MOST_WEIGHT);
        }
        return weight;
    }

    private static void pool(String value) {
        if (!value.matches(PoolReader.NAME)) {
            throw new IllegalArgumentException(
                    "pool is '" + value + "'; it must be a name of at most 64 letters, digits, '_', '-' or '.'");
        }
    }

    private static String oneOf(AnnotationWord word, String value, List<String> allowed) {
        if (!allowed.contains(value)) {
            throw new IllegalArgumentException(word.word() + " is '" + value + "'; it must be one of "
                    + String.join(", ", allowed) + "; did you mean '" + NearestWord.of(value, allowed) + "'?");
        }
        return value;
    }

    /** What is wrong with a value; null if nothing is. */
    public @Nullable String mistake(String value) {
        try {
            check(value);
            return null;
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }
}
