package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.heartbeat.WriteThroughRules;
import io.terrace.placement.policyfile.PathAnnotations;
import io.terrace.placement.state.NamespaceView.AnnotatedDirectory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** DataNodes are told for which files rules and annotations say {@code write: memory}. */
class WriteThroughHintsTest extends SteppedLoop {

    private void rules(String rules) {
        placement.policy(nowMs, applied("policy: adaptive", "rules: " + rules));
    }

    private static AnnotatedDirectory annotated(String path, String attribute, String value) {
        return new AnnotatedDirectory(
                path, PathAnnotations.of(Map.of(attribute, value.getBytes(StandardCharsets.UTF_8))));
    }

    private void annotations(AnnotatedDirectory... directories) {
        names.writeAnnotations = List.of(directories);
        names.writeAnnotationsVersion++;
    }

    private List<String> told(FakeDataNode node) {
        beat(node);
        return node.writeThroughRules.rules().stream()
                .map(rule -> (rule.toMemory() ? "memory " : "home ") + rule.path())
                .toList();
    }

    private List<String> toldAfterALook(FakeDataNode node) {
        nowMs += 5_000;
        return told(node);
    }

    @Test
    void rules_areToldUpToTheLastThatSaysMemory() {
        rules("[{path: /out/tmp/**, place: never}, {path: /out/**, write: memory}, {path: /logs/**, smallest: 1m}]");
        assertThat(told(one)).containsExactly("home /out/tmp/**", "memory /out/**");
        assertThat(told(two)).isEqualTo(told(one));
    }

    @Test
    void rules_thatADataNodeHas_areNamed_notToldAgain() {
        rules("[{path: /out/**, write: memory}]");
        assertThat(beat(one).writeThroughRules().rules()).hasSize(1);
        long id = one.writeThroughRules.id();
        assertThat(beat(one).writeThroughRules()).isEqualTo(new WriteThroughRules(id, List.of()));
        rules("[{path: /out/**, write: memory}, {path: /more/**, write: memory}]");
        assertThat(beat(one).writeThroughRules().rules()).hasSize(2);
        one.writeThroughRules = WriteThroughRules.NONE;
        assertThat(beat(one).writeThroughRules().rules()).as("after a restart").hasSize(2);
    }

    @Test
    void withoutSuchARule_nothingIsTold_andWhatWasIsTakenBack() {
        rules("[{path: /logs/**, smallest: 1m}]");
        assertThat(beat(one).writeThroughRules()).isNull();
        rules("[{path: /out/**, write: memory}]");
        assertThat(told(one)).hasSize(1);
        rules("[{path: /logs/**, smallest: 1m}]");
        assertThat(told(one)).isEmpty();
        assertThat(beat(one).writeThroughRules()).isNull();
    }

    @Test
    void annotatedDirectories_goFirst_theNearestFirst() {
        rules("[{path: /**, annotations: [write]}]");
        annotations(
                annotated("/", "trusted.terrace.write", "memory"),
                annotated("/a", "user.terrace.write", "memory"),
                annotated("/a/b", "trusted.terrace.write", "home"));
        assertThat(toldAfterALook(one)).containsExactly("home /a/b/**", "memory /a/**", "memory /**");
    }

    @Test
    void annotationOfAUser_countsWhereARuleListsIt() {
        rules("[{path: /a/**, annotations: [write]}, {path: /b/**, smallest: 1k}]");
        annotations(annotated("/a", "user.terrace.write", "memory"), annotated("/b", "user.terrace.write", "memory"));
        assertThat(toldAfterALook(one)).containsExactly("memory /a/**");
    }

    @Test
    void annotationThatDoesNotCount_leavesTheRuleBelowIt() {
        rules("[{path: /data/*/out/**, write: memory}]");
        annotations(annotated("/data/u", "user.terrace.write", "memory"));
        assertThat(toldAfterALook(one)).containsExactly("memory /data/*/out/**");
    }

    @Test
    void narrowerRulesBelowADirectory_goBeforeIt() {
        rules("[{path: /a/tmp/**, place: never}, {path: /a/b/**, smallest: 1k}, {path: /a/**, smallest: 2k},"
                + " {path: /a/c/**, place: never}]");
        annotations(annotated("/a", "trusted.terrace.write", "memory"));
        assertThat(toldAfterALook(one)).containsExactly("home /a/tmp/**", "memory /a/b/**", "memory /a/**");
    }

    @Test
    void directoryThatIsKeptOutOfMemory_isToldAsSuch() {
        rules("[{path: /out/**, write: memory}]");
        annotations(annotated("/out/cold", "user.terrace.place", "never"));
        assertThat(toldAfterALook(one)).containsExactly("home /out/cold/**", "memory /out/**");
    }

    @Test
    void directoriesThatAreTold_stay_whateverIsSeenLater() {
        rules("[{path: /**, annotations: [write]}]");
        annotations(IntStream.range(0, 150)
                .mapToObj(i -> annotated("/d" + i, "trusted.terrace.write", "memory"))
                .toArray(AnnotatedDirectory[]::new));
        List<String> first = toldAfterALook(one);
        assertThat(first).hasSize(100);
        names.writeAnnotations = new ArrayList<>(names.writeAnnotations);
        Collections.reverse(names.writeAnnotations);
        names.writeAnnotationsVersion++;
        assertThat(toldAfterALook(one)).isEqualTo(first);
    }

    /** Without the audit logger nobody says that an annotation is gone. */
    @Test
    void directoriesThatAreTold_areLookedAtAgainAfterAMinute() {
        rules("[{path: /**, annotations: [write]}]");
        annotations(annotated("/a", "trusted.terrace.write", "memory"));
        assertThat(toldAfterALook(one)).hasSize(1);
        names.writeAnnotations = List.of();
        assertThat(toldAfterALook(one)).hasSize(1);
        nowMs += 60_000;
        assertThat(told(one)).isEmpty();
        int looks = names.looks;
        nowMs += 120_000;
        beat(one);
        assertThat(names.looks).isEqualTo(looks);
    }

    @Test
    void annotationThatChanges_isToldOnce_andLookedAtForItAlone() {
        rules("[{path: /**, annotations: [write]}]");
        annotations(annotated("/a", "trusted.terrace.write", "memory"));
        assertThat(toldAfterALook(one)).containsExactly("memory /a/**");
        int looks = names.looks;
        assertThat(toldAfterALook(one)).hasSize(1);
        assertThat(names.looks).isEqualTo(looks);
        annotations();
        assertThat(told(one)).as("within seconds of the last look").hasSize(1);
        assertThat(toldAfterALook(one)).isEmpty();
    }

    @Test
    void directoryWhoseNameIsNoPattern_isLeftOut() {
        rules("[{path: /**, annotations: [write]}]");
        annotations(
                annotated("/a{b", "trusted.terrace.write", "memory"),
                annotated("/a**b", "trusted.terrace.write", "memory"),
                annotated("/**", "trusted.terrace.write", "memory"),
                annotated("/" + "c".repeat(600), "trusted.terrace.write", "memory"));
        assertThat(toldAfterALook(one)).isEmpty();
    }
}
