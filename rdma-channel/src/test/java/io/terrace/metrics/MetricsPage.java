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
                | JMX bean `Hadoop:service=PROCESS,` | `name=TerraceClient` | `name=TerraceDataNode,datanode=UUID` | `name=TerracePlacement,port=PORT` |
                | JMX bean without metrics2 | `io.terrace:name=TerraceClient` | | |

                The id is in `status --json`, `tiers --json` and this page, and never changes. In JMX, at `/prom` and at the NameNode's
                `/terrace/metrics` a metric has one name: counters end in `_total` (`Total` in JMX), times are in seconds. Counters that
                can be summed have a name in common and a tag, `outcome`, `reason` or `asker`: a label for Prometheus, a key of the bean's name in
                JMX (`Hadoop:service=DataNode,name=TerraceDataNode,datanode=UUID,outcome=done`). Of several class loaders that load a
                client into a JVM, all but the first have the tag `loader`. Why: [decision 30](decisions/0030-figures.md).
                """);
        for (Metric.Where where : Metric.Where.values()) {
            page.append("\n## ").append(heading(where)).append("\n\n");
            page.append(
                    "| Id | Kind | Unit | Prometheus | metrics2, JMX | What it says |\n|---|---|---|---|---|---|\n");
            for (Metric metric : Metric.values()) {
                if (metric.where() == where) {
                    page.append("| `").append(metric.id()).append("` | ");
                    page.append(metric.kind().name().toLowerCase(Locale.ROOT)).append(" | ");
                    page.append(metric.unit().name().toLowerCase(Locale.ROOT)).append(" | `");
                    Series series = Series.of(metric);
                    Series.Tag tag = series.tag();
                    page.append(series.prometheusName());
                    page.append(tag == null ? "" : "{" + tag.name() + "=\"" + tag.value() + "\"}")
                            .append("` | `");
                    page.append(series.attribute()).append("` | ");
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
