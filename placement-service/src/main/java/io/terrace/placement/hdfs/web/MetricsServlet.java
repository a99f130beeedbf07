package io.terrace.placement.hdfs.web;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** Answers GET with Prometheus text. Made by the web server, so it finds its registry in the server's attributes. */
public final class MetricsServlet extends HttpServlet {

    static final String REGISTRY = "terrace.placement.registry";

    private static final long serialVersionUID = 1L;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Object registry = getServletContext().getAttribute(REGISTRY);
        if (!(registry instanceof PrometheusMeterRegistry prometheus)) {
            response.sendError(
                    HttpServletResponse.SC_SERVICE_UNAVAILABLE, "Terrace's placement service is not running");
            return;
        }
        byte[] text = prometheus.scrape().getBytes(StandardCharsets.UTF_8);
        response.setContentType("text/plain; version=0.0.4; charset=utf-8");
        response.setContentLength(text.length);
        response.getOutputStream().write(text);
    }
}
