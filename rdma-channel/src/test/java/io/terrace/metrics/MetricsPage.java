package io.terrace.metrics;

import java.util.Locale;

/** Makes {@code docs/metrics.md} from the list of metrics. */
final class MetricsPage {
    private MetricsPage() {}

    static String text() {
        StringBuilder page = new StringBuilder(
                """
                # Metrics

                Which metrics does Terrace have, and what does each mean? This page is generated from `io.terrace.metrics.Metric`;
                a test fails when they differ and names the command that updates it. How to read the metrics:
                [operations](operations.md#monitor). Counters grow within one process and begin at 0 with it.

                | | Client | DataNode | NameNode |
                |---|---|---|---|
                | metrics2: context, record, tag | `terrace`, `TerraceClient` | `terrace`, `TerraceDataNode`, `datanode`: its UUID | `terrace`, `TerracePlacement`, `port`: the service's |
                | JMX bean, `Hadoop:service=PROCESS,name=` | `TerraceClient` | `TerraceDataNode-UUID` | `TerracePlacement-PORT` |
                | JMX bean without metrics2 | `io.terrace:name=TerraceClient` | | |
                | name at `/prom`: this and the id with underscores | `terrace_client_` | `terrace_data_node_` | `terrace_placement_` |
                | name at `/terrace/metrics`, counters with `_total`, times as `_seconds` | | | `terrace_` |
                """);
        for (Metric.Where where : Metric.Where.values()) {
            page.append("\n## ").append(heading(where)).append("\n\n");
            page.append("| Metric | Kind | Unit | metrics2, JMX | What it says |\n|---|---|---|---|---|\n");
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
