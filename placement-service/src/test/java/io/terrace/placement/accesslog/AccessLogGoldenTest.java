package io.terrace.placement.accesslog;

import static io.terrace.placement.accesslog.LoggedHostsTest.heartbeat;
import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.accesslog.AccessLog.Looks;
import io.terrace.placement.accesslog.BlockLook.Found;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The names and the text of the files of the access log. What is compared is the text: gzip may write other bytes for it. */
final class AccessLogGoldenTest {

    private static final String ACCESSES =
            """
            time_s,object_id,bytes,op,obj_size,job
            1700000000.007,7,84,R,100,
            1700000000.007,7,83,R,100,
            1700000000.007,7,83,R,100,
            1700000001.507,-8,50,R,50,
            1700000001.507,-8,30,W,50,
            1700000001.507,-8,30,W,50,
            """;

    private static final String PATHS = "7\t/a\\\\b\\n\\r\n-8\t/\u00e9\n";

    @TempDir
    Path dir;

    private static AccessLog open(Path dir, AtomicLong wallMs) throws IOException {
        BlockLook look = blocks -> blocks.stream()
                .map(block -> new Found(block == 7 ? "/a\\b\n\r" : "/\u00e9", List.of()))
                .toList();
        return new AccessLog(dir, AccessLog.LEAST_BYTES, wallMs::get, Looks.paths(look, 10), new MetricRegistry());
    }

    @Test
    void write() throws Exception {
        AtomicLong wallMs = new AtomicLong(1_700_000_000_007L);
        try (AccessLog log = open(dir, wallMs)) {
            log.accesses(heartbeat(7, 100, 3, 250, 0, 0));
            wallMs.addAndGet(1500);
            log.accesses(heartbeat(-8, 50, 1, 50, 2, 60));
            log.finishFile();
        }
        try (Stream<Path> files = Files.list(dir)) {
            assertThat(files.map(file -> dir.relativize(file).toString()))
                    .containsExactlyInAnyOrder("accesses-1700000000007.csv.gz", "paths-1700000000007.tsv.gz");
        }
        assertThat(text("accesses-1700000000007.csv.gz")).isEqualTo(ACCESSES);
        assertThat(text("paths-1700000000007.tsv.gz")).isEqualTo(PATHS);
    }

    @Test
    void read() throws Exception {
        write("accesses-1700000000007.csv.gz", ACCESSES);
        write("paths-1700000000007.tsv.gz", PATHS);
        try (AccessLog log = open(dir, new AtomicLong(1_700_000_000_007L))) {
            List<Segments.Segment> segments = log.since(0);
            assertThat(segments).singleElement().satisfies(segment -> {
                assertThat(segment.name()).isEqualTo("accesses-1700000000007.csv.gz");
                assertThat(segment.fromMs()).isEqualTo(1_700_000_000_007L);
            });
            assertThat(log.named(segments.get(0), 0, 10))
                    .containsExactly(new AccessLog.NamedBlock(7, "/a\\b\n\r"), new AccessLog.NamedBlock(-8, "/\u00e9"));
        }
    }

    private String text(String file) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(dir.resolve(file)))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private void write(String file, String text) throws IOException {
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(dir.resolve(file)))) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }
}
