package io.terrace.placement.hdfs.admin;

import io.terrace.common.Quantity;
import io.terrace.common.ShownName;
import io.terrace.placement.explain.FilePin;
import io.terrace.placement.explain.FilePin.Kind;
import io.terrace.placement.explain.FileSituation;
import io.terrace.placement.explain.FileSituation.Rule;
import io.terrace.placement.hdfs.admin.Explanations.Asked;
import io.terrace.placement.hdfs.namesystem.NamesystemLookup.FileFacts;
import io.terrace.placement.policyfile.AnnotatedRule;
import io.terrace.placement.policyfile.AnnotatedRule.Held;
import io.terrace.placement.policyfile.AnnotationWord;
import io.terrace.placement.policyfile.OwnAnnotations.Scope;
import io.terrace.placement.policyfile.PathRule;
import io.terrace.placement.policyfile.PathRule.Place;
import io.terrace.placement.policyfile.SizeRange;
import io.terrace.placement.state.MoveSettings;
import io.terrace.placement.state.OperatorState.Order;
import io.terrace.placement.state.OperatorState.Pin;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What holds for all blocks of a file, for the sentences about them: pins, rules and annotations as of now. */
final class FileSituations {

    /** In place of the number of a rule. */
    static final int NO_RULE = -1;

    private static final int LONGEST_ARGUMENT = 60;

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm").withZone(ZoneId.systemDefault());

    private final MoveSettings settings;

    FileSituations(MoveSettings settings) {
        this.settings = settings;
    }

    /**
     * @param file null if the block has none any more
     * @param full whether the reader may know what stands in the policy file
     */
    FileSituation of(@Nullable FileFacts file, Asked asked, boolean full, Map<Long, String> rivals) {
        long wallMs = System.currentTimeMillis();
        AnnotatedRule resolved = file == null ? null : asked.spec().explain(file.path(), file.annotations());
        PathRule rule = resolved == null ? null : resolved.rule();
        Rule forbids = resolved == null || rule == null || rule.place() != Place.NEVER
                ? null
                : forbidding(resolved, rule, full);
        return new FileSituation(
                file == null ? "" : file.path(),
                file == null ? null : pin(file, asked, full, rule, wallMs),
                forbids,
                narrower(asked.spec().size(), rule == null ? SizeRange.ANY : rule.size()),
                asked.state(),
                settings.bytesPerSecond(),
                settings.waitMs(),
                asked.reader().nowMs(),
                wallMs,
                rivals);
    }

    private static SizeRange narrower(SizeRange one, SizeRange other) {
        return new SizeRange(
                Math.max(one.smallestBytes(), other.smallestBytes()),
                Math.min(one.largestBytes(), other.largestBytes()));
    }

    private static @Nullable FilePin pin(
            FileFacts file, Asked asked, boolean full, @Nullable PathRule rule, long wallMs) {
        Pin own = asked.state().pins().get(file.inode());
        if (own != null) {
            return pin(Kind.FILE, own, file.path(), wallMs);
        }
        String path = file.path();
        for (long directory : file.above()) {
            path = path.substring(0, Math.max(0, path.lastIndexOf('/')));
            Pin above = asked.state().pins().get(directory);
            if (above != null && above.recursive()) {
                return pin(Kind.DIRECTORY, above, path.isEmpty() ? "/" : path, wallMs);
            }
        }
        if (asked.pinningRule() == NO_RULE) {
            return null;
        }
        String words = !full || rule == null || rule.number() != asked.pinningRule() || rule.number() == 0
                ? ""
                : "path: " + rule.path() + ", at most " + Quantity.bytes(rule.mostBytes()) + ", "
                        + Quantity.bytes(asked.rulePinnedBytes()) + " used";
        return new FilePin(Kind.RULE, "", -1, "", name(asked.pinningRule()), words);
    }

    private static FilePin pin(Kind kind, Pin pin, String target, long wallMs) {
        Order order = pin.order();
        return new FilePin(
                kind,
                order.by(),
                order.sinceMs() == 0 ? -1 : Math.max(0, wallMs - order.sinceMs()),
                pin.untilMs() == 0 ? "" : TIME.format(Instant.ofEpochMilli(pin.untilMs())),
                target,
                "");
    }

    private static String name(int rule) {
        return rule == 0 ? "an annotation" : "rule " + rule + " of the policy file";
    }

    static Rule forbidding(AnnotatedRule resolved, PathRule rule, boolean full) {
        for (Held held : resolved.words()) {
            String path = held.path();
            if (held.word() == AnnotationWord.PLACE && held.by() != null && path != null) {
                return new Rule(
                        "the annotation place=" + held.value() + " of " + path,
                        "",
                        "Remove it: placementctl annotate " + ShownName.argument(path, LONGEST_ARGUMENT)
                                + (held.by() == Scope.TRUSTED ? " --trusted" : "")
                                + " --remove place.");
            }
        }
        return new Rule(
                name(rule.number()),
                full ? "path: " + rule.path() + ", place: never" : "",
                "Change the rule: placementctl policy show --text, then policy apply.");
    }
}
