package io.terrace.placement.hdfs;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.terrace.metrics.Figure;
import io.terrace.metrics.Figures;
import io.terrace.metrics.Metrics2Bridge;
import io.terrace.metrics.MicrometerBridge;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.hadoop.hdfs.server.namenode.NameNode;
import org.apache.hadoop.http.HttpServer2;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The service's figures in Hadoop's metrics2 and JMX (bean {@code TerracePlacement-<port>}), and as Prometheus text at
 * {@value #PATH} of the NameNode's own web server, under whatever protects that. Showing them is no reason to fail.
 */
final class FiguresShown implements AutoCloseable {

    static final String PATH = "/terrace/metrics";

    private static final Logger LOG = LoggerFactory.getLogger(FiguresShown.class);

    private final Deque<AutoCloseable> shown = new ArrayDeque<>();

    FiguresShown(NameNode nameNode, int port, Figures figures) {
        attempt(
                "metrics2",
                () -> shown.push(Metrics2Bridge.register(
                        DefaultMetricsSystem.instance(), "TerracePlacement-" + port, figures, Figure.Where.NAMENODE)));
        attempt("the NameNode's web server", () -> serve(nameNode.getHttpServer(), figures));
    }

    private void serve(HttpServer2 web, Figures figures) {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        MicrometerBridge.bind(figures, Figure.Where.NAMENODE, registry);
        shown.push(registry::close);
        web.setAttribute(MetricsServlet.REGISTRY, registry);
        web.addServlet("terrace-metrics", PATH, MetricsServlet.class);
    }

    private static void attempt(String where, Runnable show) {
        try {
            show.run();
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("Terrace's figures are not shown in {}", where, e);
        }
    }

    @Override
    public void close() {
        while (!shown.isEmpty()) {
            try {
                shown.pop().close();
            } catch (Exception e) {
                LOG.debug("closing a view of the figures", e);
            }
        }
    }
}
