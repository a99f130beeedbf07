package io.terrace.placement.policyfile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.placement.policyfile.OwnAnnotations.Scope;
import io.terrace.placement.policyfile.PathRule.Place;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Annotations of /a and /a/b, and what they make of the rule for /a/b/file. */
class AnnotationsTest {

    private static PolicySpec spec(String rule) {
        String rules =
                rule == null || rule.isEmpty() ? "  - {path: /other, place: never}" : "  - {path: /a/**, " + rule + "}";
        try {
            return PolicyFile.read(
                    "p.yaml",
                    String.join(
                            "\n",
                            "policy: idecider",
                            "pools:",
                            "  - {name: etl, share: 30%}",
                            "  - {name: web, share: 30%}",
                            "rules:",
                            rules,
                            "  - {path: /etl, pool: etl}",
                            "  - {path: /web, pool: web}"));
        } catch (PolicyFileException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /** Reads {@code user.place=never trusted.weight=9}. */
    private static OwnAnnotations own(String text) {
        Map<String, byte[]> attributes = new HashMap<>();
        for (String attribute : text == null ? new String[0] : text.split(" ", -1)) {
            int equals = attribute.indexOf('=');
            String name = attribute.substring(0, equals).replaceFirst("\\.", ".terrace.");
            attributes.put(name, attribute.substring(equals + 1).getBytes(StandardCharsets.UTF_8));
        }
        return OwnAnnotations.of(attributes);
    }

    private static AnnotatedRule resolved(PolicySpec spec, String above, String nearer) {
        PathAnnotations annotations = PathAnnotations.NONE.and(own(above), "/a").and(own(nearer), "/a/b");
        return spec.ruleFor("/a/b/file", annotations);
    }

    private static String text(AnnotatedRule resolved) {
        return resolved.words().stream()
                .map(held -> held.word().word() + "=" + held.value()
                        + (held.by() == null ? "" : (held.by() == Scope.USER ? " u" : " t") + held.path()))
                .collect(Collectors.joining(", "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // Without a rule: the superuser may say anything, a user may narrow.
                "                                    |                          | trusted.place=pin        | place=pin t/a/b                         |",
                "                                    | user.place=never         |                          | place=never u/a                         |",
                "                                    |                          | user.place=prefer        |                                         | user.terrace.place",
                "                                    |                          | user.tiers=ssd..disk     |                                         | user.terrace.tiers",
                "                                    | trusted.tiers=ssd..disk  |                          | tiers=ssd..disk t/a, replicas=one            |",
                // Trusted before the policy file before user.
                "place: never                        | trusted.place=prefer     | user.place=pin           | place=prefer t/a, weight=4              | user.terrace.place",
                "place: prefer, weight: 9            |                          | user.weight=8            | place=prefer, weight=8 u/a/b            |",
                "place: prefer, weight: 9            |                          | user.weight=10           | place=prefer, weight=9                  | user.terrace.weight",
                "place: prefer, weight: 9            |                          | trusted.weight=10        | place=prefer, weight=10 t/a/b           |",
                "tiers: ssd..disk                    |                          | trusted.tiers=nvm        | tiers=nvm t/a/b, replicas=one           |",
                "tiers: ssd..disk                    |                          | user.tiers=disk          | tiers=disk u/a/b, replicas=one          |",
                "tiers: ssd..disk                    |                          | user.tiers=disk..archive | tiers=ssd..disk, replicas=one           | user.terrace.tiers",
                "'tiers: disk, annotations: [tiers]' |                          | user.tiers=nvm..disk     | tiers=nvm..disk u/a/b, replicas=one     |",
                "'tiers: disk, annotations: [tiers]' | trusted.tiers=disk       | user.tiers=nvm..disk     | tiers=disk t/a, replicas=one            | user.terrace.tiers",
                "tiers: nvm..disk                    | trusted.tiers=ssd..disk  | user.tiers=ssd           | tiers=ssd u/a/b, replicas=one           |",
                // The nearest first; one that does not count leaves the word to the next above.
                "                                    | trusted.place=never      | trusted.place=prefer     | place=prefer t/a/b, weight=4            |",
                "place: pin                          | user.place=never         | user.place=allow         | place=allow u/a/b                       |",
                "                                    | user.place=never         | user.place=prefer        | place=never u/a                         | user.terrace.place",
                "tiers: nvm..disk                    | user.tiers=ssd           | user.tiers=archive       | tiers=ssd u/a, replicas=one             | user.terrace.tiers",
                // Replicas and how long.
                "'tiers: disk, replicas: all'        |                          | user.replicas=one        | tiers=disk, replicas=one u/a/b          |",
                "tiers: disk                         |                          | user.replicas=all        | tiers=disk, replicas=one                | user.terrace.replicas",
                "'tiers: disk, keep: 7d'             |                          | user.keep=36h            | tiers=disk, replicas=one, keep=36h u/a/b |",
                "'tiers: disk, keep: 7d'             |                          | user.keep=8d             | tiers=disk, replicas=one, keep=7d       | user.terrace.keep",
                "'tiers: disk, annotations: [keep]'  |                          | user.keep=90m            | tiers=disk, replicas=one, keep=90m u/a/b |",
                // Pools: only where allowed.
                "'pool: etl'                         |                          | user.pool=web            | pool=etl                                | user.terrace.pool",
                "'pool: etl, annotations: [pool]'    |                          | user.pool=web            | pool=web u/a/b                          |",
                "                                    | trusted.pool=etl         | user.pool=etl            | pool=etl u/a/b                          |",
                "'annotations: [place, weight]'      |                          | user.place=prefer user.weight=50 | place=prefer u/a/b, weight=50 u/a/b |",
                "'annotations: [place]'              |                          | user.place=prefer user.weight=50 | place=prefer u/a/b, weight=4    | user.terrace.weight",
                "'annotations: [place]'              |                          | user.place=pin           |                                         | user.terrace.place",
                // The storage policy satisfied, which a range forbids.
                "satisfy: true                       |                          | user.satisfy=false       | satisfy=false u/a/b                     |",
                "                                    |                          | user.satisfy=true        |                                         | user.terrace.satisfy",
                "                                    | trusted.satisfy=true     | user.satisfy=true        | satisfy=true u/a/b                      |",
                "'annotations: [satisfy]'            |                          | user.satisfy=true        | satisfy=true u/a/b                      |",
                "satisfy: true                       | trusted.tiers=ssd        |                          | tiers=ssd t/a, replicas=one             |",
                "tiers: ssd                          |                          | trusted.satisfy=true     | tiers=ssd, replicas=one                 | trusted.terrace.satisfy",
                // Contradictions and garbage.
                "                                    | trusted.replicas=all     | trusted.keep=7d          |                                         | trusted.terrace.replicas trusted.terrace.keep",
                "place: never                        | trusted.weight=7         | trusted.pool=etl         | place=never                             | trusted.terrace.weight trusted.terrace.pool",
                "                                    | trusted.pool=nosuch      | user.place=never         | place=never u/a/b                       | trusted.terrace.pool",
                "                                    | trusted.place=never      | trusted.place=nevr       | place=never t/a                         | trusted.terrace.place",
                "                                    | trusted.tirs=ssd         | user.tiers=disk..ssd     |                                         | user.terrace.tiers trusted.terrace.tirs",
                "                                    | trusted.policy=x         | trusted.weight=101       |                                         | trusted.terrace.weight",
            })
    void words_holdAsTheTableSays(String rule, String above, String nearer, String held, String ignored) {
        AnnotatedRule resolved = resolved(spec(rule), above, nearer);
        assertThat(text(resolved)).isEqualTo(held == null ? "" : held);
        assertThat(resolved.ignored().stream().map(AnnotatedRule.Ignored::attribute))
                .containsExactlyInAnyOrder(ignored == null ? new String[0] : ignored.split(" ", -1));
        assertThat(resolved.ignored()).allSatisfy(one -> assertThat(one.why()).isNotBlank());
    }

    @Test
    void rule_hasWhatHolds() {
        PolicySpec spec = spec("place: prefer, weight: 8, tiers: nvm..archive, replicas: all, keep: 7d, smallest: 1m");
        PathRule base = spec.ruleFor("/a/b/file");
        PathRule rule = resolved(spec, "user.weight=3", "user.tiers=ssd..disk").rule();
        assertThat(rule.number()).isEqualTo(1);
        assertThat(rule.name()).isEqualTo("rule 1 of the policy with an annotation");
        assertThat(rule.weight()).isEqualTo(3);
        assertThat(rule.place()).isEqualTo(Place.PREFER);
        assertThat(rule.size()).isEqualTo(base.size());
        assertThat(rule.tiers().toString()).isEqualTo("ssd..disk");
        assertThat(rule.tiers().allReplicas()).isTrue();
        assertThat(rule.tiers().keepMs()).isEqualTo(base.tiers().keepMs()).isEqualTo(7L * 24 * 3600 * 1000);
        assertThat(resolved(spec(null), null, "user.place=never").rule().name()).isEqualTo("an annotation");
        assertThat(resolved(spec(null), null, "user.place=prefer").rule()).isNull();
        assertThat(resolved(spec, null, "user.weight=9").rule()).isSameAs(base);
    }

    @Test
    void pinByTheSuperuser_keepsTheBoundOfItsRule() {
        assertThat(resolved(spec("place: pin, most: 2g"), null, "user.place=pin")
                        .rule()
                        .mostBytes())
                .isEqualTo(2L << 30);
        assertThat(resolved(spec("pool: etl"), null, "trusted.place=pin").rule().pool())
                .isZero();
    }

    @Test
    void files_ofOneDirectory_shareWhatWasResolved() {
        PolicySpec spec = spec("tiers: ssd..disk");
        OwnAnnotations own = own("user.tiers=disk");
        PathRule one = spec.ruleFor("/a/x", PathAnnotations.NONE.and(own)).rule();
        PathRule other = spec.ruleFor("/a/y", PathAnnotations.NONE.and(own)).rule();
        assertThat(one).isSameAs(other);
        PolicySpec changed = spec("tiers: nvm");
        assertThat(changed.ruleFor("/a/x", PathAnnotations.NONE.and(own)).rule().tiers())
                .hasToString("nvm");
        assertThat(PathAnnotations.NONE.and(OwnAnnotations.of(Map.of("user.mine", new byte[1]))))
                .isSameAs(PathAnnotations.NONE);
    }

    @Test
    void whatTheServiceStoresAtTheRoot_isNoAnnotation() {
        assertThat(OwnAnnotations.of(Map.of(
                        "trusted.terrace.placement", new byte[3],
                        "trusted.terrace.policy", new byte[3],
                        "trusted.terrace.satisfied", new byte[3])))
                .isSameAs(OwnAnnotations.NONE);
    }

    @Test
    void valuesThatAreNoText_areIgnored() {
        byte[] huge = new byte[OwnAnnotations.MOST_BYTES + 1];
        Arrays.fill(huge, (byte) 'x');
        for (byte[] value : List.of(new byte[0], new byte[] {(byte) 0xff, (byte) 0xfe}, huge)) {
            PathAnnotations garbage = PathAnnotations.of(Map.of("trusted.terrace.place", value));
            assertThat(spec(null).ruleFor("/a/f", garbage).rule()).isNull();
            assertThat(spec(null).ruleFor("/a/f", garbage).ignored())
                    .singleElement()
                    .satisfies(ignored -> assertThat(ignored.why()).contains("set it again or remove it"));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "plase    | x         | there is no word 'plase'; it must be one of place, weight, pool, tiers, replicas, keep, write, satisfy; did you mean 'place'?",
                "place    | nevr      | place is 'nevr'; it must be one of allow, prefer, never, pin; did you mean 'never'?",
                "weight   | 1         | weight is '1'; it must be a whole number from 2 to 100",
                "weight   | 3.5       | weight is '3.5'; it must be a whole number from 2 to 100",
                "pool     | a b       | pool is 'a b'; it must be a name",
                "satisfy  | yes       | satisfy is 'yes'; it must be one of true, false; did you mean 'true'?",
                "tiers    | disk..ssd | slower tier first; write ssd..disk",
                "tiers    | memory    | memory holds copies, not replicas",
                "replicas | two       | replicas is 'two'; it must be one of one, all",
                "keep     | 7         | keep is '7'; it must be minutes, hours or days, e.g. 30m, 12h or 7d",
                "keep     | 0d        | keep is '0d'",
                "keep     | 3651d     | keep is '3651d'",
                "keep     | -7d       | keep is '-7d'",
                "KEEP     | 7d        | there is no word 'KEEP'",
            })
    void mistake_isNamedWithTheRemedy(String word, String value, String said) {
        assertThatThrownBy(() -> AnnotationWord.of(word).check(value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(said);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1m", "90m", "12h", "36h", "7d", "3650d"})
    void keep_isWrittenAsItIsRead(String text) {
        assertThat(TierRange.keepText(TierRange.parseKeep(text))).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "place: never, annotations: [tirs] | there is no word 'tirs'; it must be one of place, weight, pool, tiers, replicas, keep, write, satisfy; did you mean 'tiers'?",
                "annotations: tiers                | annotations must be a list",
                "annotations: [[tiers]]            | annotations: there is no word ''",
                "keep: 7d                          | keep goes with tiers",
                "'tiers: ssd, satisfy: true'       | satisfy: true contradicts tiers",
                "satisfy: yes                      | satisfy is 'yes'; it must be one of true, false",
                "tiers: disk, keep: 7              | keep is '7'",
            })
    void mistakesInARule_areNamed(String rule, String said) {
        assertThatThrownBy(() -> spec(rule)).hasMessageContaining(said);
    }
}
