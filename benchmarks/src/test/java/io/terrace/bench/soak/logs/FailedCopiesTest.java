package io.terrace.bench.soak.logs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FailedCopiesTest {
    private static final String LEADER = "datanode-1";
    private static final String DATANODE = "datanode-2";
    private static final int PORT = 31604;
    private static final String FAILED = "2026-11-28 12:12:04,142 WARN  "
            + "org.apache.hadoop.hdfs.server.protocol.InterDatanodeProtocol: Failed to updateBlock "
            + "(newblock=BP-1-127.0.0.1-1:blk_9_1040, datanode=DatanodeInfoWithStorage[127.0.0.1:31604,DS-5,DISK])";
    private static final String UPDATED = "2026-11-28 12:12:04,101 INFO  "
            + "org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsDatasetImpl: updateReplica: "
            + "BP-1-127.0.0.1-1:blk_7_1008, recoveryId=1040, length=5, replica=ReplicaUnderRecovery, blk_7_1008, RUR";
    private static final String STARTED = "2026-11-28 12:12:05,001 INFO  "
            + "org.apache.hadoop.hdfs.server.datanode.BlockScanner: "
            + "Initialized block scanner with targetBytesPerSec 1048576";

    @TempDir
    Path tmp;

    private final FailedCopies copies = new FailedCopies();

    @Test
    void files_ofACopyThatFailed_areKnown_andNoOthers() throws IOException {
        fail(FAILED);

        assertThat(isOne("blk_9_1040.meta")).isTrue();
        assertThat(isOne("blk_9")).isTrue();
        assertThat(isOne("blk_90")).isFalse();
        assertThat(isOne("blk_7")).as("what the snapshot has").isFalse();
        assertThat(isOne("blk_9_1041.meta")).as("of a move since").isFalse();
        assertThat(copies.count()).isEqualTo(1);
    }

    @Test
    void dataNode_isNamedByItsAddressAlone_too() throws IOException {
        fail(FAILED.replace("DatanodeInfoWithStorage[127.0.0.1:31604,DS-5,DISK]", "127.0.0.1:31604"));
        assertThat(isOne("blk_9")).isTrue();
    }

    @Test
    void dataFile_withoutTheMetaFileOfTheCopy_isNotKnown() {
        copies.take(DATANODE, UPDATED);
        copies.take(LEADER, FAILED);
        assertThat(isOne("blk_9")).isFalse();
    }

    @Test
    void files_ofAnotherDataNode_areNotKnown() throws IOException {
        copies.take(LEADER, UPDATED);
        fail(FAILED);

        assertThat(copies.isOne(LEADER, PORT - 1, tmp.resolve("blk_9"))).isFalse();
        assertThat(copies.isOne(LEADER, PORT - 1, tmp.resolve("blk_9_1040.meta")))
                .isFalse();
        assertThat(copies.count()).isEqualTo(1);
    }

    @Test
    void files_areNotKnown_onceTheirDataNodeHasStartedAgain() throws IOException {
        fail(FAILED);
        copies.take(LEADER, STARTED);
        assertThat(isOne("blk_9")).as("another one has started").isTrue();

        copies.take(DATANODE, STARTED);
        assertThat(isOne("blk_9")).isFalse();
        assertThat(isOne("blk_9_1040.meta")).isFalse();
        fail(FAILED);
        assertThat(isOne("blk_9")).as("a line that is read again").isFalse();
        assertThat(copies.count()).as("until the end").isEqualTo(1);
    }

    @Test
    void recovery_thatCopiesNothing_isNotKnown() throws IOException {
        fail(FAILED.replace("blk_9_", "blk_7_"));
        Files.createFile(tmp.resolve("blk_7_1040.meta"));

        assertThat(isOne("blk_7_1040.meta")).isFalse();
        assertThat(isOne("blk_7")).isFalse();
        assertThat(copies.count()).isZero();
    }

    @Test
    void copy_thatItsDataNodeHasNotBegun_isNotKnown() throws IOException {
        copies.take(LEADER, UPDATED);
        copies.take(LEADER, FAILED);
        Files.createFile(tmp.resolve("blk_9_1040.meta"));

        assertThat(isOne("blk_9_1040.meta")).isFalse();
    }

    @Test
    void otherRefusals_areNotKnown() throws IOException {
        fail(FAILED.replace("updateBlock (newblock=", "recover block (block="));
        assertThat(isOne("blk_9_1040.meta")).isFalse();
        assertThat(copies.count()).isZero();
    }

    /** A recovery fails at the DataNode. */
    private void fail(String line) throws IOException {
        copies.take(LEADER, line);
        copies.take(DATANODE, UPDATED);
        Path meta = tmp.resolve("blk_9_1040.meta");
        if (Files.notExists(meta)) {
            Files.createFile(meta);
        }
    }

    private boolean isOne(String name) {
        return copies.isOne(DATANODE, PORT, tmp.resolve(name));
    }
}
