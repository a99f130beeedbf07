package io.terrace.bench.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.terrace.bench.cluster.ClusterException;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/** Users who leave the page open: each asks what the page asks for, as often as it does, over a connection of its own. */
final class Viewers implements Closeable {
    private static final long INTERVAL_MS = 5_000;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final String api;
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger rounds = new AtomicInteger();
    private volatile boolean closed;
    private volatile @Nullable Exception failure;

    /** @param page address of the page */
    Viewers(String page, int count) {
        this.api = page + "api/";
        for (int i = 0; i < count; i++) {
            // As people come: not all at once.
            long delayMs = INTERVAL_MS * i / count;
            Thread thread = new Thread(() -> look(delayMs), "viewer-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    private void look(long delayMs) {
        try {
            HttpClient http = HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofSeconds(10))
                    .build();
            TimeUnit.MILLISECONDS.sleep(delayMs);
            long after = 0;
            while (!closed) {
                for (String question : List.of("viewer", "status", "cluster")) {
                    ask(http, question);
                }
                JsonNode history = MAPPER.readTree(ask(http, "history?after=" + after));
                JsonNode times = history.path("atMs");
                after = times.isEmpty() ? after : times.get(times.size() - 1).asLong();
                rounds.incrementAndGet();
                // As page.js does.
                TimeUnit.MILLISECONDS.sleep(Math.max(
                        1000,
                        history.path("nextSampleInMs").asLong()
                                + ThreadLocalRandom.current().nextLong(200, 600)));
            }
        } catch (IOException e) {
            failure = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private InputStream ask(HttpClient http, String question) throws IOException, InterruptedException {
        HttpResponse<byte[]> answer = http.send(
                HttpRequest.newBuilder(URI.create(api + question))
                        .header("Accept-Encoding", "gzip")
                        .timeout(Duration.ofSeconds(30))
                        .build(),
                BodyHandlers.ofByteArray());
        if (answer.statusCode() != 200) {
            throw new IOException(question + " is answered with " + answer.statusCode());
        }
        InputStream body = new ByteArrayInputStream(answer.body());
        return answer.headers().firstValue("Content-Encoding").isPresent() ? new GZIPInputStream(body) : body;
    }

    /** How often one of them has looked. */
    int rounds() {
        return rounds.get();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        for (Thread thread : threads) {
            thread.interrupt();
        }
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("interrupted while the viewers ended", e);
        }
        Exception failed = failure;
        if (failed != null) {
            throw new IOException("a viewer got no answer", failed);
        }
    }
}
