package io.terrace.bench.remote;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Calls that a NameNode has answered since it started, by name: its RpcDetailedActivity metrics, from the page that
 * publishes them anew for every request (JMX shows values that are up to ten seconds old).
 */
final class NameNodeCalls {
    /** Makes the NameNode serve the page. */
    static final Map<String, String> SETTINGS = Map.of("hadoop.prometheus.endpoint.enabled", "true");

    /** Beside the calls themselves the page has their average times, and both again under other names. */
    private static final Pattern LINE = Pattern.compile(
            "^rpcdetailed_(?!overall_|deferred_)(\\w+)_num_ops\\{port=\"(\\d+)\".*} ([0-9.E]+)$", Pattern.MULTILINE);

    /** What DataNodes call by themselves, whoever reads. */
    private static final Set<String> OF_DAEMONS = Set.of(
            "send_heartbeat",
            "block_report",
            "block_received_and_deleted",
            "cache_report",
            "send_lifeline",
            "register_datanode",
            "version_request",
            "error_report");

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(LIMIT).build();
    private final HttpRequest request;
    private final int rpcPort;

    /**
     * @param httpPort of the NameNode's pages
     * @param rpcPort the calls to this one; the placement service has its own
     */
    NameNodeCalls(int httpPort, int rpcPort) {
        this.rpcPort = rpcPort;
        this.request = HttpRequest.newBuilder(URI.create("http://localhost:" + httpPort + "/prom"))
                .timeout(LIMIT)
                .build();
    }

    /** Of clients, all names together. */
    long ofClients() throws IOException {
        return byName().entrySet().stream()
                .filter(entry -> !OF_DAEMONS.contains(entry.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    private Map<String, Long> byName() throws IOException {
        String page;
        try {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IOException(request.uri() + " answered " + answer.statusCode());
            }
            page = answer.body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        Map<String, Long> calls = parse(page, rpcPort);
        if (calls.isEmpty()) {
            throw new IOException(request.uri() + " tells of no calls");
        }
        return calls;
    }

    /** Calls by name in Prometheus's text format. */
    static Map<String, Long> parse(String page, int rpcPort) {
        Map<String, Long> calls = new TreeMap<>();
        Matcher lines = LINE.matcher(page);
        while (lines.find()) {
            if (Integer.parseInt(lines.group(2)) == rpcPort) {
                calls.put(lines.group(1), (long) Double.parseDouble(lines.group(3)));
            }
        }
        return calls;
    }
}
