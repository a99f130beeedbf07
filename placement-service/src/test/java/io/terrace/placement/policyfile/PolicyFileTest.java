package io.terrace.placement.policyfile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.terrace.placement.policyfile.Rule.Place;
import io.terrace.policy.PolicyCatalog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyFileTest {

    private static PolicySpec read(String... lines) throws PolicyFileException {
        return PolicyFile.read("p.yaml", String.join("\n", lines));
    }

    private static List<String> complaints(String... lines) {
        try {
            read(lines);
        } catch (PolicyFileException e) {
            return e.complaints();
        }
        return List.of();
    }

    @Test
    void read_everyKey_isTaken() throws Exception {
        PolicySpec spec = read(
                "policy: decay-admit",
                "parameters: {half-life: 10m}",
                "smallest: 64k",
                "largest: 1g",
                "rules:",
                "  - path: /tmp/**",
                "    place: never",
                "  - {path: /dim/*, place: pin, most: 2g}",
                "  - {path: '/w/{a,b}/**', place: prefer, weight: 8}",
                "  - {path: /logs/**, smallest: 1m}");
        assertThat(spec.policy()).isEqualTo("decay-admit");
        assertThat(spec.parameters()).containsEntry("half-life", "10m").containsEntry("remembered", "100000");
        assertThat(spec.size()).isEqualTo(new SizeBounds(65536, 1L << 30));
        assertThat(spec.rules())
                .extracting(Rule::place)
                .containsExactly(Place.NEVER, Place.PIN, Place.PREFER, Place.ALLOW);
        assertThat(spec.rules()).extracting(Rule::number).containsExactly(1, 2, 3, 4);
        assertThat(spec.ruleFor("/dim/x")).extracting(Rule::mostBytes).isEqualTo(2L << 30);
        assertThat(spec.ruleFor("/w/b/c/d")).extracting(Rule::weight).isEqualTo(8);
        assertThat(spec.ruleFor("/elsewhere")).isNull();
        assertThat(spec.make(PolicySpec.TIERS).name()).isEqualTo("decay-admit");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "polcy: lru                                     | p.yaml:2: unknown key 'polcy' in the policy file; did you mean 'policy'?",
                "rules: [{pth: /a, place: never}]               | unknown key 'pth' in rule 1; did you mean 'path'?",
                "rules: [{path: /a, place: nevr}]               | place is 'nevr'; it must be one of allow, prefer, never, pin; did you mean 'never'?",
                "rules: [{path: a/b, place: never}]             | 'a/b' must be an absolute path",
                "rules: [{path: /a**, place: never}]            | ** must be a component of its own",
                "rules: [{path: '/{a', place: never}]           | braces",
                "rules: [{path: /a, place: never, weight: 3}]   | weight goes with place: prefer",
                "rules: [{path: /a, place: prefer, weight: 1}]  | weight is '1'; it must be a whole number from 2 to 100",
                "rules: [{path: /a, place: prefer, weight: x}]  | weight is 'x'; it must be a whole number",
                "rules: [{path: /a}]                            | rule 1 says nothing",
                "rules: [{place: pin}]                          | rule 1 needs a path",
                "rules: {a: b}                                  | rules must be a list",
                "rules: [never]                                 | rule 1 must be a mapping",
                "smallest: 64q                                  | smallest is '64q'; it must be bytes",
                "smallest: -1                                   | smallest is '-1'; it must be bytes",
                "smallest: 9223372036854775807t                 | it must be bytes",
                "parameters: {treshold: 3}                      | policy idecider has no parameter 'treshold'; did you mean 'threshold'?",
                "parameters: {threshold: many}                  | threshold is 'many' but must be a whole number",
                "parameters: [1]                                | parameters must be a mapping",
                "policy: lru                                    | p.yaml:2: key 'policy' stands twice",
                "rules: [                                       | it is no YAML",
                "rules: !!javax.script.ScriptEngineManager []   | it is no YAML: Global tag is not allowed",
            })
    void read_oneMistake_isRefusedWithLineAndRemedy(String line, String complaint) {
        List<String> found = complaints("policy: idecider", line);
        assertThat(found)
                .anySatisfy(text -> assertThat(text).startsWith("p.yaml:").contains(complaint));
    }

    @Test
    void read_severalMistakes_areAllNamed() {
        assertThat(complaints("policy: adaptiv", "smalest: 1", "rules:", "  - path: x"))
                .anyMatch(text -> text.startsWith("p.yaml:1:") && text.contains("did you mean 'adaptive'"))
                .anyMatch(text -> text.startsWith("p.yaml:2:"))
                .anyMatch(text -> text.startsWith("p.yaml:4:"));
    }

    @Test
    void read_emptyOrHugeOrDeep_isRefused() {
        assertThatThrownBy(() -> read("")).hasMessageContaining("it is empty");
        assertThatThrownBy(() -> read("# nothing")).hasMessageContaining("it is empty");
        assertThatThrownBy(() -> read("policy: lru", "# " + "x".repeat(PolicyFile.MOST_BYTES)))
                .hasMessageContaining("larger than");
        assertThatThrownBy(() -> read("policy: lru", "rules: " + "[".repeat(1000) + "]".repeat(1000)))
                .asInstanceOf(type(PolicyFileException.class))
                .isNotNull();
    }

    @Test
    void read_exampleOfTheConfiguration_isRightAndSoAreItsCommentedLines() throws Exception {
        String text = Files.readString(Path.of("..", "conf", "placement.yaml"));
        assertThat(PolicyFile.read("placement.yaml", text).policy()).isEqualTo("adaptive");
        String uncommented =
                text.replace("rules: []", "rules:").replace("\n#  - ", "\n  - ").replace("\n#    ", "\n    ");
        uncommented = uncommented
                .replace("# smallest: 64k", "smallest: 64k")
                .replaceAll("(?m)^#   .*$", "")
                .replaceAll("(?m)^    +(pin|prefer|allow|place: never    never).*$", "");
        assertThat(PolicyFile.read("placement.yaml", uncommented).rules()).hasSize(4);
    }

    @Test
    void plain_itsText_readsAsTheSame() throws Exception {
        PolicySpec plain = PolicySpec.plain("decay-admit", Map.of("half-life", "10m", "remembered", "7"));
        assertThat(PolicyFile.read("p", plain.text())).isEqualTo(plain);
        assertThat(PolicyCatalog.kinds()).allSatisfy(kind -> PolicyFile.read("p", "policy: " + kind.name()));
    }
}
