package io.terrace.placement.hdfs.web;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.metrics.Metrics2Source;
import io.terrace.metrics.MicrometerBridge;
import io.terrace.metrics.Series;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.http.HttpServer2;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The service's metrics in Hadoop's metrics2, and as Prometheus text at {@value #PATH} of the NameNode's own web server, which
 * protects them as its other pages. The service also runs if they cannot be exported.
 */
public final class MetricsPublisher implements AutoCloseable {

    public static final String PATH = "/terrace/metrics";

    private static final Logger LOG = LoggerFactory.getLogger(MetricsPublisher.class);

    private final Deque<AutoCloseable> shown = new ArrayDeque<>();

    public MetricsPublisher(NameNode nameNode, int port, MetricRegistry metricRegistry) {
        attempt(
                "Hadoop's metrics2",
                () -> shown.push(Metrics2Source.register(
                        DefaultMetricsSystem.instance(),
                        metricRegistry,
                        Metric.Where.NAMENODE,
                        Series.Tag.of("port", Integer.toString(port)))));
        attempt("the NameNode's web server", () -> serve(nameNode.getHttpServer(), metricRegistry));
    }

    private void serve(HttpServer2 web, MetricRegistry metricRegistry) {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        MicrometerBridge.bind(metricRegistry, Metric.Where.NAMENODE, registry);
        shown.push(registry::close);
        web.setAttribute(MetricsServlet.REGISTRY, registry);
        web.addServlet("terrace-metrics", PATH, MetricsServlet.class);
    }

    private static void attempt(String where, Runnable show) {
        try {
            show.run();
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("Terrace's metrics are not in {}", where, e);
        }
    }

    @Override
    public void close() {
        while (!shown.isEmpty()) {
            try {
                shown.pop().close();
            } catch (Exception e) {
                LOG.debug("closing an exporter of metrics", e);
            }
        }
    }
}
