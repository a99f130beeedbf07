package io.terrace.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * Answers {@code GET /metrics} with Prometheus text. One daemon thread and few connections; figures only, nothing that needs
 * protection beyond the choice of the address.
 */
public final class PrometheusEndpoint implements AutoCloseable {
    private static final String PATH = "/metrics";
    private static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final PrometheusMeterRegistry registry;
    private final HttpPageServer server;
    private final InetSocketAddress address;

    private PrometheusEndpoint(PrometheusMeterRegistry registry, HttpPageServer server) throws IOException {
        this.registry = registry;
        this.server = server;
        this.address = server.address();
    }

    /** Listens; port 0 takes any free one. */
    public static PrometheusEndpoint start(InetSocketAddress where) throws IOException {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        return new PrometheusEndpoint(
                registry,
                new HttpPageServer(where, PATH, CONTENT_TYPE, registry::scrape, HttpPageServer.Limits.DEFAULT));
    }

    /** Where meters are registered; see {@link MicrometerBridge}. */
    public MeterRegistry registry() {
        return registry;
    }

    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void close() {
        server.close();
        registry.close();
    }
}
