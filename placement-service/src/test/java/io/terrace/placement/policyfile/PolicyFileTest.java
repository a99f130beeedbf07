package io.terrace.placement.policyfile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.terrace.common.StorageTier;
import io.terrace.placement.policyfile.PathRule.Place;
import io.terrace.policy.PolicyCatalog;
import io.terrace.policy.api.PoolShare;
import io.terrace.policy.api.PoolUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyFileTest {

    private static PolicySpec read(String... lines) throws PolicyFileException {
        return PolicyFile.read("p.yaml", String.join("\n", lines));
    }

    private static List<String> errors(String... lines) {
        try {
            read(lines);
        } catch (PolicyFileException e) {
            return e.errors();
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
        assertThat(spec.size()).isEqualTo(new SizeRange(65536, 1L << 30));
        assertThat(spec.rules())
                .extracting(PathRule::place)
                .containsExactly(Place.NEVER, Place.PIN, Place.PREFER, Place.ALLOW);
        assertThat(spec.rules()).extracting(PathRule::number).containsExactly(1, 2, 3, 4);
        assertThat(spec.ruleFor("/dim/x")).extracting(PathRule::mostBytes).isEqualTo(2L << 30);
        assertThat(spec.ruleFor("/w/b/c/d")).extracting(PathRule::weight).isEqualTo(8);
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
                "rules: [{path: /a, tier: ssd}]                 | tier is 'ssd', to which Terrace moves no blocks; it must be memory, or home",
                "rules: [{path: /a, tier: home, place: pin}]    | tier: home means place: never",
                "rules: [{path: /a, tier: memory, place: never}] | tier: memory contradicts place: never",
                "rules: [{path: /a, pool: etl}]                 | there are no pools",
                "pools: [{nme: etl, share: 30%}]                | unknown key 'nme' in pool 1; did you mean 'name'?",
                "pools: [{name: etl}]                           | pool 'etl' needs a share of the memory",
                "pools: [{name: etl, share: 30}]                | share is '30'; it must be a share from 1% to 100%",
                "pools: [{name: 'e t', share: 30%}]             | pool 1 needs a name",
                "pools: [{name: etl, share: 30%, most: 20%}]    | most is below share",
                "pools: [{name: etl, share: 30%, lend: maybe}]  | lend is 'maybe'; it must be one of true, false",
                "pools: [{name: etl, share: 30%, policy: lu}]   | policy is 'lu'; it must be one of",
                "pools: [{name: etl, share: 30%, parameters: {threshold: 1}}] | parameters go with a policy of its own",
                "pools: [{name: default, share: 30%}]           | pool default has what the others leave",
                "pools: [{name: a, share: 60%}, {name: b, share: 50%}] | the pools' shares add up to 110%",
                "pools: [{name: a, share: 6%}, {name: a, share: 5%}] | two pools are called 'a'",
                "pools: [{name: etl, share: 30%}]               | no rule sends files to pool 'etl'",
                "pools: [{name: a, share: 9%, tiers: ssd}]      | tiers of pool 'a' must be a mapping",
                "pools: [{name: a, share: 9%, tiers: {sdd: {share: 9%}}}] | unknown tier 'sdd' in tiers of pool 'a'; it must be one of nvm, ssd, disk, archive; did you mean 'ssd'?",
                "pools: [{name: a, share: 9%, tiers: {memory: {share: 9%}}}] | give its part of memory by share and most of the pool itself",
                "pools: [{name: a, share: 9%, tiers: {ssd: 9%}}] | ssd of pool 'a' must be a mapping",
                "pools: [{name: a, share: 9%, tiers: {ssd: {shar: 9%}}}] | unknown key 'shar' in ssd of pool 'a'; did you mean 'share'?",
                "pools: [{name: a, share: 9%, tiers: {ssd: {most: 9%}}}] | pool 'a' needs a share of ssd, e.g. ssd: {share: 30%}",
                "pools: [{name: a, share: 9%, tiers: {ssd: {share: 0%}}}] | share is '0%'; it must be a share from 1% to 100%",
                "pools: [{name: a, share: 9%, tiers: {ssd: {share: 30%, most: 20%}}}] | pool 'a': most of ssd is below its share; give it 30% or more",
                "pools: [{name: a, share: 9%, tiers: {ssd: {share: 9%, lend: maybe}}}] | lend is 'maybe'; it must be one of true, false",
                "pools: [{name: default, tiers: {ssd: {share: 9%}}}] | pool default has what the others leave of ssd",
                "pools: [{name: a, share: 9%, tiers: {ssd: {share: 60%}}}, {name: b, share: 9%, tiers: {ssd: {share: 50%}}}] | the pools' shares of ssd add up to 110%; at most 100% can be had",
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
    void read_oneMistake_isRefusedWithLineAndRemedy(String line, String error) {
        List<String> found = errors("policy: idecider", line);
        assertThat(found)
                .anySatisfy(text -> assertThat(text).startsWith("p.yaml:").contains(error));
    }

    @Test
    void read_pools_divideMemoryAndTakeTheFilesPolicy() throws Exception {
        PolicySpec spec = read(
                "policy: decay-admit",
                "parameters: {half-life: 10m}",
                "pools:",
                "  - {name: etl, share: 30%, most: 60%}",
                "  - {name: ad-hoc, share: 12.5%, lend: false, policy: lru}",
                "  - {name: default, most: 80%}",
                "rules:",
                "  - {path: /etl/**, pool: etl}",
                "  - {path: /home/**, place: prefer, pool: ad-hoc}",
                "  - {path: /raw/**, tier: home}",
                "  - {path: /dim/**, tier: memory}");
        assertThat(spec.pools())
                .extracting(PoolSpec::share)
                .containsExactly(
                        new PoolShare("default", 0.575, 0.8, true),
                        new PoolShare("etl", 0.3, 0.6, true),
                        new PoolShare("ad-hoc", 0.125, 0.125, false));
        assertThat(spec.pools()).extracting(PoolSpec::policy).containsExactly("decay-admit", "decay-admit", "lru");
        assertThat(spec.pools().get(1).parameters()).containsEntry("half-life", "10m");
        assertThat(spec.pools().get(2).parameters()).isEmpty();
        assertThat(spec.rules()).extracting(PathRule::pool).containsExactly(1, 2, 0, 0);
        assertThat(spec.rules())
                .extracting(PathRule::place)
                .containsExactly(Place.ALLOW, Place.PREFER, Place.NEVER, Place.ALLOW);
        assertThat(spec.make(PolicySpec.TIERS).pools())
                .extracting(PoolUsage::name)
                .contains("ad-hoc");
    }

    @Test
    void read_pools_divideTiersBelowMemory_andTheFirstHasWhatTheOthersLeave() throws Exception {
        PolicySpec spec = read(
                "policy: lru",
                "pools:",
                "  - name: etl",
                "    share: 30%",
                "    tiers:",
                "      ssd: {share: 20%, most: 50%}",
                "      nvm: {share: 40%, lend: false}",
                "  - {name: bi, share: 10%, lend: false, tiers: {ssd: {share: 30%}}}",
                "  - {name: default, tiers: {ssd: {most: 70%}}}",
                "rules:",
                "  - {path: /etl/**, pool: etl, tiers: nvm..disk}",
                "  - {path: /bi/**, pool: bi, annotations: [tiers]}");
        assertThat(spec.pools().get(0).tiers())
                .isEqualTo(Map.of(
                        StorageTier.NVM, new PoolShare("default", 0.6, 1, true),
                        StorageTier.SSD, new PoolShare("default", 0.5, 0.7, true)));
        assertThat(spec.pools().get(1).tiers())
                .isEqualTo(Map.of(
                        StorageTier.NVM, new PoolShare("etl", 0.4, 0.4, false),
                        StorageTier.SSD, new PoolShare("etl", 0.2, 0.5, true)));
        assertThat(spec.pools().get(2).tiers())
                .isEqualTo(Map.of(StorageTier.SSD, new PoolShare("bi", 0.3, 0.3, false)));
    }

    @Test
    void read_aTierOutsideTheRangesOfAPoolsRules_isRefused() {
        assertThat(errors(
                        "policy: lru",
                        "pools:",
                        "  - {name: etl, share: 30%, tiers: {nvm: {share: 20%}, ssd: {share: 20%}}}",
                        "rules:",
                        "  - {path: /etl/**, pool: etl, tiers: ssd..disk}",
                        "  - {path: /b/**, tiers: nvm..disk}"))
                .singleElement()
                .asString()
                .startsWith(
                        "p.yaml:3: pool 'etl' has a share of nvm, but no rule with 'pool: etl' has tiers with nvm; widen");
    }

    @Test
    void read_severalMistakes_areAllNamed() {
        assertThat(errors("policy: adaptiv", "smalest: 1", "rules:", "  - path: x"))
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
        String uncommented = text.replace("rules: []", "rules:")
                .replace("# pools:", "pools:")
                .replace("\n#  - ", "\n  - ")
                .replace("\n#    ", "\n    ");
        uncommented = uncommented
                .replace("# smallest: 64k", "smallest: 64k")
                .replaceAll("(?m)^#   .*$", "")
                .replaceAll("(?m)^    +(pin|prefer|allow|place: never    never).*$", "");
        PolicySpec whole = PolicyFile.read("placement.yaml", uncommented);
        assertThat(whole.rules()).hasSize(12);
        assertThat(whole.pools()).hasSize(2);
        assertThat(range(whole, "/jobs/7/output/_temporary/0/part-0")).isNull();
        assertThat(range(whole, "/jobs/7/output/part-0"))
                .isEqualTo(new TierRange(StorageTier.NVM, StorageTier.DISK, false, 3_600_000));
        assertThat(range(whole, "/hbase/WALs/host,16020,1/wal.1")).isNull();
        assertThat(range(whole, "/hbase/oldWALs/wal.1"))
                .isEqualTo(new TierRange(StorageTier.DISK, StorageTier.ARCHIVE, false));
    }

    private static @Nullable TierRange range(PolicySpec spec, String path) {
        return Objects.requireNonNull(spec.ruleFor(path)).tiers();
    }

    @Test
    void plain_itsText_readsAsTheSame() throws Exception {
        PolicySpec plain = PolicySpec.plain("decay-admit", Map.of("half-life", "10m", "remembered", "7"));
        assertThat(PolicyFile.read("p", plain.text())).isEqualTo(plain);
        assertThat(PolicyCatalog.kinds()).allSatisfy(kind -> PolicyFile.read("p", "policy: " + kind.name()));
    }

    @Test
    void rule_thatNeverMatches_isRefused_andTakenWhereItIsStored() throws Exception {
        String text = "policy: lru\nrules:\n  - path: /a/.snapshot/**\n    place: never\n";
        assertThatThrownBy(() -> PolicyFile.read("p", text))
                .hasMessageContaining("p:3: rule 1: '/a/.snapshot/**' never matches");
        PolicySpec stored = PolicyFile.readStored("p", text);
        assertThat(stored.rules()).hasSize(1);
        assertThat(PolicyFile.rulesThatNeverMatch(stored)).hasSize(1);
    }
}
