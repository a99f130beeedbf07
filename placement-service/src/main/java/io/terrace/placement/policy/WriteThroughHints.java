package io.terrace.placement.policy;

import io.terrace.common.PathGlob;
import io.terrace.placement.heartbeat.WriteThroughRules;
import io.terrace.placement.heartbeat.WriteThroughRules.Rule;
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

    /** Annotated directories that are told, those that were seen last. */
    static final int MOST_DIRECTORIES = 100;

    /** Between two looks at annotated directories, at least. */
    static final long LOOK_MS = 5_000;

    private final NamespaceView view;
    private final PolicySpec spec;
    private WriteThroughRules rules;
    private long lookedMs;
    private long seenVersion;

    /** Those of a policy; annotations follow with the next turn. */
    public WriteThroughHints(NamespaceView view, PolicySpec spec) {
        this.view = view.askedBy(Asker.REVIEWS);
        this.spec = spec;
        this.rules = WriteThroughRules.of(ofPolicy());
        this.lookedMs = Long.MIN_VALUE / 2;
    }

    /** The rules for a DataNode that has those of that id; null where it has them all. */
    public @Nullable WriteThroughRules after(long known) {
        return known == rules.id() ? null : rules;
    }

    /** Looks at annotated directories again if they may have changed. */
    public void turn(long nowMs) {
        long version = view.writeAnnotationsVersion();
        if (spec.rules().isEmpty() || version == seenVersion || nowMs - lookedMs < LOOK_MS || !view.mayLook()) {
            return;
        }
        seenVersion = version;
        lookedMs = nowMs;
        List<AnnotatedDirectory> directories =
                new ArrayList<>(view.writeAnnotations(Math.min(MOST_DIRECTORIES, view.lockBlocks())));
        // The nearest annotation decides.
        directories.sort(Comparator.comparingInt((AnnotatedDirectory directory) -> depth(directory.path()))
                .reversed()
                .thenComparing(AnnotatedDirectory::path));
        List<Rule> all = new ArrayList<>();
        for (AnnotatedDirectory directory : directories) {
            String below = (directory.path().equals("/") ? "" : directory.path()) + "/**";
            if (isPattern(below)) {
                all.add(new Rule(below, writesToMemory(directory)));
            }
        }
        all.addAll(ofPolicy());
        rules = WriteThroughRules.of(all);
    }

    private static int depth(String path) {
        return path.equals("/") ? 0 : path.split("/", -1).length;
    }

    /** A name with braces would be taken for two. */
    private static boolean isPattern(String path) {
        return path.length() <= PathGlob.MOST_CHARS && !path.contains("{") && !path.contains("}");
    }

    /** As of a file right below it: a rule for some of the files further below is left out of account. */
    private boolean writesToMemory(AnnotatedDirectory directory) {
        PathRule rule = spec.ruleFor(directory.path() + "/file", directory.annotations())
                .rule();
        return rule != null && rule.writeToMemory();
    }

    private List<Rule> ofPolicy() {
        return spec.rules().stream()
                .map(rule -> new Rule(rule.path().toString(), rule.writeToMemory()))
                .toList();
    }
}
