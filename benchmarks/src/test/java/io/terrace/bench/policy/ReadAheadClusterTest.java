package io.terrace.bench.policy;

import static io.terrace.bench.policy.CopiedAheadCluster.BLOCK_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.bench.load.VerifyingClient;
import io.terrace.bench.load.VerifyingClient.Outcome;
import io.terrace.metrics.Metric;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Files of several blocks that are read as a whole, on real daemons with two replicas: the last blocks of a new one come from
 * memory.
 */
@Tag("daemons")
class ReadAheadClusterTest {

    private static final int BLOCKS = 24;
    private static final int FILES_BEFORE = 5;
    private static final long PACE_MS = 700;

    /**
     * On a busy machine the service soon uses up its time of the NameNode's lock, as the holder is interrupted. It looks at no
     * files then, and learns nothing of the first ones. Three whole files are enough for it to know.
     */
    private static final int NEW_FILES = 5;

    /** Of the new file; the first blocks are read before its reader is known, and before a copy can be there. */
    private static final int LEAST_AHEAD = 6;

    @RegisterExtension
    static final CopiedAheadCluster CLUSTER = new CopiedAheadCluster("read-ahead-test");

    @Test
    void file_whereFilesAreReadAsAWhole_comesFromMemoryAfterItsBeginning() throws Exception {
        int files = FILES_BEFORE + NEW_FILES;
        try (VerifyingClient client = CLUSTER.client("daily", files, BLOCKS * BLOCK_BYTES)) {
            // All are written before the first is read, so nothing is copied for its write.
            for (int file = 0; file < files; file++) {
                client.store(file);
            }
            for (int file = 0; file < FILES_BEFORE; file++) {
                long reads = CLUSTER.figure(Metric.PLACEMENT_READS);
                assertThat(client.read(file, 0, BLOCKS * BLOCK_BYTES).wrongBytes())
                        .isZero();
                CLUSTER.awaitAtLeast(Metric.PLACEMENT_READS, reads + BLOCKS);
            }
            long memoryBytes = 0;
            for (int file = FILES_BEFORE; file < files && memoryBytes < LEAST_AHEAD * BLOCK_BYTES; file++) {
                memoryBytes = readSlowly(client, file);
            }
            assertThat(memoryBytes)
                    .as("the lock was held for %s ns", CLUSTER.figure(Metric.PLACEMENT_LOCK_NANOSECONDS))
                    .isGreaterThanOrEqualTo(LEAST_AHEAD * BLOCK_BYTES);
            assertThat(CLUSTER.figure(Metric.PLACEMENT_READ_AHEAD_SERVED)).isGreaterThanOrEqualTo(LEAST_AHEAD);
            assertThat(CLUSTER.figure(Metric.PLACEMENT_READ_AHEAD_VAIN_BYTES)).isLessThanOrEqualTo(3 * BLOCK_BYTES);
        }
    }

    /** Returns how much came from memory. */
    private static long readSlowly(VerifyingClient client, int file) throws Exception {
        long memoryBytes = 0;
        for (int index = 0; index < BLOCKS; index++) {
            Outcome block = client.read(file, index * BLOCK_BYTES, BLOCK_BYTES);
            assertThat(block.wrongBytes()).isZero();
            memoryBytes += block.memoryBytes();
            Thread.sleep(PACE_MS);
        }
        return memoryBytes;
    }
}
