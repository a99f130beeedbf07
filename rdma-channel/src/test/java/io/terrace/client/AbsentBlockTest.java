package io.terrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.terrace.client.read.LocalReads;
import io.terrace.client.read.ReadRouter;
import io.terrace.client.read.ReplicaOrder;
import io.terrace.metrics.Metric;
import java.lang.management.ManagementFactory;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.ReplicaAccessorBuilder;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** To know that a block is not in memory, which stock HDFS reads then, costs no allocation, whatever reads. */
final class AbsentBlockTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int WARM_UP = 20_000;
    private static final int READS = 10_000;
    private static final long ABSENT = 7;

    @RegisterExtension
    private final AccessorFixture fixture = new AccessorFixture();

    @BeforeEach
    void start() throws Exception {
        // A look for DataNodes that came allocates; the test is about what happens between two of them.
        fixture.conf.set("terrace.client.connect.pause", "1h");
        fixture.node.put(AccessorFixture.block(1), AccessorFixture.content(1, 1000));
        assertThat(fixture.build(1, 1000)).isNotNull();
    }

    private static long allocatedBytes(BooleanSupplier isAbsent) {
        int wrong = repeat(isAbsent, WARM_UP);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        wrong += repeat(isAbsent, READS);
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        assertThat(wrong).as("times that it was there").isZero();
        return allocated;
    }

    private static int repeat(BooleanSupplier isAbsent, int times) {
        int wrong = 0;
        for (int i = 0; i < times; i++) {
            wrong += isAbsent.getAsBoolean() ? 0 : 1;
        }
        return wrong;
    }

    private ReplicaAccessorBuilder absent(Configuration conf) {
        return new TerraceAccessorBuilder()
                .setAllowShortCircuitReads(true)
                .setBlock(ABSENT, AccessorFixture.POOL)
                .setGenerationStamp(1000 + ABSENT)
                .setClientName("client")
                .setConfiguration(conf)
                .setVisibleLength(1);
    }

    @Test
    void build_ofAnAbsentBlock_allocatesNothing() {
        ReplicaAccessorBuilder builder = absent(fixture.conf);

        assertThat(allocatedBytes(() -> builder.build() == null)).isLessThan(READS);
    }

    @Test
    void build_byReadersWithSeveralConfigurations_allocatesNothing() {
        ReplicaAccessorBuilder one = absent(fixture.conf);
        ReplicaAccessorBuilder other = absent(new Configuration(fixture.conf));

        assertThat(allocatedBytes(() -> one.build() == null && other.build() == null))
                .isLessThan(READS);
    }

    @Test
    void mayServe_ofAnAbsentBlock_allocatesNothingAndIsCounted() throws Exception {
        ReadRouter router = new ReadRouter(
                new LocalReads(),
                null,
                new ReplicaOrder(false, 0, ClientMetrics.metricRegistry()),
                ClientMetrics.metricRegistry());
        LocatedBlock block = new LocatedBlock(
                new ExtendedBlock(AccessorFixture.POOL, ABSENT, 1000, 1000 + ABSENT), new DatanodeInfo[0]);

        assertThat(allocatedBytes(() -> !router.mayServe(block, fixture.conf))).isLessThan(READS);
        assertThat(AccessorFixture.moved(
                        Metric.CLIENT_FALLBACK_NOT_RESIDENT, () -> router.mayServe(block, fixture.conf)))
                .isEqualTo(1);
        assertThat(AccessorFixture.moved(Metric.CLIENT_FS_STOCK_READERS, () -> router.mayServe(block, fixture.conf)))
                .isEqualTo(1);
    }
}
