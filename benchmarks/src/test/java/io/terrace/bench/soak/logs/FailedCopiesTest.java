package io.terrace.bench.soak.logs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FailedCopiesTest {
    private static final String LINE = "2026-11-28 12:12:04,142 WARN  "
            + "org.apache.hadoop.hdfs.server.protocol.InterDatanodeProtocol: Failed to updateBlock "
            + "(newblock=BP-1-127.0.0.1-1:blk_9_1040, datanode=127.0.0.1:31604)";

    @TempDir
    Path tmp;

    private final FailedCopies copies = new FailedCopies();

    @Test
    void files_ofACopyThatFailed_areKnown_andNoOthers() throws IOException {
        copies.take(LINE);
        Files.createFile(tmp.resolve("blk_9_1040.meta"));

        assertThat(copies.isOne(tmp.resolve("blk_9_1040.meta"))).isTrue();
        assertThat(copies.isOne(tmp.resolve("blk_9"))).isTrue();
        assertThat(copies.isOne(tmp.resolve("blk_90"))).isFalse();
        assertThat(copies.isOne(tmp.resolve("blk_9_1041.meta")))
                .as("of a move since")
                .isFalse();
    }

    @Test
    void dataFile_withoutTheMetaFileOfTheCopy_isNotKnown() {
        copies.take(LINE);
        assertThat(copies.isOne(tmp.resolve("blk_9"))).isFalse();
    }

    @Test
    void otherRefusals_areNotKnown() {
        copies.take(LINE.replace("updateBlock (newblock=", "recover block (block="));
        assertThat(copies.isOne(tmp.resolve("blk_9_1040.meta"))).isFalse();
    }
}
