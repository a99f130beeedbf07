package io.terrace.bench.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.soak.Flips.ReplicaFlip;
import io.terrace.bench.soak.logs.RecoveryLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FlipsTest {
    private final Flips flips = new Flips();

    @TempDir
    private Path dir;

    @Test
    void bit_explainsTheByteItIsIn_andNoOther() throws IOException {
        ReplicaFlip flip = flip();

        assertThat(flips.isIn(9)).isTrue();
        assertThat(flips.isIn(10)).isFalse();
        assertThat(flips.explains(9, flip.offset(), (byte) 0, (byte) flip.mask()))
                .isTrue();
        assertThat(flips.explains(9, flip.offset(), (byte) 0xf0, (byte) (0xf0 ^ flip.mask())))
                .isTrue();
        assertThat(flips.explains(9, flip.offset() + 1, 0, flip.mask())).isFalse();
        assertThat(flips.explains(9, flip.offset(), 0, flip.mask() ^ 0x81)).isFalse();
        assertThat(flips.explains(10, flip.offset(), 0, flip.mask())).isFalse();
    }

    @Test
    void bit_isInTheBlockToo_thatACutMakesOfItsBlock() throws IOException {
        ReplicaFlip flip = flip();

        flips.copied(new RecoveryLine(9, 9, 1002, 100, List.of("127.0.0.1:1")));
        flips.copied(new RecoveryLine(8, 11, 1003, 100, List.of("127.0.0.1:1")));
        flips.copied(new RecoveryLine(9, 12, 1004, 100, List.of("127.0.0.1:1")));

        assertThat(flips.isIn(11)).isFalse();
        assertThat(flips.explains(12, flip.offset(), 0, flip.mask())).isTrue();
        assertThat(flips.ofReplica(9)).contains(flip);
    }

    @Test
    void replica_onTwoVolumesOfADataNode_isOneOfTheThreeThatMustBeThere() throws IOException {
        for (String volume : List.of("1/disk", "1/ssd", "2/ssd")) {
            Path finalized = Files.createDirectories(dir.resolve(volume + "/current/finalized/subdir0"));
            Files.write(finalized.resolve("blk_9"), new byte[100]);
        }
        Path third = Files.createDirectories(dir.resolve("3/disk/current/finalized"));
        List<Path> datanodes = List.of(dir.resolve("1"), dir.resolve("2"), dir.resolve("3"));
        assertThat(flips.flipReplica(datanodes, 0, 1)).isFalse();

        Files.write(third.resolve("blk_9"), new byte[100]);
        assertThat(flips.flipReplica(datanodes, 0, 1)).isTrue();
    }

    private ReplicaFlip flip() throws IOException {
        for (int i = 1; i <= 3; i++) {
            Path finalized = Files.createDirectories(dir.resolve(i + "/current/finalized/subdir0"));
            Files.write(finalized.resolve("blk_9"), new byte[100]);
            Files.write(finalized.resolve("blk_9_1001.meta"), new byte[7]);
        }
        assertThat(flips.flipReplica(List.of(dir.resolve("1"), dir.resolve("2"), dir.resolve("3")), 0, 1))
                .isTrue();
        return flips.ofReplica(9).orElseThrow();
    }
}
