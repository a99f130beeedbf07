package io.terrace.placement.accesslog;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.StorageTier;
import io.terrace.metrics.MetricRegistry;
import io.terrace.placement.accesslog.AccessLog.Looks;
import io.terrace.placement.accesslog.BlockLook.Found;
import io.terrace.placement.accesslog.Segments.Segment;
import io.terrace.placement.heartbeat.Heartbeat;
import io.terrace.placement.heartbeat.Heartbeat.Heat;
import io.terrace.placement.heartbeat.Heartbeat.Reader;
import io.terrace.placement.heartbeat.Heartbeat.TierState;
import io.terrace.policy.replay.Trace;
import io.terrace.policy.replay.TraceReader;
import io.terrace.protocol.StampedBlock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the log of accesses says of hosts. */
class LoggedHostsTest {

    @TempDir
    Path dir;

    private final AtomicLong wallMs = new AtomicLong(1_700_000_000_000L);

    /** Of a DataNode that says nothing of readers. */
    static Heartbeat heartbeat(long block, long length, long reads, long bytesRead, long writes, long bytesWritten) {
        return heartbeat(
                "uuid-a",
                0,
                new Heat(
                        new StampedBlock(block, 1, length),
                        StorageTier.DISK,
                        false,
                        reads,
                        bytesRead,
                        0,
                        writes,
                        bytesWritten,
                        0));
    }

    private static Heartbeat heartbeat(String node, long memoryBytes, Heat... heat) {
        return new Heartbeat(
                node,
                "host",
                9866,
                1,
                1,
                List.of(new TierState(StorageTier.MEMORY, memoryBytes, 0, 0, 0, 0)),
                List.of(heat),
                List.of(),
                false,
                List.of(),
                List.of(),
                0,
                true,
                Map.of(),
                false,
                "");
    }

    private static Heat read(long block, long reads, Reader... readers) {
        return new Heat(
                new StampedBlock(block, 1, 100),
                StorageTier.DISK,
                false,
                reads,
                reads * 10,
                0,
                0,
                0,
                0,
                0,
                0,
                List.of(readers));
    }

    private AccessLog log(boolean named) throws IOException {
        BlockLook look = blocks -> blocks.stream()
                .map(block -> new Found("/secret/" + block, List.of("uuid-a", "uuid-b")))
                .toList();
        Map<String, String> addresses = Map.of("uuid-a", "10.0.0.1", "uuid-b", "10.0.0.2");
        Looks looks = new Looks(look, false, 10, addresses::get, named);
        return new AccessLog(dir, AccessLog.LEAST_BYTES, wallMs::get, looks, new MetricRegistry());
    }

