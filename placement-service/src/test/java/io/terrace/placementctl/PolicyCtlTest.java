package io.terrace.placementctl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.terrace.protocol.proto.DataNodeProtos.OrderProto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code placementctl policy} against a NameNode with the plugin, a policy file and a log of accesses. */
@Tag("cluster")
class PolicyCtlTest extends PolicyCommandsFixture {

    @Test
    void list_namesEveryPolicyWithItsParameters() throws Exception {
        assertThat(ctl.run("policy", "list")).isZero();
        assertThat(ctl.out).contains("adaptive").contains("decay-admit").contains("half-life: 1h");
        assertThat(ctl.run("policy", "list", "--json")).isZero();
        assertThat(ctl.json().get("policies").size()).isGreaterThan(10);
    }

    @Test
    void check_file_namesMistakesWithTheirLines() throws Exception {
        assertThat(ctl.run("policy", "check", fixture.policyFile.toString())).isZero();
        assertThat(ctl.out).contains("right");
        Path bad = fixture.file("policy: lru\nrulse: []\n");
        assertThat(ctl.run("policy", "check", bad.toString())).isEqualTo(1);
        assertThat(ctl.out.replaceAll("\\s+", " "))
                .contains("candidate.yaml:2:")
                .contains("did you mean 'rules'");
        assertThat(ctl.run("policy", "check", bad.toString(), "--json")).isEqualTo(1);
        assertThat(ctl.json().get("complaints")).hasSize(1);
        assertThat(ctl.run("policy", "check", dir.resolve("nothing").toString()))
                .isEqualTo(1);
        assertThat(ctl.run("policy", "check")).isEqualTo(2);
        assertThat(ctl.run("policy")).isEqualTo(2);
        for (String verb : List.of("list", "show", "check", "simulate", "apply", "history", "rollback")) {
            assertThat(ctl.run("policy", verb, "--help")).isZero();
            assertThat(ctl.out).contains("Usage: placementctl policy " + verb).contains("--json");
        }
    }

    @Test
    void file_changed_isInForceWithinItsIntervalAndABadOneIsNot() throws Exception {
        assertThat(fixture.shown().get("source").asText()).isEqualTo("file");
        fixture.dataNode.reads(fixture.blocks.get(1), 3);
        fixture.dataNode.beat();
        Files.writeString(fixture.policyFile, "policy: lru\n");
        await().atMost(Duration.ofSeconds(20))
                .until(() -> fixture.shown().get("policy").asText().equals("lru"));
        fixture.dataNode.reads(fixture.blocks.get(1), 1);
        fixture.dataNode.beat();
        fixture.dataNode.beat();
        assertThat(fixture.dataNode.memory).containsKey(fixture.blocks.get(1).getBlockId());

        Files.writeString(fixture.policyFile, "policy: lru\nparameters: {writes: perhaps}\n");
        await().atMost(Duration.ofSeconds(20)).until(() -> fixture.shown().has("fileTrouble"));
        assertThat(fixture.shown().get("policy").asText()).isEqualTo("lru");
        assertThat(fixture.shown().get("fileTrouble").asText())
                .contains("placement.yaml:2:")
                .contains("writes");
        assertThat(ctl.run("doctor")).isEqualTo(1);
        assertThat(ctl.out).contains("policy.file");
        assertThat(fixture.figures().get("placement.policy.file.bad").asLong()).isEqualTo(1);

        Files.writeString(fixture.policyFile, PolicyFixture.CONFIGURED);
        await().atMost(Duration.ofSeconds(20))
                .until(() -> fixture.shown().get("policy").asText().equals("idecider"));
        assertThat(fixture.shown().has("fileTrouble")).isFalse();
        fixture.dataNode.beat();
        assertThat(fixture.dataNode.memory)
                .as("no switch drops a copy")
                .containsKey(fixture.blocks.get(1).getBlockId());
        Files.delete(fixture.policyFile);
        await().atMost(Duration.ofSeconds(20)).until(() -> fixture.shown().has("fileTrouble"));
        assertThat(fixture.shown().get("policy").asText()).isEqualTo("idecider");
    }

    @Test
    void rangeWithoutATypeOfTheStoragePolicy_isFoundByDoctor() throws Exception {
        for (String range : List.of("nvm..ssd", "ssd..disk")) {
            String policy = "policy: lru\nrules: [{path: /**, tiers: " + range + "}]\n";
            assertThat(ctl.run("policy", "apply", fixture.file(policy).toString()))
                    .as(ctl.err)
                    .isZero();
            ctl.run("doctor", "--json");
            assertThat(ctl.out.contains("range.off-policy")).isEqualTo(range.equals("nvm..ssd"));
        }
        ctl.run("policy", "apply", "--configured");
    }

