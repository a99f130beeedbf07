package io.terrace.bench.cluster;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The metrics of one Hadoop daemon in Prometheus's text format, made anew for every request; JMX shows values that are up
 * to ten seconds old. The daemon serves the page where {@link #SETTINGS} hold.
 */
public final class MetricsPage {
    /** Makes a daemon serve the page. */
    public static final Map<String, String> SETTINGS = Map.of("hadoop.prometheus.endpoint.enabled", "true");

    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** A DataNode refuses a request that offers to go on in HTTP/2. */
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(LIMIT)
            .build();

    private final HttpRequest request;

    /** @param port of the daemon's pages */
    public MetricsPage(int port) {
        this.request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/prom"))
                .timeout(LIMIT)
                .build();
    }

    /** Fetches the page. */
    public String text() throws IOException {
        try {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IOException(request.uri() + " answered " + answer.statusCode());
            }
            return answer.body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Fetches the page and takes the value of a name from it, given as a regular expression; the sum of several. */
    public long value(String name) throws IOException {
        Matcher lines = Pattern.compile("^" + name + "(?:\\{.*})? ([0-9.E-]+)$", Pattern.MULTILINE)
                .matcher(text());
        double sum = 0;
        boolean found = false;
        while (lines.find()) {
            found = true;
            sum += Double.parseDouble(lines.group(1));
        }
        if (!found) {
            throw new IOException(request.uri() + " has no " + name);
        }
        return (long) sum;
    }
}
