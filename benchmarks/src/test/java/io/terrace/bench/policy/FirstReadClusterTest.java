package io.terrace.bench.policy;

import static io.terrace.bench.policy.CopiedAheadCluster.BLOCK_BYTES;
import static io.terrace.bench.policy.CopiedAheadCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.terrace.bench.load.VerifyingClient;
import io.terrace.bench.load.VerifyingClient.Outcome;
import io.terrace.metrics.Metric;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs whose output other jobs read at once, and one whose output nobody reads, on real daemons with two replicas. */
@Tag("daemons")
class FirstReadClusterTest {

    private static final long FILE_BYTES = 2 * BLOCK_BYTES;
    private static final int FILES = 24;
    private static final int LEARNED_FROM = 8;

    @RegisterExtension
    static final CopiedAheadCluster CLUSTER = new CopiedAheadCluster("first-read-test");

    private static long figure(Metric metric) throws IOException {
        return CLUSTER.figure(metric);
    }

    @Test
    void output_thatIsReadAtOnce_comesFromMemoryAtItsFirstRead() throws Exception {
        try (VerifyingClient client = CLUSTER.client("daily", FILES, FILE_BYTES)) {
            for (int file = 0; file < LEARNED_FROM; file++) {
                client.store(file);
                long reads = figure(Metric.PLACEMENT_READS);
                assertThat(client.read(file, 0, FILE_BYTES).wrongBytes()).isZero();
                CLUSTER.awaitAtLeast(Metric.PLACEMENT_READS, reads + 2);
            }
            long ordered = figure(Metric.PLACEMENT_FIRST_READ_ORDERED);
            long copied = figure(Metric.PLACEMENT_PROMOTIONS_DONE);
            client.store(LEARNED_FROM);
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(figure(Metric.PLACEMENT_FIRST_READ_ORDERED))
                        .as("ordered, %d before", ordered)
                        .isEqualTo(ordered + 2);
                assertThat(figure(Metric.PLACEMENT_PROMOTIONS_DONE))
                        .as("copied, %d before", copied)
                        .isEqualTo(copied + 2);
            });
            Outcome first = client.read(LEARNED_FROM, 0, FILE_BYTES);
            assertThat(first.wrongBytes()).isZero();
            assertThat(first.memoryBytes()).isEqualTo(FILE_BYTES);
            CLUSTER.awaitAtLeast(Metric.PLACEMENT_FIRST_READ_SERVED, 2);
            assertThat(figure(Metric.PLACEMENT_FIRST_READ_VAIN_BYTES)).isZero();
        }
    }

    @Test
    void output_thatNobodyReads_isNotCopied() throws Exception {
        long ordered = figure(Metric.PLACEMENT_FIRST_READ_ORDERED);
        try (VerifyingClient client = CLUSTER.client("archive", FILES, FILE_BYTES)) {
            for (int file = 0; file < FILES; file++) {
                client.store(file);
            }
            // The report of a read shows that those of the writes before it were taken.
            long reads = figure(Metric.PLACEMENT_READS);
            client.read(0, 0, BLOCK_BYTES);
            CLUSTER.awaitAtLeast(Metric.PLACEMENT_READS, reads + 1);
        }
        assertThat(figure(Metric.PLACEMENT_FIRST_READ_ORDERED)).isEqualTo(ordered);
        assertThat(figure(Metric.PLACEMENT_FIRST_READ_VAIN_BYTES)).isZero();
    }
}
