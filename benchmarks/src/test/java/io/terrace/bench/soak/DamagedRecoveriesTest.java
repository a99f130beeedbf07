package io.terrace.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.soak.client.LastBlock;
import io.terrace.bench.soak.logs.RecoveryLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A bit is flipped in the second of three replicas of block 7; then the block is cut, and that replica alone is left. */
final class DamagedRecoveriesTest {
    private static final int WRITTEN = 3_000;
    private static final long DRAW = 11;

    private final Flips flips = new Flips();
    private final byte[] content = new byte[WRITTEN];

    @TempDir
    private Path dir;

    private DamagedRecoveries recoveries;
    private int flippedAt;

    @BeforeEach
    void flip() throws IOException {
        new Random(5).nextBytes(content);
        Files.createDirectories(dir.resolve("logs"));
        for (int i = 1; i <= 3; i++) {
            Files.createDirectories(finalized(i));
            Files.write(replica(i), content);
            Files.write(finalized(i).resolve("blk_7_1001.meta"), new byte[7]);
        }
        recoveries = new DamagedRecoveries(flips, dir.resolve("logs"));
        assertThat(flips.flipReplica(volumes(), 1, DRAW)).isTrue();
        flippedAt = Arrays.mismatch(content, Files.readAllBytes(replica(2)));
    }

    @Test
    void replica_withWhichRecoveryWentOnAlone_isExplained() throws IOException {
        LastBlock block = cut(flippedAt + 100);
        leaveAlone();
        log("namenode-1.log", RecoveryLines.kept(7, 1002, "127.0.0.1:1"));

        assertThat(recoveries.explain(block)).isTrue();
        // An append has come since.
        Files.move(finalized(2).resolve("blk_7_1002.meta"), finalized(2).resolve("blk_7_1009.meta"));
        assertThat(recoveries.explain(new LastBlock(7, 1009, block.length(), block.sha256())))
                .isTrue();
    }

    @Test
    void replica_thatIsBeingCopied_isNoneThatIsLeft() throws IOException {
        LastBlock block = cut(flippedAt + 100);
        leaveAlone();
        log("namenode.log", RecoveryLines.kept(7, 1002, "127.0.0.1:1"));
        Path copied = Files.createDirectories(dir.resolve("1/current/tmp")).resolve("blk_7");
        Files.write(copied, new byte[10]);

        assertThat(recoveries.explain(block)).isTrue();
    }

    @Test
    void replica_besideWhichAnotherIsLeft_isNotExplained() throws IOException {
        LastBlock block = cut(flippedAt + 100);
        log("namenode.log", RecoveryLines.kept(7, 1002, "127.0.0.1:1"));

        assertThat(recoveries.explain(block)).isFalse();
    }

    @Test
    void block_whoseRecoveryHadMore_isNotExplained() throws IOException {
        LastBlock block = cut(flippedAt + 100);
        leaveAlone();

        assertThat(recoveries.explain(block)).as("none is known of").isFalse();
        log("namenode.log", RecoveryLines.kept(7, 1002, "127.0.0.1:1, 127.0.0.1:2"));
        log("namenode.log", RecoveryLines.kept(8, 1002, "127.0.0.1:1"));
        log("datanode-1.log", RecoveryLines.kept(7, 1002, "127.0.0.1:1"));
        assertThat(recoveries.explain(block)).isFalse();
    }

    @Test
    void block_whoseRecoveryWasBeforeTheFlip_isNotExplained() throws IOException {
        LastBlock block = cut(flippedAt + 100);
        leaveAlone();
        log("namenode.log", RecoveryLines.kept(7, 1001, "127.0.0.1:1"));
        log("namenode.log", RecoveryLines.kept(7, 1003, "127.0.0.1:1"));

        assertThat(recoveries.explain(block))
                .as("1003 is later than what is there")
                .isFalse();
    }

