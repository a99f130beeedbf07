package io.terrace.bench.soak.logs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class StaleCopiesTest {
    private static final Path TMP = Path.of("/dev/shm/t/volumes/1/disk/current/BP-1-127.0.0.1-1/tmp");
    private static final String LINE = "2026-11-28 12:12:04,142 WARN  org.apache.hadoop.hdfs.server.datanode.DataNode: "
            + "IOException in BlockReceiver constructor :Failed to create temporary file for blk_7_1008.  File " + TMP
            + "/blk_7 should not be present, but is. Cause is ";

    private static final String STARTED = "2026-11-28 12:12:05,001 INFO  "
            + "org.apache.hadoop.hdfs.server.datanode.BlockScanner: "
            + "Initialized block scanner with targetBytesPerSec 1048576";
    private static final String DATANODE = "datanode-1";

    private final StaleCopies copies = new StaleCopies();

    @Test
    void block_whoseCopyWasRefused_isKnown() {
        copies.take(DATANODE, LINE);
        copies.take(DATANODE, LINE.replace("should not be present, but is", "cannot be made"));
        copies.take(DATANODE, LINE);

        assertThat(copies.count()).isEqualTo(1);
        assertThat(copies.isOf(7)).isTrue();
        assertThat(copies.isOf(70)).isFalse();
    }

    @Test
    void copy_isGone_onceItsDataNodeHasStartedAgain() {
        copies.take("datanode-2", LINE.replace("12:12:04", "12:12:03"));
        copies.take(DATANODE, STARTED);
        copies.take(DATANODE, LINE);
        assertThat(copies.isOf(7)).as("of the other DataNode").isTrue();
        assertThat(copies.isOne(DATANODE, TMP.resolve("blk_7"))).isFalse();

        copies.take("datanode-2", STARTED);
        assertThat(copies.isOf(7)).isFalse();
        assertThat(copies.count()).isEqualTo(1);

        copies.take(DATANODE, LINE.replace("12:12:04", "12:12:06"));
        assertThat(copies.isOf(7)).as("refused after the start").isTrue();
    }

    @Test
    void otherRefusals_areNotKnown() {
        copies.take(DATANODE, LINE.replace("should not be present, but is", "cannot be made"));
        assertThat(copies.isOf(7)).isFalse();
    }

    @Test
    void files_ofItInTmp_areLeft_andNoOthers() {
        copies.take(DATANODE, LINE);

        assertThat(copies.isOne(DATANODE, TMP.resolve("blk_7"))).isTrue();
        assertThat(copies.isOne(DATANODE, TMP.resolve("blk_7_1008.meta"))).isTrue();
        assertThat(copies.isOne(DATANODE, TMP.resolve("blk_70_1008.meta"))).isFalse();
        assertThat(copies.isOne(DATANODE, TMP.resolveSibling("rbw/blk_7"))).isFalse();
    }
}
