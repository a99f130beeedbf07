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
    private static final int FILES = 6;
    private static final long PACE_MS = 700;

    /** Of the new file; the first blocks are read before its reader is known, and before a copy can be there. */
    private static final int LEAST_AHEAD = 6;

    @RegisterExtension
    static final CopiedAheadCluster CLUSTER = new CopiedAheadCluster("read-ahead-test");

    @Test
    void file_whereFilesAreReadAsAWhole_comesFromMemoryAfterItsBeginning() throws Exception {
        try (VerifyingClient client = CLUSTER.client("daily", FILES, BLOCKS * BLOCK_BYTES)) {
            // All are written before the first is read, so nothing is copied for its write.
            for (int file = 0; file < FILES; file++) {
                client.store(file);
            }
            for (int file = 0; file < FILES - 1; file++) {
                long reads = CLUSTER.figure(Metric.PLACEMENT_READS);
                assertThat(client.read(file, 0, BLOCKS * BLOCK_BYTES).wrongBytes())
                        .isZero();
                CLUSTER.awaitAtLeast(Metric.PLACEMENT_READS, reads + BLOCKS);
            }
            long memoryBytes = 0;
            for (int index = 0; index < BLOCKS; index++) {
                Outcome block = client.read(FILES - 1, index * BLOCK_BYTES, BLOCK_BYTES);
                assertThat(block.wrongBytes()).isZero();
                memoryBytes += block.memoryBytes();
                Thread.sleep(PACE_MS);
            }
            assertThat(memoryBytes).isGreaterThanOrEqualTo(LEAST_AHEAD * BLOCK_BYTES);
            assertThat(CLUSTER.figure(Metric.PLACEMENT_READ_AHEAD_SERVED)).isGreaterThanOrEqualTo(LEAST_AHEAD);
            assertThat(CLUSTER.figure(Metric.PLACEMENT_READ_AHEAD_VAIN_BYTES)).isLessThanOrEqualTo(3 * BLOCK_BYTES);
        }
    }
}
