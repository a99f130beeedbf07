package io.terrace.placement.policyfile;

import io.terrace.placement.policyfile.OwnAnnotations.Scope;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What holds for a file: the rule of the policy file that matches its path, and annotations.
 *
 * @param rule both in one; null where neither says anything
 * @param words what holds, word by word
 * @param ignored annotations that are not heeded
 */
public record AnnotatedRule(@Nullable PathRule rule, List<Held> words, List<Ignored> ignored) {

    /**
     * A word that holds.
     *
     * @param by whose annotation gives it; null where the rule does
     * @param path of the file or directory that has the annotation; null where the rule gives the word
     */
    public record Held(AnnotationWord word, String value, @Nullable Scope by, @Nullable String path) {}

    /**
     * An annotation that is not heeded.
     *
     * @param path of the file or directory that has it
     * @param why with the remedy
     */
    public record Ignored(String attribute, String path, String value, String why) {}

    public AnnotatedRule {
        words = List.copyOf(words);
        ignored = List.copyOf(ignored);
    }
}
