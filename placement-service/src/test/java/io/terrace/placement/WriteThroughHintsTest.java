package io.terrace.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.placement.heartbeat.WriteThroughRules;
import io.terrace.placement.policyfile.PathAnnotations;
import io.terrace.placement.state.NamespaceView.AnnotatedDirectory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
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
    void rules_thatADataNodeHas_areNotToldAgain() {
        rules("[{path: /out/**, write: memory}]");
        assertThat(beat(one).writeThroughRules()).isNotNull();
        assertThat(beat(one).writeThroughRules()).isNull();
        rules("[{path: /out/**, write: memory}, {path: /more/**, write: memory}]");
        assertThat(beat(one).writeThroughRules()).isNotNull();
        one.writeThroughRules = WriteThroughRules.NONE;
        assertThat(beat(one).writeThroughRules()).as("after a restart").isNotNull();
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
        rules("[{path: /a/**, annotations: [write]}, {path: /b/**}]"
                .replace("{path: /b/**}", "{path: /b/**, smallest: 1k}"));
        annotations(annotated("/a", "user.terrace.write", "memory"), annotated("/b", "user.terrace.write", "memory"));
        assertThat(toldAfterALook(one)).containsExactly("memory /a/**");
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
                annotated("/" + "c".repeat(600), "trusted.terrace.write", "memory"));
        assertThat(toldAfterALook(one)).isEmpty();
    }
}