    @Test
    void replica_withAnotherWrongBit_isNotExplained() throws IOException {
        LastBlock block = cut(flippedAt + 100);
        leaveAlone();
        log("namenode.log", RecoveryLines.kept(7, 1002, "127.0.0.1:1"));
        byte[] damaged = Files.readAllBytes(replica(2));
        damaged[0] ^= 1;
        Files.write(replica(2), damaged);

        assertThat(recoveries.explain(block)).isFalse();
    }

    @Test
    void replica_thatIsWholeOrShort_isNotExplained() throws IOException {
        LastBlock block = cut(flippedAt + 100);
        leaveAlone();
        log("namenode.log", RecoveryLines.kept(7, 1002, "127.0.0.1:1"));

        Files.write(replica(2), Arrays.copyOf(content, flippedAt + 100));
        assertThat(recoveries.explain(block)).as("whole").isFalse();
        Files.write(replica(2), Arrays.copyOf(content, flippedAt));
        assertThat(recoveries.explain(block)).as("short").isFalse();
    }

    @Test
    void replica_ofAnotherStamp_orCutBeforeTheBit_isNotExplained() throws IOException {
        LastBlock block = cut(flippedAt + 100);
        leaveAlone();
        log("namenode.log", RecoveryLines.kept(7, 1002, "127.0.0.1:1"));

        assertThat(recoveries.explain(new LastBlock(7, 1003, block.length(), block.sha256())))
                .isFalse();
        assertThat(recoveries.explain(new LastBlock(8, 1002, block.length(), block.sha256())))
                .isFalse();
        assertThat(recoveries.explain(lastBlock(1002, flippedAt))).isFalse();
    }

    @Test
    void copy_ofADamagedReplica_thatACutMade_isExplained() throws IOException {
        LastBlock old = cut(flippedAt + 100);
        LastBlock block = new LastBlock(12, 1005, old.length(), old.sha256());
        // The snapshot's block is left with all its replicas.
        Files.move(replica(2), finalized(2).resolve("blk_12"));
        Files.move(finalized(2).resolve("blk_7_1002.meta"), finalized(2).resolve("blk_12_1005.meta"));

        assertThat(recoveries.explain(block)).as("none is known of").isFalse();
        log("namenode.log", RecoveryLines.copied(7, 12, 1005, "127.0.0.1:1, 127.0.0.1:2"));
        log("namenode.log", RecoveryLines.copied(8, 12, 1005, "127.0.0.1:1"));
        assertThat(recoveries.explain(block)).isFalse();
        log("namenode.log.1", RecoveryLines.copied(7, 12, 1005, "127.0.0.1:1"));
        assertThat(recoveries.explain(block)).isTrue();
    }

    private Path finalized(int datanode) {
        return dir.resolve(datanode + "/current/finalized/subdir0");
    }

    private Path replica(int datanode) {
        return finalized(datanode).resolve("blk_7");
    }

    private List<Path> volumes() {
        return List.of(dir.resolve("1"), dir.resolve("2"), dir.resolve("3"));
    }

    /** The second replica gets shorter, with stamp 1002. */
    private LastBlock cut(int length) throws IOException {
        int left = Math.min(length, WRITTEN);
        Files.write(replica(2), Arrays.copyOf(Files.readAllBytes(replica(2)), left));
        Files.move(finalized(2).resolve("blk_7_1001.meta"), finalized(2).resolve("blk_7_1002.meta"));
        return lastBlock(1002, left);
    }

    private LastBlock lastBlock(long stamp, int length) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(content, 0, length);
            return new LastBlock(7, stamp, length, HexFormat.of().formatHex(digest.digest()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private void leaveAlone() throws IOException {
        for (int i : new int[] {1, 3}) {
            Files.delete(replica(i));
            Files.delete(finalized(i).resolve("blk_7_1001.meta"));
        }
    }

    private void log(String name, String line) throws IOException {
        Path log = dir.resolve("logs").resolve(name);
        String before = Files.exists(log) ? Files.readString(log) : "";
        Files.writeString(log, before + line + "\n");
    }
}
