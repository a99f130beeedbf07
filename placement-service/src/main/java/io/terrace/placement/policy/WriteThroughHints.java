package io.terrace.placement.policy;

import io.terrace.common.PathGlob;
import io.terrace.placement.heartbeat.WriteThroughRules;
import io.terrace.placement.heartbeat.WriteThroughRules.Rule;
import io.terrace.placement.policyfile.AnnotatedRule;
import io.terrace.placement.policyfile.AnnotationWord;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PolicySpec;
import io.terrace.placement.state.NamespaceView;
import io.terrace.placement.state.NamespaceView.AnnotatedDirectory;
import io.terrace.placement.state.NamespaceView.Asker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells DataNodes for which files rules and annotations say {@code write: memory}, so that they fill the copy while a client
 * writes the block. Annotations are those of directories that were seen with one: the first file below such a directory is
 * copied once it is written. Owned by the loop's thread.
 */
public final class WriteThroughHints {

    /** Annotated directories that are told. Those that are, stay; others take the place of what is gone. */
    static final int MOST_DIRECTORIES = 100;

    /** Between two looks at annotated directories, at least. */
    static final long LOOK_MS = 5_000;

    /** And at most, where some are told: without the audit logger nothing says that they changed. */
    static final long LOOK_AGAIN_MS = 60_000;

    private final NamespaceView view;
    private final PolicySpec spec;
    private WriteThroughRules rules;
    private List<String> directories = List.of();
    private long lookedMs;
    private long seenVersion;

    /** Those of a policy; annotations follow with the next turn. */
    public WriteThroughHints(NamespaceView view, PolicySpec spec) {
        this.view = view.askedBy(Asker.REVIEWS);
        this.spec = spec;
        this.rules = WriteThroughRules.of(ofPolicy());
        this.lookedMs = Long.MIN_VALUE / 2;
    }

    /** What holds now. */
    public WriteThroughRules rules() {
        return rules;
    }

    /** Looks at annotated directories again if they may have changed. */
    public void turn(long nowMs) {
        long version = view.writeAnnotationsVersion();
        boolean mayDiffer = version != seenVersion || (!directories.isEmpty() && nowMs - lookedMs >= LOOK_AGAIN_MS);
        if (spec.rules().isEmpty() || !mayDiffer || nowMs - lookedMs < LOOK_MS || !view.mayLook()) {
            return;
        }
        seenVersion = version;
        lookedMs = nowMs;
        List<AnnotatedDirectory> found =
                new ArrayList<>(view.writeAnnotations(directories, Math.min(MOST_DIRECTORIES, view.lockBlocks())));
        directories = found.stream().map(AnnotatedDirectory::path).toList();
        // The nearest annotation decides.
        found.sort(Comparator.comparingInt((AnnotatedDirectory directory) -> depth(directory.path()))
                .reversed()
                .thenComparing(AnnotatedDirectory::path));
        List<Rule> all = new ArrayList<>();
        found.forEach(directory -> add(all, directory));
        all.addAll(ofPolicy());
        rules = WriteThroughRules.of(all);
    }

    private static int depth(String path) {
        return path.equals("/") ? 0 : path.split("/", -1).length;
    }

    /** What holds below a directory: first for what narrower rules take in, then for the rest. */
    private void add(List<Rule> all, AnnotatedDirectory directory) {
        String inside = directory.path().equals("/") ? "/" : directory.path() + "/";
        if (!isPlain(inside)) {
            return;
        }
        PathRule base = spec.ruleFor(inside + "file");
        AnnotatedRule joined = spec.joined(base, directory.annotations());
        if (joined.words().stream().noneMatch(WriteThroughHints::isAnnotated)) {
            return;
        }
        for (PathRule rule : spec.rules()) {
            if (rule == base) {
                break;
            }
            if (rule.path().roots().stream()
                    .anyMatch(root -> root.startsWith(inside) && root.length() > inside.length())) {
                all.add(new Rule(
                        rule.path().toString(),
                        writesToMemory(
                                spec.joined(rule, directory.annotations()).rule())));
            }
        }
        all.add(new Rule(inside + "**", writesToMemory(joined.rule())));
    }

    /** Whether it is a pattern of itself alone. */
    private static boolean isPlain(String path) {
        return path.length() + 2 <= PathGlob.MOST_CHARS
                && path.chars().noneMatch(letter -> "*?{}".indexOf(letter) >= 0);
    }

    /** Whether an annotation gives a word that decides, and not the rule. */
    private static boolean isAnnotated(AnnotatedRule.Held word) {
        return word.by() != null && (word.word() == AnnotationWord.WRITE || word.word() == AnnotationWord.PLACE);
    }

    private static boolean writesToMemory(@Nullable PathRule rule) {
        return rule != null && rule.writeToMemory();
    }

    private List<Rule> ofPolicy() {
        return spec.rules().stream()
                .map(rule -> new Rule(rule.path().toString(), rule.writeToMemory()))
                .toList();
    }
}
