package io.terrace.placement.hdfs.web;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.terrace.protocol.MessageJson;
import io.terrace.protocol.proto.AdminProtos.FindingProto;
import io.terrace.protocol.proto.DataNodeProtos.ConditionProto;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A finding and the places that have it: a thousand DataNodes with one mistake in their configuration are one line, not a
 * thousand. Findings are one if they differ in nothing but the numbers in their sentences; the sentence of the first is shown.
 */
final class SharedFinding {

    /** Of all findings, and of the places that one names. */
    static final int MOST = 100;

    static final int PLACES = 5;

    private static final Pattern NUMBER = Pattern.compile("[0-9]+");

    private final ConditionProto finding;
    private final List<String> places = new ArrayList<>();
    private int count;

    private SharedFinding(ConditionProto finding) {
        this.finding = finding;
    }

    private record Key(ConditionProto.Severity severity, String id, String text) {}

    /** The worst first, at most {@value #MOST}. */
    static List<SharedFinding> of(List<FindingProto> findings) {
        Map<Key, SharedFinding> shared = new LinkedHashMap<>();
        for (FindingProto one : findings) {
            ConditionProto finding = one.getFinding();
            String text = NUMBER.matcher(finding.getText()).replaceAll("0");
            SharedFinding known = shared.computeIfAbsent(
                    new Key(finding.getSeverity(), finding.getId(), text), key -> new SharedFinding(finding));
            known.count++;
            if (known.places.size() < PLACES) {
                known.places.add(one.getWhere());
            }
        }
        return shared.values().stream()
                .sorted(Comparator.comparing((SharedFinding one) -> one.finding.getSeverity())
                        .reversed())
                .limit(MOST)
                .toList();
    }

    /** @param sentences whether to write those that may quote a path */
    ObjectNode json(boolean sentences) {
        ObjectNode json = MessageJson.object(finding);
        if (!sentences) {
            json.remove(List.of("text", "remedy"));
        }
        json.put("count", count);
        ArrayNode where = json.putArray("where");
        places.forEach(where::add);
        return json;
    }
}
