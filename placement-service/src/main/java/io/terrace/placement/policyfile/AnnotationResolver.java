package io.terrace.placement.policyfile;

import io.terrace.common.PathGlob;
import io.terrace.placement.policyfile.AnnotatedRule.Held;
import io.terrace.placement.policyfile.AnnotatedRule.Ignored;
import io.terrace.placement.policyfile.OwnAnnotations.Scope;
import io.terrace.placement.policyfile.PathAnnotations.Annotation;
import io.terrace.placement.policyfile.PathRule.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Joins a rule and annotations, word by word. The nearest {@code trusted} annotation replaces what the rule says. The
 * nearest {@code user} annotation counts if it narrows what holds by then, or if no {@code trusted} one gives the word and
 * the rule lists it under {@code annotations}. One that does not count is ignored, and the next above is tried.
 */
final class AnnotationResolver {

    private static final PathGlob ANY_PATH = PathGlob.of("/**");
    private static final int DEFAULT_WEIGHT = 4;
    private static final String NEEDS_TIERS = "it goes with tiers, which nothing gives here; annotate tiers as well";

    private final PolicySpec spec;
    private final @Nullable PathRule base;
    private final PathAnnotations annotations;
    private final Set<AnnotationWord> widened;
    private final List<Held> words = new ArrayList<>();
    private final List<Ignored> ignored;
    private boolean annotated;

    AnnotationResolver(PolicySpec spec, @Nullable PathRule base, PathAnnotations annotations) {
        this.spec = spec;
        this.base = base;
        this.annotations = annotations;
        this.widened = base == null ? Set.of() : base.annotations();
        this.ignored = new ArrayList<>(annotations.refused());
    }

    /**
     * How a word is read and compared.
     *
     * @param useless why a value cannot be heeded here, from whomever; null if it can
     * @param narrows whether the first value asks for no more than the second
     */
    private record Meaning<T>(
            AnnotationWord word,
            Function<String, T> reader,
            Function<T, @Nullable String> useless,
            BiPredicate<T, T> narrows) {}

    AnnotatedRule resolve() {
        Place place = place();
        int weight = weight(place);
        int pool = pool(place);
        TierRange tiers = tiers();
        boolean writeToMemory = writeToMemory(place);
        boolean satisfy = satisfy(tiers);
        if (!annotated) {
            return new AnnotatedRule(base, words, ignored);
        }
        PathRule rule = new PathRule(
                base == null ? 0 : base.number(),
                base == null ? ANY_PATH : base.path(),
                place,
                weight,
                base == null ? SizeRange.ANY : base.size(),
                pool,
                base == null ? Long.MAX_VALUE : base.mostBytes(),
                tiers,
                writeToMemory,
                satisfy,
                widened,
                true);
        return new AnnotatedRule(rule, words, ignored);
    }

    private Place place() {
        Place said = base == null ? Place.ALLOW : base.place();
        Meaning<Place> meaning = new Meaning<>(
                AnnotationWord.PLACE,
                AnnotationWord::place,
                value -> null,
                (one, other) -> one.liberty() <= other.liberty());
        Place held = choose(meaning, said, said != Place.ALLOW, value -> AnnotationWord.PLACES.get(value.ordinal()));
        return held == null ? Place.ALLOW : held;
    }

    private int weight(Place place) {
        int said = base != null && base.place() == Place.PREFER ? base.weight() : DEFAULT_WEIGHT;
        String useless = place == Place.PREFER ? null : "it goes with place: prefer, which does not hold here";
        Meaning<Integer> meaning = new Meaning<>(
                AnnotationWord.WEIGHT, AnnotationWord::weight, value -> useless, (one, other) -> one <= other);
        Integer held = choose(meaning, said, place == Place.PREFER, String::valueOf);
        return place != Place.PREFER ? 1 : held == null ? DEFAULT_WEIGHT : held;
    }

    private int pool(Place place) {
        int said = base == null ? 0 : base.pool();
        List<String> pools = spec.pools().stream().map(PoolSpec::name).toList();
        boolean pooled = place == Place.ALLOW || place == Place.PREFER;
        Meaning<Integer> meaning = new Meaning<>(
                AnnotationWord.POOL,
                pools::indexOf,
                value -> !pooled
                        ? "it goes with place: allow or prefer"
                        : value >= 0
                                ? null
                                : "the policy file has no such pool; "
                                        + (pools.isEmpty() ? "it has none" : "it has " + String.join(", ", pools)),
                Integer::equals);
        Integer held = choose(meaning, said, pooled && said > 0, pools::get);
        return pooled && held != null ? held : 0;
    }

