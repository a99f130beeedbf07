package io.terrace.metrics;

import java.util.Locale;

/** Makes {@code docs/metrics.md} out of the list of figures. */
final class MetricsPage {
    private MetricsPage() {}

    static String text() {
        StringBuilder page = new StringBuilder(
                """
                # Metrics

                Generated from `io.terrace.metrics.Figure`; a test fails when this page and the list differ, and names the
                command that brings it up to date. In Prometheus a figure is `terrace_` and its id with underscores, counters with
                `_total`; in Hadoop's metrics2 and JMX it is an attribute of the context `terrace`; a client reads its own
                through `io.terrace.client.ClientFigures`. Counters grow within one process and begin at 0 with it.
                """);
        for (Metric.Where where : Metric.Where.values()) {
            page.append("\n## ").append(heading(where)).append("\n\n");
            page.append("| Figure | Kind | Unit | metrics2 | What it says |\n|---|---|---|---|---|\n");
            for (Metric metric : Metric.values()) {
                if (metric.where() == where) {
                    page.append("| `").append(metric.id()).append("` | ");
                    page.append(metric.kind().name().toLowerCase(Locale.ROOT)).append(" | ");
                    page.append(metric.unit().name().toLowerCase(Locale.ROOT)).append(" | `");
                    page.append(Metrics2Source.attribute(metric)).append("` | ");
                    page.append(metric.doc()).append(" |\n");
                }
            }
        }
        return page.toString();
    }

    private static String heading(Metric.Where where) {
        return switch (where) {
            case CLIENT -> "Client";
            case DATANODE -> "DataNode";
            case NAMENODE -> "NameNode";
        };
    }
}
