package io.terrace.placement.hdfs.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.terrace.protocol.proto.AdminProtos.FindingProto;
import io.terrace.protocol.proto.DataNodeProtos.ConditionProto;
import io.terrace.protocol.proto.DataNodeProtos.ConditionProto.Severity;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharedFindingTest {

    private static FindingProto finding(String where, Severity severity, String id, String text) {
        return FindingProto.newBuilder()
                .setWhere(where)
                .setFinding(ConditionProto.newBuilder()
                        .setId(id)
                        .setSeverity(severity)
                        .setText(text)
                        .setRemedy("mend " + where))
                .build();
    }

    private static List<JsonNode> shared(List<FindingProto> findings, boolean sentences) {
        return SharedFinding.of(findings).stream()
                .<JsonNode>map(one -> one.json(sentences))
                .toList();
    }

    @Test
    void findingOfManyDataNodes_isOneWithTheFirstPlaces() {
        List<FindingProto> findings = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            findings.add(finding("dn" + i, Severity.ERROR, "silent", "no heartbeat for " + i + " s"));
        }
        assertThat(shared(findings, true)).singleElement().satisfies(one -> {
            assertThat(one.get("count").intValue()).isEqualTo(1000);
            assertThat(one.get("where")).hasSize(SharedFinding.PLACES);
            assertThat(one.get("where").get(0).textValue()).isEqualTo("dn0");
            assertThat(one.get("text").textValue()).isEqualTo("no heartbeat for 0 s");
        });
    }

    @Test
    void findingsOfOtherWordsOrSeverities_stayApart_worstFirst() {
        List<JsonNode> shown = shared(
                List.of(
                        finding("a", Severity.NOTE, "policy", "rule 1 is never used"),
                        finding("b", Severity.WARNING, "policy", "rule 1 is never used"),
                        finding("c", Severity.ERROR, "policy", "rule 2 names no pool")),
                true);
        assertThat(shown)
                .extracting(one -> one.get("severity").textValue())
                .containsExactly("error", "warning", "note");
    }

    @Test
    void idsWithoutEnd_areCut_andTheWorstAreKept() {
        List<FindingProto> findings = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            findings.add(finding("liar", Severity.NOTE, "invented" + i, "text"));
        }
        findings.add(finding("honest", Severity.ERROR, "silent", "text"));
        List<JsonNode> shown = shared(findings, true);
        assertThat(shown).hasSize(SharedFinding.MOST);
        assertThat(shown.get(0).get("id").textValue()).isEqualTo("silent");
    }

    @Test
    void findingForNobody_hasNoSentence() {
        JsonNode shown = shared(List.of(finding("a", Severity.ERROR, "id", "of /secret")), false)
                .get(0);
        assertThat(shown.toString()).doesNotContain("secret").doesNotContain("mend");
    }
}
