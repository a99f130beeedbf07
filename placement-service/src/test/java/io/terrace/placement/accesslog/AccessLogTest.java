package io.terrace.placement.accesslog;

import static io.terrace.placement.accesslog.LoggedHostsTest.heartbeat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.terrace.metrics.Metric;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.accesslog.AccessLog.Looks;
import io.terrace.placement.accesslog.AccessLog.NamedBlock;
import io.terrace.placement.accesslog.BlockLook.Found;
import io.terrace.placement.accesslog.Segments.Segment;
import io.terrace.policy.replay.Trace;
import io.terrace.policy.replay.TraceReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccessLogTest {

    @TempDir
    Path dir;

    private int mostInOneLook;
    private final MetricRegistry metricRegistry = new MetricRegistry();
    private final AtomicLong wallMs = new AtomicLong(1_700_000_000_123L);

    private AccessLog log(long bytes) throws IOException {
        return new AccessLog(dir.resolve("log"), bytes, wallMs::get, Looks.paths(this::look, 3), metricRegistry);
    }

    @Test
    void log_accesses_areATraceThatTheSimulatorReads() throws Exception {
        try (AccessLog log = log(1 << 20)) {
            log.accesses(heartbeat(7, 100, 3, 250, 0, 0));
            wallMs.addAndGet(1500);
            log.accesses(heartbeat(8, 50, 1, 50, 2, 60));
            wallMs.addAndGet(-5000);
            log.accesses(heartbeat(7, 100, 1, 1, 0, 0));
            log.finishFile();
            List<Segment> segments = log.since(0);
            assertThat(segments).hasSize(1);
            Trace trace = TraceReader.read(segments.get(0).file());
            assertThat(trace.rows()).isEqualTo(7);
            assertThat(trace.objects()).isEqualTo(2);
            assertThat(trace.bytes(0) + trace.bytes(1) + trace.bytes(2)).isEqualTo(250);
            assertThat(trace.timeMs(3) - trace.timeMs(0)).isEqualTo(1500);
            assertThat(trace.timeMs(6)).as("a clock set back stands still").isEqualTo(trace.timeMs(5));
            assertThat(trace.isWrite(4)).isTrue();
            assertThat(metricRegistry.value(Metric.PLACEMENT_ACCESS_LOG_ROWS)).isEqualTo(7);
            byte[] whole = log.read(segments.get(0).name(), 0, 1 << 20);
            assertThat(whole).isEqualTo(Files.readAllBytes(segments.get(0).file()));
            assertThat(log.read(segments.get(0).name(), whole.length, 10)).isEmpty();
        }
    }

    /** Blocks of three figures or more are gone. */
    private List<@Nullable Found> look(List<Long> blocks) {
        List<@Nullable Found> found = new ArrayList<>();
        blocks.forEach(block -> found.add(block > 99 ? null : new Found("/d\\ir\n/f" + block, List.of())));
        mostInOneLook = Math.max(mostInOneLook, blocks.size());
        return found;
    }

    @Test
    void log_blocks_areNamedOnceForEachFile() throws Exception {
        try (AccessLog log = log(1 << 20)) {
            for (int i = 0; i < 10; i++) {
                log.accesses(heartbeat(7, 100, 1, 100, 0, 0));
                log.accesses(heartbeat(10 + i, 100, 1, 100, 0, 0));
            }
            log.accesses(heartbeat(100, 100, 1, 100, 0, 0));
            log.finishFile();
            wallMs.addAndGet(1000);
            log.accesses(heartbeat(7, 100, 1, 100, 0, 0));
            log.finishFile();
            List<Segment> segments = log.since(0);
            assertThat(segments).hasSize(2);
            assertThat(log.named(segments.get(0), 0, 100))
                    .hasSize(11)
                    .first()
                    .isEqualTo(new NamedBlock(7, "/d\\ir\n/f7"));
            assertThat(log.named(segments.get(0), 9, 100)).hasSize(2);
            assertThat(log.named(segments.get(1), 0, 100)).hasSize(1);
            assertThat(mostInOneLook).isEqualTo(3);
            assertThat(metricRegistry.value(Metric.PLACEMENT_ACCESS_LOG_UNNAMED))
                    .isZero();
            try (Stream<Path> files = Files.list(dir.resolve("log"))) {
                assertThat(files).hasSize(4).allSatisfy(file -> assertThat(
                                PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .isEqualTo("rw-------"));
            }
        }
    }

    @Test
    void log_directoryAndFiles_areForTheirOwnerOnly() throws Exception {
        Files.createDirectories(dir.resolve("log"));
        Files.setPosixFilePermissions(dir.resolve("log"), PosixFilePermissions.fromString("rwxr-xr-x"));
        try (AccessLog log = log(1 << 20)) {
            log.accesses(heartbeat(7, 100, 3, 250, 0, 0));
            log.finishFile();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(dir.resolve("log"))))
                    .isEqualTo("rwx------");
            Path file = log.since(0).get(0).file();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void log_beyondItsBound_dropsTheOldestFiles() throws Exception {
        Random random = new Random(5);
        long bound = AccessLog.LEAST_BYTES;
        try (AccessLog log = log(bound)) {
            for (int round = 0; round < 30; round++) {
                for (int i = 0; i < 8_000; i++) {
                    log.accesses(heartbeat(random.nextLong() >>> 1, 1 << 27, 1, random.nextInt(1 << 27), 0, 0));
                    wallMs.addAndGet(random.nextInt(20));
                }
                log.finishFile();
            }
            long bytes = log.since(0).stream().mapToLong(Segment::bytes).sum();
            // The newest file stands even when it alone exceeds the bound's eighth.
            assertThat(bytes).isBetween(bound / 2, bound + bound / 4);
            assertThat(log.since(wallMs.get())).hasSize(1);
        }
    }

    @Test
    void log_writerBehind_losesAndCounts() throws Exception {
        try (AccessLog log = log(1 << 20)) {
            synchronized (log) {
                // The writer waits for this monitor, so nothing is taken out of the buffer twice.
                for (int i = 0; i < 3 * AccessBuffer.ENTRIES; i++) {
                    log.accesses(heartbeat(i, 1, 1, 1, 0, 0));
                }
            }
            assertThat(metricRegistry.value(Metric.PLACEMENT_ACCESS_LOG_LOST)).isEqualTo(2L * AccessBuffer.ENTRIES);
        }
    }

    @Test
    void diskThatFails_isLeftAloneForAWhile_andWhatCameMeanwhileIsWritten() throws Exception {
        AtomicLong nowNs = new AtomicLong();
        Path log = dir.resolve("log");
        try (AccessLog accessLog =
                new AccessLog(log, 1 << 20, wallMs::get, nowNs::get, Looks.paths(this::look, 3), metricRegistry)) {
            synchronized (accessLog) {
                // So that the writer's own thread does not meet the broken directory first.
                accessLog.accesses(heartbeat(7, 100, 1, 100, 0, 0));
                Files.delete(log);
                Files.createFile(log);
                accessLog.turn();
            }
            assertThat(metricRegistry.value(Metric.PLACEMENT_ACCESS_LOG_LOST)).isEqualTo(1);
            accessLog.accesses(heartbeat(8, 100, 1, 100, 0, 0));
            nowNs.addAndGet(AccessLog.FIRST_PAUSE_NS - 1);
            accessLog.turn();
            assertThat(metricRegistry.value(Metric.PLACEMENT_ACCESS_LOG_LOST)).isEqualTo(1);

            nowNs.incrementAndGet();
            accessLog.turn();
            assertThat(metricRegistry.value(Metric.PLACEMENT_ACCESS_LOG_LOST)).isEqualTo(2);
            accessLog.accesses(heartbeat(9, 100, 1, 100, 0, 0));
            Files.delete(log);
            Files.createDirectory(log);
            accessLog.turn();
            assertThat(metricRegistry.value(Metric.PLACEMENT_ACCESS_LOG_ROWS)).isZero();
            nowNs.addAndGet(2 * AccessLog.FIRST_PAUSE_NS);
            accessLog.turn();
            assertThat(metricRegistry.value(Metric.PLACEMENT_ACCESS_LOG_ROWS)).isEqualTo(1);
            assertThat(metricRegistry.value(Metric.PLACEMENT_ACCESS_LOG_LOST)).isEqualTo(2);
        }
    }

    @Test
    void read_nameOfNoSegment_isRefused() throws Exception {
        Files.writeString(dir.resolve("secret"), "x");
        try (AccessLog log = log(1 << 20)) {
            assertThatThrownBy(() -> log.read("../secret", 0, 10)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void segment_thatCannotBeBegun_leavesNoFile(@TempDir Path other) throws IOException {
        Path file = Files.createFile(other.resolve("accesses-0000000000001.csv.gz"));
        OutputStream full = new OutputStream() {
            @Override
            public void write(int written) throws IOException {
                throw new IOException("no space left");
            }
        };
        assertThatThrownBy(() -> Segments.gzipped(full, file)).hasMessage("no space left");
        assertThat(file).doesNotExist();
    }

    @Test
    void log_afterAClockThatWasAhead_goesOnInANewFile() throws Exception {
        try (AccessLog log = log(1 << 20)) {
            log.accesses(heartbeat(7, 100, 1, 100, 0, 0));
            wallMs.addAndGet(3_000_000);
            log.accesses(heartbeat(7, 100, 1, 100, 0, 0));
            wallMs.addAndGet(-2_999_000);
            log.accesses(heartbeat(8, 100, 1, 100, 0, 0));
            wallMs.addAndGet(5_000);
            log.accesses(heartbeat(8, 100, 1, 100, 0, 0));
            log.finishFile();
            List<Segment> segments = log.since(0);
            assertThat(segments).hasSize(2);
            Trace after = TraceReader.read(segments.get(1).file());
            assertThat(after.rows()).isEqualTo(2);
            assertThat(after.timeMs(1) - after.timeMs(0)).isEqualTo(5_000);
        }
    }

    @Test
    void log_fileOfAClockThatWasAhead_isLeftOutAndTheFirstToGo() throws Exception {
        try (AccessLog log = log(1 << 20)) {
            wallMs.addAndGet(10_000_000);
            log.accesses(heartbeat(7, 100, 1, 100, 0, 0));
            log.finishFile();
            Segment ahead = log.since(0).get(0);
            wallMs.addAndGet(-10_000_000);
            log.accesses(heartbeat(8, 100, 1, 100, 0, 0));
            log.finishFile();
            assertThat(log.since(0)).hasSize(1).doesNotContain(ahead);
            new Segments(dir.resolve("log")).trim(1, wallMs.get());
            assertThat(log.since(0)).as("the latest stays").hasSize(1);
            assertThat(ahead.file()).doesNotExist();
        }
    }

    @Test
    void directory_ofManySmallFiles_isLookedAtOnlyWhenAFileBegins_andKeepsABoundedNumber() throws Exception {
        Path log = Files.createDirectory(dir.resolve("log"));
        Segments earlier = new Segments(log);
        for (int i = 0; i < Segments.MOST_SEGMENTS + 3; i++) {
            Files.createFile(earlier.fileFor(i));
        }
        try (AccessLog accessLog = log(1 << 20)) {
            assertThat(earlier.list()).hasSize(Segments.MOST_SEGMENTS);
            assertThat(earlier.fileFor(2)).doesNotExist();
            accessLog.accesses(heartbeat(7, 100, 1, 100, 0, 0));
            accessLog.turn();
            int files = earlier.list().size();
            Files.createFile(earlier.fileFor(0));
            accessLog.accesses(heartbeat(7, 100, 1, 100, 0, 0));
            accessLog.turn();
            assertThat(earlier.list()).as("the turn did not count again").hasSize(files + 1);
            accessLog.finishFile();
            wallMs.addAndGet(1);
            accessLog.accesses(heartbeat(7, 100, 1, 100, 0, 0));
            accessLog.turn();
            assertThat(earlier.fileFor(0)).doesNotExist();
        }
    }
}