    private List<String> lines(Segment segment) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(segment.file()))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    private String number(String name) throws IOException {
        return Long.toString(HostNumbers.open(dir).of(name));
    }

    private Segment told(boolean named) throws IOException {
        try (AccessLog log = log(named)) {
            assertThat(log.wantsReaders()).isTrue();
            log.accesses(heartbeat("uuid-b", 500));
            log.accesses(heartbeat(
                    "uuid-a",
                    1000,
                    read(7, 4, new Reader(Reader.THIS_HOST, 1), new Reader("10.0.0.2", 2)),
                    read(8, 1, new Reader("10.0.0.9", 5))));
            log.finishFile();
            return log.since(0).get(0);
        }
    }

    @Test
    void log_readersOfHosts_areNumbersBetweenTheRows() throws Exception {
        Segment segment = told(false);
        String a = number("uuid-a");
        String hostA = number("10.0.0.1");
        String b = number("uuid-b");
        String hostB = number("10.0.0.2");
        List<String> lines = lines(segment);
        assertThat(lines.subList(1, 3))
                .containsExactlyInAnyOrder("#node," + a + "," + hostA + ",1000", "#node," + b + "," + hostB + ",500");
        List<String> rest = lines.subList(3, lines.size());
        // The writer's thread looks for them when it is done with what it found, which may be the first row only.
        assertThat(rest.stream().filter(line -> line.startsWith("#held,")))
                .containsExactly("#held,7," + a + "," + b, "#held,8," + a + "," + b);
        assertThat(rest.stream().filter(line -> !line.startsWith("#held,")))
                .containsExactly(
                        "#by," + hostA + "," + a,
                        "1700000000.000,7,10,R,100,",
                        "#by," + hostB + "," + a,
                        "1700000000.000,7,10,R,100,",
                        "1700000000.000,7,10,R,100,",
                        "#by,0," + a,
                        "1700000000.000,7,10,R,100,",
                        "#by," + number("10.0.0.9") + "," + a,
                        "1700000000.000,8,10,R,100,");
        assertThat(String.join("\n", lines)).doesNotContain("10.0.0", "uuid", "secret");
        Trace trace = TraceReader.read(segment.file());
        assertThat(trace.rows()).as("comments are no rows").isEqualTo(5);
    }

    @Test
    void log_addressesWanted_saysWhichTheyAre() throws Exception {
        assertThat(lines(told(true)).stream().filter(line -> line.startsWith("#host,")))
                .contains("#host," + number("10.0.0.9") + ",10.0.0.9", "#host," + number("10.0.0.1") + ",10.0.0.1")
                .doesNotHaveDuplicates();
    }

    @Test
    void log_afterARestart_hasTheSameNumbers() throws Exception {
        List<String> before = lines(told(false));
        wallMs.addAndGet(1);
        try (AccessLog log = log(false)) {
            log.accesses(heartbeat("uuid-a", 1000, read(7, 1, new Reader("10.0.0.9", 1))));
            log.finishFile();
            assertThat(lines(log.since(wallMs.get()).get(0)))
                    .contains("#by," + number("10.0.0.9") + "," + number("uuid-a"));
        }
        assertThat(before).contains("#by," + number("10.0.0.9") + "," + number("uuid-a"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(dir.resolve(HostNumbers.SALT_FILE))))
                .isEqualTo("rw-------");
        Files.write(dir.resolve(HostNumbers.SALT_FILE), new byte[3]);
        HostNumbers.open(dir);
        assertThat(Files.size(dir.resolve(HostNumbers.SALT_FILE)))
                .as("one that was cut off is made anew")
                .isEqualTo(16);
    }

    @Test
    void log_memoryChangesAndNextFile_areWritten() throws Exception {
        try (AccessLog log = log(false)) {
            log.accesses(heartbeat("uuid-a", 1000, read(7, 1)));
            log.finishFile();
            wallMs.addAndGet(LoggedNodes.CHECK_MS);
            log.accesses(heartbeat("uuid-a", 2000, read(7, 1)));
            log.finishFile();
            wallMs.addAndGet(LoggedNodes.SILENCE_MS + 1);
            log.accesses(heartbeat("uuid-b", 500, read(7, 1)));
            log.finishFile();
            List<Segment> segments = log.since(0);
            assertThat(segments).hasSize(3);
            assertThat(lines(segments.get(0))).anyMatch(line -> line.startsWith("#node,") && line.endsWith(",1000"));
            assertThat(lines(segments.get(1))).anyMatch(line -> line.startsWith("#node,") && line.endsWith(",2000"));
            assertThat(lines(segments.get(2)).stream().filter(line -> line.startsWith("#node,")))
                    .as("a DataNode that was silent for long is left out")
                    .singleElement()
                    .asString()
                    .endsWith(",500");
        }
    }

    @Test
    void numbers_areOfTheSaltAndTheName() throws Exception {
        byte[] salt = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        Files.write(dir.resolve(HostNumbers.SALT_FILE), salt);
        assertThat(HostNumbers.open(dir).of("10.0.0.1"))
                .as("48 bits of the SHA-256, as files of earlier releases have it")
                .isEqualTo(194135693342982L);
    }

    @Test
    void numbers_moreNamesThanAreRemembered_stayTheSame() throws Exception {
        HostNumbers numbers = HostNumbers.open(dir);
        long first = numbers.of("10.0.0.1");
        for (int i = 0; i < HostNumbers.REMEMBERED; i++) {
            assertThat(numbers.of("client" + i)).isPositive();
        }
        assertThat(numbers.name(first)).as("forgotten").isNull();
        assertThat(numbers.of("10.0.0.1")).isEqualTo(first);
    }
}
