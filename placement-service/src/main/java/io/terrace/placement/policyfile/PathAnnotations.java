package io.terrace.placement.policyfile;

import io.terrace.placement.policyfile.OwnAnnotations.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The annotations of a file and of the directories above it. Compared by identity. Thread-safe.
 *
 * @see AnnotatedRule
 */
public final class PathAnnotations {

    public static final PathAnnotations NONE = new PathAnnotations(OwnAnnotations.NONE, "/", null);

    private final OwnAnnotations own;
    private final String path;
    private final @Nullable PathAnnotations above;
    private volatile @Nullable Resolved last;

    /** The rule that the last question led to: most files below an annotated directory match one rule. */
    private record Resolved(PolicySpec spec, @Nullable PathRule base, AnnotatedRule found) {}

    /** An annotation that is there. */
    record Annotation(Scope scope, AnnotationWord word, String value, String path) {

        String attribute() {
            return scope.prefix() + word.word();
        }
    }

    PathAnnotations(OwnAnnotations own, String path, @Nullable PathAnnotations above) {
        this.own = own;
        this.path = path;
        this.above = above;
    }

    /** Those of a file or directory, with these of all directories above; the same object for the same ones. */
    public PathAnnotations and(OwnAnnotations nearer) {
        return nearer == OwnAnnotations.NONE ? this : nearer.below(this);
    }

    /** As {@link #and}, for people, who want to know whose annotations they are. */
    public PathAnnotations and(OwnAnnotations nearer, String of) {
        return nearer == OwnAnnotations.NONE ? this : new PathAnnotations(nearer, of, this);
    }

    /** Those of a file whose directories above have none. */
    public static PathAnnotations of(Map<String, byte[]> attributes) {
        return NONE.and(OwnAnnotations.of(attributes));
    }

    @Nullable
    PathAnnotations above() {
        return above;
    }

    public boolean isEmpty() {
        return this == NONE;
    }

    /** Those for a word, the nearest first. */
    List<Annotation> of(Scope scope, AnnotationWord word) {
        List<Annotation> found = new ArrayList<>();
        for (PathAnnotations at = this; at != null; at = at.above) {
            String value = at.own.value(scope, word);
            if (value != null) {
                found.add(new Annotation(scope, word, value, at.path));
            }
        }
        return found;
    }

    /** Attributes with an unknown word or a bad value, the nearest first. */
    List<AnnotatedRule.Ignored> refused() {
        List<AnnotatedRule.Ignored> refused = new ArrayList<>();
        for (PathAnnotations at = this; at != null; at = at.above) {
            String of = at.path;
            at.own
                    .refused()
                    .forEach(
                            bad -> refused.add(new AnnotatedRule.Ignored(bad.attribute(), of, bad.value(), bad.why())));
        }
        return refused;
    }

    /** What holds where that rule of the policy matches; null for none. */
    AnnotatedRule rule(PolicySpec spec, @Nullable PathRule base) {
        Resolved known = last;
        if (known == null || known.spec != spec || known.base != base) {
            known = new Resolved(spec, base, new AnnotationResolver(spec, base, this).resolve());
            last = known;
        }
        return known.found;
    }
}
