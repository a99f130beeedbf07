package io.terrace.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import io.terrace.client.read.ReadRouter;
import io.terrace.client.read.ReplicaOrder;
import io.terrace.metrics.Metric;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
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
    private static final LocatedBlock BLOCK =
            new LocatedBlock(new ExtendedBlock(AccessorFixture.POOL, ABSENT, 1000, 1000 + ABSENT), new DatanodeInfo[0]);

    @RegisterExtension
    private final AccessorFixture fixture = new AccessorFixture();

    private final StreamGrants none = new StreamGrants();
    private int next;

    @BeforeEach
    void start() throws Exception {
        // A look for DataNodes that came allocates, and is no reader's.
        fixture.conf.set("terrace.client.connect.pause", "1ms");
        fixture.node.put(AccessorFixture.block(1), AccessorFixture.content(1, 1000));
        assertThat(fixture.build(1, 1000)).isNotNull();
    }

    @Test
    void build_byMoreReadersInTurnThanAreRemembered_allocatesNothing() {
        List<ReplicaAccessorBuilder> builders = IntStream.range(0, 100)
                .mapToObj(i -> absent(new Configuration(fixture.conf)))
                .toList();

        assertThat(allocatedBytes(() -> builders.get(next++ % builders.size()).build() == null))
                .isLessThan(READS);
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
    void dataNodeThatComes_isConnectedTo_withoutAReader() throws Exception {
        fixture.addNode("dn-2");

        await().until(() -> ClientMetrics.value(Metric.CLIENT_CONNECTIONS) == 2);
    }

    @Test
    void mayServe_ofAnAbsentBlock_allocatesNothingAndIsCounted() throws Exception {
        ReadRouter router = router(fixture.conf);

        assertThat(allocatedBytes(() -> !router.mayServe(BLOCK, none))).isLessThan(READS);
        assertThat(AccessorFixture.moved(Metric.CLIENT_FALLBACK_NOT_RESIDENT, () -> router.mayServe(BLOCK, none)))
                .isEqualTo(1);
        assertThat(AccessorFixture.moved(Metric.CLIENT_FS_STOCK_READERS, () -> router.mayServe(BLOCK, none)))
                .isEqualTo(1);
    }

    @Test
    void mayServe_ofManyFileSystemsInTurn_allocatesNothing() {
        List<ReadRouter> routers = IntStream.range(0, 100)
                .mapToObj(i -> router(new Configuration(fixture.conf)))
                .toList();

        assertThat(allocatedBytes(() -> !routers.get(next++ % routers.size()).mayServe(BLOCK, none)))
                .isLessThan(READS);
    }

    private static ReadRouter router(Configuration conf) {
        return new ReadRouter(
                requireNonNull(LocalAccess.of(conf)),
                null,
                new ReplicaOrder(false, 0, ClientMetrics.metricRegistry()),
                ClientMetrics.metricRegistry());
    }
}
