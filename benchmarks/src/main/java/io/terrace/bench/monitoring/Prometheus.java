package io.terrace.bench.monitoring;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.bench.cluster.ClusterException;
import io.terrace.bench.cluster.JavaProcess;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A Prometheus of its own, on loopback, with its data in a directory of the run. */
final class Prometheus implements Closeable {
    private static final int START_TRIES = 150;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Process process;
    private final int port;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

    /** The programs {@code prometheus} and {@code promtool}. */
    record Programs(Path prometheus, Path promtool) {
        /** In a directory, or on the PATH; empty if they are not there. */
        static Optional<Programs> find(@Nullable Path directory) {
            Stream<Path> places = directory == null
                    ? Stream.of(System.getenv("PATH").split(File.pathSeparator)).map(Path::of)
                    : Stream.of(directory);
            return places.map(place -> new Programs(place.resolve("prometheus"), place.resolve("promtool")))
                    .filter(programs ->
                            Files.isExecutable(programs.prometheus) && Files.isExecutable(programs.promtool))
                    .findFirst();
        }

        /** Runs promtool; what it prints is appended to a log. */
        boolean check(Path log, Path input, String... words) throws IOException, InterruptedException {
            List<String> command = new ArrayList<>(List.of(promtool.toString()));
            command.addAll(List.of(words));
            return new ProcessBuilder(command)
                            .redirectInput(input.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                            .start()
                            .waitFor()
                    == 0;
        }
    }

    private Prometheus(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts it and waits until it is ready. */
    static Prometheus start(Programs programs, Path configuration, Path dir, int port) throws IOException {
        Path log = dir.resolve("prometheus.log");
        Process process = new ProcessBuilder(
                        programs.prometheus.toString(),
                        "--config.file=" + configuration,
                        "--storage.tsdb.path=" + dir.resolve("data"),
                        "--web.listen-address=127.0.0.1:" + port)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        Prometheus prometheus = new Prometheus(process, port);
        for (int i = 0; i < START_TRIES && process.isAlive(); i++) {
            JavaProcess.pause();
            if (prometheus.isReady()) {
                return prometheus;
            }
        }
        prometheus.close();
        throw new ClusterException("Prometheus does not start: see " + log);
    }

    private boolean isReady() throws IOException {
        try {
            return get("/-/ready").statusCode() == 200;
        } catch (java.net.ConnectException notYet) {
            return false;
        }
    }

    /** The series that an expression has now. */
    JsonNode query(String expression) throws IOException {
        return data("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8))
                .path("result");
    }

    /** The value of an expression that has one series; NaN if it has none. */
    double value(String expression) throws IOException {
        return query(expression).path(0).path("value").path(1).asDouble(Double.NaN);
    }

    /** The expressions of the rules that it has loaded. */
    List<String> rules() throws IOException {
        List<String> expressions = new ArrayList<>();
        for (JsonNode group : data("/api/v1/rules").path("groups")) {
            group.path("rules")
                    .forEach(rule -> expressions.add(rule.path("query").asText()));
        }
        return expressions;
    }

    private JsonNode data(String path) throws IOException {
        HttpResponse<String> answer = get(path);
        if (answer.statusCode() != 200) {
            throw new IOException("Prometheus answered " + answer.statusCode() + " to " + path + ": " + answer.body());
        }
        return MAPPER.readTree(answer.body()).path("data");
    }

    private HttpResponse<String> get(String path) throws IOException {
        try {
            return http.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
