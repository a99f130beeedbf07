package io.terrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.impl.MetricsSystemImpl;
import org.apache.hadoop.metrics2.sink.PrometheusMetricsSink;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A metric has the same name, tag and value in JMX, in Hadoop's Prometheus page and in Micrometer's. */
class SeriesTest {
    private static final String UUID = "dn-1";

    @Test
    void names_areUnique_andFamiliesHaveOneTag() {
        Set<String> seen = new HashSet<>();
        for (Metric metric : Metric.values()) {
            Series series = Series.of(metric);
            assertThat(seen.add(labelled(series))).as(metric.id()).isTrue();
            assertThat(series.prometheusName()).as(metric.id()).matches("terrace(_[a-z0-9]+)+");
            assertThat(series.doc()).as(metric.id()).endsWith(".").doesNotContain("\\", "\n");
        }
        Map<String, Set<String>> tags = Stream.of(Metric.values())
                .map(Series::of)
                .collect(Collectors.groupingBy(
                        Series::prometheusName,
                        Collectors.mapping(
                                series ->
                                        series.tag() == null ? "" : series.tag().name(),
                                Collectors.toSet())));
        assertThat(tags).allSatisfy((name, of) -> assertThat(of).as(name).hasSize(1));
    }

    @Test
    void fallbacks_areOneName_byReason() {
        assertThat(labelled(Series.of(Metric.CLIENT_FALLBACK_NO_DATANODE)))
                .isEqualTo("terrace_client_fallback_total{reason=\"no_datanode\"}");
        assertThat(labelled(Series.of(Metric.PLACEMENT_DROPS_DONE)))
                .isEqualTo("terrace_placement_moves_total{outcome=\"dropped\"}");
        assertThat(labelled(Series.of(Metric.PLACEMENT_VOLUME_MOVES_SENT)))
                .isEqualTo("terrace_placement_volume_moves_sent_total{}");
    }

