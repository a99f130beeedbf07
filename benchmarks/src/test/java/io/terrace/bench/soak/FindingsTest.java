package io.terrace.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FindingsTest {
    private final StringWriter printed = new StringWriter();
    private final Flips flips = new Flips();

    @TempDir
    private Path memory;

    @Test
    void tallies_ofAProcessThatIsStartedAgain_addUp() {
        Findings findings = findings(true);

        findings.take("c1", "TALLY bytes.verified=10 ops.create=1");
        findings.take("c1", "TALLY bytes.verified=30 ops.create=2");
        findings.ended("c1");
        findings.take("c1", "TALLY bytes.verified=5");
        findings.take("c2", "TALLY bytes.verified=100");

        assertThat(findings.value("bytes.verified")).isEqualTo(135);
        assertThat(findings.value("ops.create")).isEqualTo(2);
    }

    @Test
    void wrongByte_ofAFlippedCopy_countsApart_onlyWhereMemoryIsReadWithoutChecksums() throws IOException {
        Path copy = memory.resolve("blk_7_1001_1");
        Files.write(copy, new byte[] {5});
        assertThat(flips.flipMemory(memory, 3)).isTrue();
        int actual = Files.readAllBytes(copy)[0];
        String line = "WRONG /soak/c1/f1 3000 5 " + actual + " 1 7 0 positioned";

        Findings shm = findings(true);
        shm.take("c1", line);
        assertThat(shm.value("bytes.wrong")).isZero();
        assertThat(shm.value("bytes.wrong.flipped")).isEqualTo(1);

        shm.take("c1", line.replace(" 5 " + actual, " 5 " + (actual ^ 0x81)));
        assertThat(shm.value("bytes.wrong")).isEqualTo(1);
        assertThat(printed.toString()).contains("/soak/c1/f1");

        shm.take("c1", line.replace(" 7 0 ", " 8 0 "));
        assertThat(shm.value("bytes.wrong")).as("the same bit of another block").isEqualTo(2);

        Findings tcp = findings(false);
        tcp.take("c1", line);
        assertThat(tcp.value("bytes.wrong")).isEqualTo(1);
    }

    @Test
    void wrongByte_ofAFlippedCopy_countsApart_onlyOfTheClientThatSkipsChecksums() throws IOException {
        Path copy = memory.resolve("blk_7_1001_1");
        Files.write(copy, new byte[] {5});
        assertThat(flips.flipMemory(memory, 3)).isTrue();
        String line = "WRONG /soak/c1/f1 3000 5 " + Files.readAllBytes(copy)[0] + " 1 7 0 mapped";
        Findings findings =
                new Findings(new PrintWriter(printed, true), flips, "c1"::equals, block -> false, block -> false);

        findings.take("c1", line);
        findings.take("c2", line);

        assertThat(findings.value("bytes.wrong.flipped")).isEqualTo(1);
        assertThat(findings.value("bytes.wrong")).isEqualTo(1);
    }

    @Test
    void block_thatWasDamagedBeforeItsRecovery_countsOnceAndApart() {
        String line =
                "UNREADABLE /soak/c1/f1 900 7 1002 500 " + "0".repeat(64) + " cannot be read at 100: wrong checksum";
        Findings findings = findings(false);

        findings.take("c1", line);
        findings.take("c2", line.replace("/c1/", "/c1/.snapshot/s1/"));
        findings.take("check", line);

        assertThat(findings.value("recovered.damaged")).isEqualTo(1);
        assertThat(findings.value("bytes.lost")).isZero();
        assertThat(printed.toString()).containsOnlyOnce("UNREADABLE");

        findings.take("c1", line.replace(" 7 1002 ", " 8 1002 "));
        assertThat(findings.value("bytes.lost")).as("another block").isEqualTo(900);
        findings.take("c1", "LOST /soak/c1/f1 30 cannot be read");
        assertThat(findings.value("bytes.lost")).isEqualTo(930);
        assertThat(findings.value("recovered.damaged")).isEqualTo(1);
    }

    @Test
    void file_thatOnlyANewClientReads_isLost_withoutAFlipOfThatBlock() throws IOException {
        List<Path> volumes = threeReplicas();
        Findings findings = findings(false);
        String line = "HIDDEN /soak/c1/f1 900 9 cannot be read at 100: wrong checksum";

        findings.take("c1", line);
        assertThat(findings.value("bytes.lost")).isEqualTo(900);
        assertThat(findings.value("files.lost")).isEqualTo(1);
        assertThat(findings.value("check.hidden")).isZero();

        assertThat(flips.flipReplica(volumes, 0, 1)).isTrue();
        findings.take("c1", line);
        findings.take("c1", line.replace(" 900 9 ", " 900 10 "));
        assertThat(findings.value("check.hidden")).isEqualTo(1);
        assertThat(findings.value("bytes.lost")).isEqualTo(1_800);
        assertThat(printed.toString().lines()).hasSize(3);
    }

    @Test
    void file_thatIsGone_countsWithoutAnAcknowledgedByte() {
        Findings findings = findings(false);

        findings.take("c1", "LOST /soak/c1/f1 0 the file is gone, OPEN");
        findings.take("c2", "LOST /soak/c1/f1 -5 cannot be read at 5");

        assertThat(findings.value("bytes.lost")).isEqualTo(2);
        assertThat(findings.value("files.lost")).isEqualTo(1);
    }

    @Test
    void failure_withoutFaults_counts_butForABlockThatAFlipHasSpoilt() throws IOException {
        Findings findings = findings(false);
        String line = "FAILED reads /soak/c1/f1 9 hidden BlockMissingException: wrong checksum";

        findings.take("c1", line);
        findings.take("c1", "FAILED short /soak/c1/f1 0 shown 5 bytes are missing");
        findings.take("c1", "FAILED writes /soak/c1 0 shown java.io.IOException");
        assertThat(findings.value("reads.failed.quiet")).isEqualTo(1);
        assertThat(findings.value("reads.short.quiet")).isEqualTo(1);
        assertThat(findings.value("writes.failed.quiet")).isEqualTo(1);
        assertThat(printed.toString().lines()).hasSize(3);

        assertThat(flips.flipReplica(threeReplicas(), 0, 1)).isTrue();
        findings.take("c1", line);
        findings.take("c2", line.replace(" hidden ", " shown "));
        findings.take("c1", "UNREADABLE /soak/c1/f1 900 7 1002 500 " + "0".repeat(64) + " wrong checksum");
        findings.take("c2", line.replace(" 9 hidden ", " 7 shown "));
        assertThat(findings.value("reads.failed.quiet")).isEqualTo(2);
        assertThat(findings.value("reads.failed.quiet.flipped")).isEqualTo(2);
    }

    @Test
    void replica_thatIsMissing_countsApart_afterAFlipInMemoryOfThatBlock() throws IOException {
        Files.write(memory.resolve("blk_7_1001_1"), new byte[] {5});
        Findings findings = findings(false);
        String line = "REPLICAS /soak/c1/f1 missing 7 blk_7_1001 has 2 of 3 replicas at the NameNode";

        findings.take("check", line);
        assertThat(findings.value("replicas.missing")).isEqualTo(1);

        assertThat(flips.flipMemory(memory, 3)).isTrue();
        findings.take("check", line);
        findings.take("check", line.replace(" missing 7 ", " missing 8 "));
        findings.take("check", line.replace(" missing 7 ", " wrong 7 "));
        findings.take("check", line.replace(" missing 7 ", " missing 6 "));
        assertThat(findings.value("replicas.missing")).isEqualTo(2);
        assertThat(findings.value("replicas.missing.flipped")).isEqualTo(1);
        assertThat(findings.value("replicas.missing.stale")).isEqualTo(1);
        assertThat(findings.value("replicas.wrong")).isEqualTo(1);
        assertThat(printed.toString().lines()).hasSize(5);
    }

    @Test
    void longestSettle_isKept() {
        Findings findings = findings(false);

        findings.take("c1", "SETTLED /soak/c1/f1 5400");
        findings.take("c2", "SETTLED /soak/c2/f1 300");

        assertThat(findings.value("settle.max.s")).isEqualTo(6);
    }

    private List<Path> threeReplicas() throws IOException {
        for (int i = 1; i <= 3; i++) {
            Path dir = Files.createDirectories(memory.resolve(i + "/current/finalized/subdir0"));
            Files.write(dir.resolve("blk_9"), new byte[100]);
            Files.write(dir.resolve("blk_9_1001.meta"), new byte[7]);
        }
        return List.of(memory.resolve("1"), memory.resolve("2"), memory.resolve("3"));
    }

    @Test
    void flippedReplica_hasWholeOnesElsewhere_andIsDamagedOnce() throws IOException {
        for (int i = 1; i <= 3; i++) {
            Path dir = Files.createDirectories(memory.resolve(i + "/current/finalized/subdir0"));
            Files.write(dir.resolve("blk_9"), new byte[100]);
            if (i < 3) {
                Files.write(dir.resolve("blk_8"), new byte[100]);
            }
        }
        var volumes = List.of(memory.resolve("1"), memory.resolve("2"), memory.resolve("3"));

        assertThat(flips.flipReplica(volumes, 0, 1)).isTrue();
        assertThat(flips.flipReplica(volumes, 1, 2)).isFalse();

        assertThat(Files.readAllBytes(memory.resolve("1/current/finalized/subdir0/blk_9")))
                .isNotEqualTo(new byte[100]);
        assertThat(Files.readAllBytes(memory.resolve("1/current/finalized/subdir0/blk_8")))
                .isEqualTo(new byte[100]);
    }

    private Findings findings(boolean memoryUnverified) {
        return new Findings(
                new PrintWriter(printed, true),
                flips,
                process -> memoryUnverified,
                block -> block.id() == 7,
                block -> block == 6);
    }
}
