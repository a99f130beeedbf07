package io.terrace.bench.monitoring;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The expressions of monitoring/terrace-dashboard.json. */
final class Board {
    private static final Pattern METRIC = Pattern.compile("\\bterrace_\\w+(\\{[^}]*})?");

    private Board() {}

    /** All of them, with a time in the place of Grafana's variable. */
    static List<String> expressions(Path dashboard, String interval) throws IOException {
        List<String> expressions = new ArrayList<>();
        for (JsonNode panel : new ObjectMapper().readTree(dashboard.toFile()).path("panels")) {
            for (JsonNode target : panel.path("targets")) {
                expressions.add(target.path("expr").asText().replace("$__rate_interval", interval));
            }
        }
        return expressions;
    }

    /** The metrics that an expression names, with their tags. */
    static List<String> metrics(String expression) {
        return METRIC.matcher(expression)
                .results()
                .map(MatchResult::group)
                .distinct()
                .toList();
    }
}