    private @Nullable TierRange tiers() {
        TierRange said = TierRange.of(base);
        Meaning<TierRange> meaning = new Meaning<>(
                AnnotationWord.TIERS,
                text -> TierRange.parse(text, false),
                value -> null,
                (one, other) -> other.contains(one.fastest()) && other.contains(one.slowest()));
        TierRange held = choose(meaning, said, said != null, TierRange::toString);
        String useless = held == null ? NEEDS_TIERS : null;
        boolean saidAll = said != null && said.allReplicas();
        Meaning<Boolean> replicas = new Meaning<>(
                AnnotationWord.REPLICAS, AnnotationWord::allReplicas, value -> useless, (one, other) -> !one || other);
        Boolean all = choose(replicas, saidAll, held != null, value -> value ? "all" : "one");
        Long saidKeep = said == null || said.keepMs() == 0 ? null : said.keepMs();
        Meaning<Long> keep = new Meaning<>(
                AnnotationWord.KEEP, TierRange::parseKeep, value -> useless, (one, other) -> one <= other);
        Long keepMs = choose(keep, saidKeep, saidKeep != null && held != null, TierRange::keepText);
        return held == null
                ? null
                : new TierRange(held.fastest(), held.slowest(), Boolean.TRUE.equals(all), keepMs == null ? 0 : keepMs);
    }

    private boolean writeToMemory(Place place) {
        boolean said = base != null && base.writeToMemory();
        Meaning<Boolean> meaning = new Meaning<>(
                AnnotationWord.WRITE,
                AnnotationWord::writeToMemory,
                value -> value && place == Place.NEVER ? "place: never holds here" : null,
                (one, other) -> !one || other);
        Boolean held = choose(meaning, said, said, value -> value ? "memory" : "home");
        return place != Place.NEVER && Boolean.TRUE.equals(held);
    }

    private boolean satisfy(@Nullable TierRange tiers) {
        boolean said = base != null && base.satisfy();
        Meaning<Boolean> meaning = new Meaning<>(
                AnnotationWord.SATISFY,
                AnnotationWord::satisfy,
                value -> value && tiers != null
                        ? "tiers holds here, which keeps replicas off their storage policy"
                        : null,
                (one, other) -> !one || other);
        Boolean held = choose(meaning, said, said && tiers == null, String::valueOf);
        return tiers == null && Boolean.TRUE.equals(held);
    }

    /**
     * What holds of a word.
     *
     * @param said by the rule, or the default; null where there is none
     * @param shown whether what is said is shown where no annotation counts
     */
    private <T> @Nullable T choose(Meaning<T> meaning, @Nullable T said, boolean shown, Function<T, String> text) {
        T held = said;
        Annotation by = null;
        for (Annotation given : annotations.of(Scope.TRUSTED, meaning.word)) {
            T value = meaning.reader.apply(given.value());
            String why = meaning.useless.apply(value);
            if (why == null) {
                held = value;
                by = given;
                break;
            }
            ignore(given, why);
        }
        boolean trusted = by != null;
        for (Annotation given : annotations.of(Scope.USER, meaning.word)) {
            T value = meaning.reader.apply(given.value());
            String why = meaning.useless.apply(value);
            if (why == null && (held == null || !meaning.narrows.test(value, held))) {
                why = widens(given, value, trusted);
            }
            if (why == null) {
                held = value;
                by = given;
                break;
            }
            ignore(given, why);
        }
        if (by != null) {
            annotated = true;
        }
        if (held != null && (by != null || shown)) {
            String value = text.apply(held);
            words.add(
                    by == null
                            ? new Held(meaning.word, value, null, null)
                            : new Held(meaning.word, value, by.scope(), by.path()));
        }
        return held;
    }

    /** Why a user may not ask for more than what holds; null if that is allowed. */
    private @Nullable String widens(Annotation given, Object value, boolean trusted) {
        if (value == Place.PIN) {
            return "only a rule or a trusted annotation pins; use placementctl pin, or place=prefer";
        }
        if (trusted) {
            return "a trusted annotation gives the word, and a user may only narrow it";
        }
        return widened.contains(given.word())
                ? null
                : "it asks for more than what holds without it; an administrator allows that with 'annotations: ["
                        + given.word().word() + "]' in "
                        + (base == null ? "a rule for this path" : "rule " + base.number() + " of the policy");
    }

    private void ignore(Annotation given, String why) {
        ignored.add(new Ignored(given.attribute(), given.path(), given.value(), why));
    }
}
