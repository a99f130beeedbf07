package io.terrace.bench.monitoring;

import io.terrace.metrics.Metric;
import io.terrace.metrics.Series;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A page in Prometheus's text format.
 *
 * @param from its address
 */
record PrometheusText(String from, String text) {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Pattern OURS = Pattern.compile("(# (HELP|TYPE) )?terrace_.*");
    /** Names of the tags that tell the metrics of a family apart. */
    private static final Set<String> TAGS = Stream.of(Metric.values())
            .flatMap(metric -> Stream.ofNullable(Series.of(metric).tag()))
            .map(Series.Tag::name)
            .collect(Collectors.toUnmodifiableSet());

    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

    static PrometheusText of(String url) throws IOException {
        try {
            // A DataNode refuses a request that offers to go on in HTTP/2.
            HttpResponse<String> answer = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(LIMIT)
                    .build()
                    .send(
                            HttpRequest.newBuilder(URI.create(url))
                                    .timeout(LIMIT)
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IOException(url + " answered " + answer.statusCode());
            }
            return new PrometheusText(url, answer.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** The lines that are Terrace's. */
    String ours() {
        return text.lines().filter(line -> OURS.matcher(line).matches()).collect(Collectors.joining("\n", "", "\n"));
    }

    /** What the page lacks of the metrics of a kind of process, and what it has beyond them. */
    Set<String> differences(Metric.Where where) {
        Set<String> shown = ours().lines()
                .filter(line -> !line.startsWith("#"))
                .map(PrometheusText::name)
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> differences = new TreeSet<>();
        for (Metric metric : Metric.values()) {
            if (metric.where() == where && !shown.remove(name(Series.of(metric)))) {
                differences.add("missing: " + name(Series.of(metric)));
            }
        }
        shown.forEach(name -> differences.add("unknown: " + name));
        return differences;
    }

    /** The sum of the series of a name. */
    double sum(String name) {
        return text.lines()
                .filter(line -> line.split("[{ ]", 2)[0].equals(name))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    private static String name(Series series) {
        Series.Tag tag = series.tag();
        return series.prometheusName() + (tag == null ? "" : " " + tag);
    }

    /** The name of a line, and the tag of its family. */
    private static String name(String line) {
        String labels = LABEL.matcher(line)
                .results()
                .filter(label -> TAGS.contains(label.group(1)))
                .map(label -> " " + label.group(1) + "=" + label.group(2))
                .collect(Collectors.joining());
        return line.split("[{ ]", 2)[0] + labels;
    }
}
