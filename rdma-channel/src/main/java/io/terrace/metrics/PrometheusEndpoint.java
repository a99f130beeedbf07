package io.terrace.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Answers {@code GET /metrics} with Prometheus text. One daemon thread; figures only, nothing that needs protection
 * beyond the choice of the address.
 */
public final class PrometheusEndpoint implements AutoCloseable {
    private static final String PATH = "/metrics";
    private static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";
    private static final int BACKLOG = 16;

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final HttpServer server;
    private final ExecutorService worker;

    private PrometheusEndpoint(HttpServer server, ExecutorService worker) {
        this.server = server;
        this.worker = worker;
    }

    /** Listens; port 0 takes any free one. */
    public static PrometheusEndpoint start(InetSocketAddress where) throws IOException {
        HttpServer server = HttpServer.create(where, BACKLOG);
        ExecutorService worker = Executors.newSingleThreadExecutor(work -> {
            Thread thread = new Thread(work, "terrace-metrics");
            thread.setDaemon(true);
            return thread;
        });
        PrometheusEndpoint endpoint = new PrometheusEndpoint(server, worker);
        server.createContext(PATH, endpoint::answer);
        server.setExecutor(worker);
        server.start();
        return endpoint;
    }

    /** Where meters are registered; see {@link MicrometerBridge}. */
    public MeterRegistry registry() {
        return registry;
    }

    public InetSocketAddress address() {
        return server.getAddress();
    }

    @Override
    public void close() {
        server.stop(0);
        worker.shutdownNow();
        registry.close();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            boolean known = exchange.getRequestURI().getPath().equals(PATH);
            if (!known || !exchange.getRequestMethod().equals("GET")) {
                exchange.sendResponseHeaders(known ? 405 : 404, -1);
                return;
            }
            byte[] text = registry.scrape().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", CONTENT_TYPE);
            exchange.sendResponseHeaders(200, text.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(text);
            }
        }
    }
}