    @ParameterizedTest
    @EnumSource
    void prometheusPages_ofHadoopAndOfMicrometer_areAlike(Metric.Where where) throws IOException {
        MetricRegistry metricRegistry = distinctValues();
        PrometheusMeterRegistry micrometer = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        MicrometerBridge.bind(metricRegistry, where, micrometer);
        Map<String, Double> expected = new TreeMap<>();
        for (Metric metric : Metric.values()) {
            if (metric.where() == where) {
                Series series = Series.of(metric);
                double value = metricRegistry.value(metric);
                expected.put(
                        labelled(series),
                        switch (metric.unit()) {
                            case COUNT, BYTES -> value;
                            case MILLISECONDS -> value / 1e3;
                            case NANOSECONDS -> value / 1e9;
                        });
            }
        }
        assertThat(lines(micrometer.scrape())).isEqualTo(expected);
        assertThat(lines(prom(metricRegistry, where))).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource
    void typesAndHelp_ofHadoopsPage_areThereForEachName(Metric.Where where) throws IOException {
        String text = prom(distinctValues(), where);
        for (Metric metric : Metric.values()) {
            if (metric.where() == where) {
                String name = Series.of(metric).prometheusName();
                assertThat(text)
                        .contains("# TYPE " + name + " " + (metric.kind() == Metric.Kind.COUNTER ? "counter" : "gauge")
                                + "\n")
                        .containsOnlyOnce("# HELP " + name + " ");
                assertThat(name.endsWith("_total")).as(name).isEqualTo(metric.kind() == Metric.Kind.COUNTER);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void beans_haveTheNamesOfMetrics2(Metric.Where where) throws Exception {
        MetricRegistry metricRegistry = distinctValues();
        MBeanServer server = MBeanServerFactory.newMBeanServer();
        assertThat(MetricsBean.register(server, metricRegistry, where)).isEmpty();
        for (Metric metric : Metric.values()) {
            if (metric.where() == where) {
                Series series = Series.of(metric);
                String keys = series.tag() == null ? "" : "," + series.tag();
                ObjectName bean = new ObjectName("io.terrace:name=" + where.record() + keys);
                assertThat(server.getAttribute(bean, series.attribute()))
                        .as(metric.id())
                        .isEqualTo(series.shown(metricRegistry.value(metric)));
            }
        }
    }

    @Test
    void tag_ofUnsafeText_isRefused_orMadeSafe() {
        for (String text : new String[] {"", "a\"b", "a\\b", "a\nb", "a,b", "a=b", "a b", "a}b", "ä"}) {
            assertThatThrownBy(() -> new Series.Tag("datanode", text)).isInstanceOf(IllegalArgumentException.class);
            assertThat(Series.Tag.of("datanode", text).value()).as(text).matches("[A-Za-z0-9._-]+");
        }
        assertThat(Series.Tag.of("datanode", "6f1-b.c_d").value()).isEqualTo("6f1-b.c_d");
    }

    @Test
    void daemons_ofAJvm_areToldApartByTheirTag_untilClosed() {
        MetricsSystemImpl system = new MetricsSystemImpl("test");
        try (Metrics2Source one = source(system, "dn-1");
                Metrics2Source other = source(system, "dn \"2\"")) {
            assertThat(one).isNotSameAs(other);
            assertThat(system.getSource("TerraceDataNode,datanode=dn-1")).isNotNull();
            assertThat(system.getSource("TerraceDataNode,datanode=dn__2_,outcome=done"))
                    .isNotNull();
        }
        assertThat(system.getSource("TerraceDataNode,datanode=dn-1")).isNull();
        assertThat(system.getSource("TerraceDataNode,datanode=dn__2_,outcome=done"))
                .isNull();
    }

    private static Metrics2Source source(MetricsSystemImpl system, String uuid) {
        return Metrics2Source.register(
                system, new MetricRegistry(), Metric.Where.DATANODE, Series.Tag.of("datanode", uuid));
    }

    /** Each metric a value of its own, times with fractions of a second. */
    private static MetricRegistry distinctValues() {
        MetricRegistry metricRegistry = new MetricRegistry();
        for (Metric metric : Metric.values()) {
            long value = 1_500 + metric.ordinal();
            if (metric.kind() == Metric.Kind.COUNTER) {
                metricRegistry.add(metric, value);
            } else {
                metricRegistry.gauge(metric, () -> value);
            }
        }
        return metricRegistry;
    }

    /** What a daemon's page {@code /prom} says, by Hadoop's own sink. */
    private static String prom(MetricRegistry metricRegistry, Metric.Where where) throws IOException {
        MetricsSystemImpl system = new MetricsSystemImpl("test");
        PrometheusMetricsSink sink = new PrometheusMetricsSink();
        try (Metrics2Source registered =
                Metrics2Source.register(system, metricRegistry, where, Series.Tag.of("datanode", UUID))) {
            assertThat(registered).isNotNull();
            Series.byTag(where).keySet().forEach(tags -> {
                MetricsCollectorImpl collector = new MetricsCollectorImpl();
                String keys = tags.stream().map(tag -> "," + tag).collect(Collectors.joining());
                MetricsSource source = system.getSource(where.record() + ",datanode=" + UUID + keys);
                source.getMetrics(collector, true);
                collector.getRecords().forEach(sink::putMetrics);
            });
        }
        sink.flush();
        StringWriter text = new StringWriter();
        sink.writeMetrics(text);
        return text.toString();
    }

    /** The values of a page, by name and by the tags that are ours. */
    private static Map<String, Double> lines(String page) {
        Map<String, Double> values = new TreeMap<>();
        page.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            String key = line.substring(0, line.lastIndexOf(' '));
            int labels = key.indexOf('{');
            String ours = labels < 0
                    ? ""
                    : Arrays.stream(key.substring(labels + 1, key.length() - 1).split(","))
                            .filter(label -> label.matches("(outcome|reason|asker)=\"[A-Za-z0-9._-]+\""))
                            .collect(Collectors.joining(","));
            String name = labels < 0 ? key : key.substring(0, labels);
            assertThat(values.put(name + "{" + ours + "}", Double.valueOf(line.substring(line.lastIndexOf(' ') + 1))))
                    .as(line)
                    .isNull();
        });
        return values;
    }

    private static String labelled(Series series) {
        Series.Tag tag = series.tag();
        return series.prometheusName() + "{" + (tag == null ? "" : tag.name() + "=\"" + tag.value() + "\"") + "}";
    }
}