    @Test
    void apply_rollbackAndHistory_surviveARestart() throws Exception {
        assertThat(ctl.run("policy", "history")).isZero();
        long before = fixture.shown().get("steps").size();
        assertThat(ctl.run("policy", "apply", fixture.file("policy: lru\n").toString()))
                .as(ctl.err)
                .isZero();
        assertThat(ctl.out).contains("is in force");
        long lru = fixture.shown().get("number").asLong();
        assertThat(ctl.run(
                        "policy",
                        "apply",
                        fixture.file("policy: 2q\nrules: [{path: /tmp/**, place: never}]\n")
                                .toString()))
                .isZero();
        assertThat(fixture.shown().get("policy").asText()).isEqualTo("2q");
        assertThat(fixture.shown().get("source").asText()).isEqualTo("applied");
        assertThat(fixture.shown().get("steps")).hasSize((int) before + 2);

        fixture.restart();
        assertThat(fixture.shown().get("policy").asText()).isEqualTo("2q");
        assertThat(fixture.shown().get("number").asLong()).isEqualTo(lru + 1);
        assertThat(ctl.run("policy", "show", "--text")).isZero();
        assertThat(ctl.out).contains("/tmp/**");
        assertThat(ctl.run("policy", "show", "--text", "--json")).isZero();
        assertThat(ctl.json().get("text").asText()).contains("/tmp/**");
        assertThat(ctl.run("policy", "history", "--text", Long.toString(lru), "--json"))
                .isZero();
        assertThat(ctl.json().get("text").asText()).contains("policy: lru");

        assertThat(ctl.run("policy", "rollback")).isZero();
        assertThat(fixture.shown().get("policy").asText()).isEqualTo("lru");
        assertThat(fixture.shown().get("number").asLong()).isEqualTo(lru);
        assertThat(ctl.run("policy", "history")).isZero();
        assertThat(ctl.out).contains("2q").contains("lru").containsPattern("lru +\\S+ +yes");
        assertThat(ctl.run("policy", "history", "--text", Long.toString(lru + 1)))
                .isZero();
        assertThat(ctl.out).contains("policy: 2q");
        assertThat(ctl.run("policy", "apply", "--configured")).isZero();
        assertThat(fixture.shown().get("source").asText()).isEqualTo("file");
        assertThat(ctl.run("policy", "rollback")).isZero();
        assertThat(fixture.shown().get("policy").asText()).isEqualTo("lru");
    }

    @Test
    void apply_badFileOrUnauthorizedUser_changesNothing() throws Exception {
        Path bad = fixture.file("policy: lru\nparameters: {x: 1}\n");
        assertThat(ctl.run("policy", "apply", bad.toString())).isEqualTo(1);
        assertThat(ctl.err).contains("candidate.yaml:2:");
        Path good = fixture.file("policy: lru\n");
        assertThat(ctl.runAs("stranger", "policy", "apply", good.toString())).isEqualTo(1);
        assertThat(ctl.err).contains("may not change placement");
        assertThat(ctl.runAs("stranger", "policy", "rollback")).isEqualTo(1);
        assertThat(ctl.runAs("stranger", "policy", "apply", good.toString(), "--dry-run"))
                .isEqualTo(1);
        assertThat(ctl.runAs("stranger", "policy", "simulate", "--policy", good.toString()))
                .isEqualTo(1);
        assertThat(ctl.runAs("stranger", "policy", "show", "--json")).isZero();
        assertThat(ctl.json().has("text")).isFalse();
        assertThat(ctl.json().get("policy").asText()).isEqualTo("idecider");
        assertThat(ctl.run("policy", "apply")).isEqualTo(2);
        assertThat(ctl.run("policy", "apply", good.toString(), "--configured")).isEqualTo(2);
        assertThat(ctl.run("policy", "apply", good.toString(), "--dry-run", "--for", "soon"))
                .isEqualTo(2);
    }

    /**
     * The same reads twice: of a candidate in a dry run, and, after a restart, of the same one applied. Policies that
     * look at the time between reads are compared where the clock is the test's, in PolicyChangeTest.
     */
    @Test
    void applyDryRun_sameAccesses_decidesTheSameAndMovesNothing() throws Exception {
        for (String policy : List.of("lru", "decay-admit")) {
            String candidate = fixture.file("policy: " + policy + "\nrules: [{path: /tmp/**, place: never}]\n")
                    .toString();
            fixture.restart();
            assertThat(ctl.run("policy", "apply", candidate, "--dry-run", "--for", "1h"))
                    .as(ctl.err)
                    .isZero();
            assertThat(ctl.out).contains("Dry run of policy").contains("moves nothing");
            fixture.read(42, 60);
            JsonNode dryRun = fixture.shown().get("rehearsal");
            assertThat(fixture.dataNode.orders).as("nothing is ordered").isEmpty();
            assertThat(fixture.dataNode.memory).isEmpty();
            assertThat(moved()).as("bytes moved").isZero();
            List<String> requested = new ArrayList<>();
            dryRun.get("decisions")
                    .forEach(one -> requested.add(
                            one.get("kind").asText() + " " + one.get("blockId").asLong()));
            Collections.reverse(requested);
            assertThat(ctl.run("policy", "show")).isZero();
            assertThat(ctl.out).contains("Dry run").contains("would have moved");
            assertThat(ctl.run("policy", "apply", "--dry-run", "--stop")).isZero();
            assertThat(ctl.out).contains("ended");

            fixture.restart();
            assertThat(ctl.run("policy", "apply", candidate)).isZero();
            fixture.read(42, 60);
            List<String> real = new ArrayList<>();
            for (OrderProto order : fixture.dataNode.orders) {
                real.add(order.getKind().name().toLowerCase(Locale.ROOT) + " "
                        + order.getBlock().getBlockId());
            }
            assertThat(real).as(policy).isNotEmpty().isEqualTo(requested);
            assertThat(moved()).isPositive();
            assertThat(dryRun.get("promotions").asLong())
                    .isEqualTo(real.stream()
                            .filter(text -> text.startsWith("promote"))
                            .count());
            assertThat(ctl.run("policy", "apply", "--configured")).isZero();
        }
    }

    private static long moved() throws IOException {
        return fixture.figures().get("placement.promoted.bytes").asLong();
    }
}
