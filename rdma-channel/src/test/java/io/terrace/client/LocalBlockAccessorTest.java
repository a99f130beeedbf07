package io.terrace.client;

import static io.terrace.client.AccessorFixture.block;
import static io.terrace.client.AccessorFixture.content;
import static io.terrace.client.AccessorFixture.moved;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.channel.FakeDataNode;
import io.terrace.metrics.Metric;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.security.token.block.InvalidBlockTokenException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalBlockAccessorTest {
    private static final int LENGTH = 20_000_000;

    @RegisterExtension
    private final AccessorFixture fixture = new AccessorFixture();

    @ParameterizedTest
    @ValueSource(strings = {"0", "64m", "9m"})
    void read_anyPartIntoAnyTarget_givesTheBlocksBytes(String mappedMax) throws Exception {
        fixture.conf.set("terrace.client.mapped.max", mappedMax);
        byte[] content = content(1, LENGTH);
        fixture.node.put(block(1), content);
        ReplicaAccessor accessor = fixture.build(1, LENGTH);
        assertThat(accessor).isNotNull();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 300; round++) {
            int position = random.nextInt(LENGTH);
            int length = 1 + random.nextInt(round % 10 == 0 ? LENGTH - position : 100_000);
            int expected = Math.min(length, LENGTH - position);
            byte[] got = new byte[expected];
            int kind = random.nextInt(3);
            if (kind == 0) {
                byte[] target = new byte[length + 5];
                assertThat(accessor.read(position, target, 5, length)).isEqualTo(expected);
                System.arraycopy(target, 5, got, 0, expected);
            } else {
                ByteBuffer target = kind == 1 ? ByteBuffer.allocate(length + 3) : ByteBuffer.allocateDirect(length + 3);
                target.position(3);
                assertThat(accessor.read(position, target)).isEqualTo(expected);
                assertThat(target.position()).isEqualTo(3 + expected);
                assertThat(target.limit()).isEqualTo(length + 3);
                target.get(3, got);
            }
            assertThat(Arrays.equals(got, 0, expected, content, position, position + expected))
                    .as("seed %d round %d", seed, round)
                    .isTrue();
        }
        assertThat(ClientMetrics.value(Metric.CLIENT_MAPPED_BYTES)).isLessThanOrEqualTo(64L << 20);
        LocalDataNodes.closeAll();
        assertThat(ClientMetrics.value(Metric.CLIENT_MAPPED_BYTES)).isZero();
    }

    @Test
    void read_atAndPastTheVisibleEnd_isMinusOne() throws Exception {
        fixture.node.put(block(1), content(1, 1000));
        ReplicaAccessor accessor = fixture.build(1, 900);
        assertThat(accessor.read(890, new byte[100], 0, 100)).isEqualTo(10);
        assertThat(accessor.read(900, new byte[100], 0, 100)).isEqualTo(-1);
        assertThat(accessor.read(2000, ByteBuffer.allocate(1))).isEqualTo(-1);
        assertThat(accessor.read(900, new byte[0], 0, 0)).isZero();
        assertThat(accessor.isShortCircuit()).isTrue();
        assertThat(accessor.getNetworkDistance()).isZero();
    }

    @Test
    void read_isReportedByteForByte_andCountsOnceForEveryReader() throws Exception {
        fixture.node.put(block(1), content(1, 1_000_000));
        long bytes = moved(Metric.CLIENT_GRANTED_SHM_BYTES, () -> {
            for (int reader = 0; reader < 2; reader++) {
                ReplicaAccessor accessor = fixture.build(1, 1_000_000);
                for (int i = 0; i < 50; i++) {
                    accessor.read(i, new byte[4096], 0, 4096);
                }
                accessor.close();
            }
        });
        assertThat(bytes).isEqualTo(409_600);
        await().untilAsserted(() -> assertThat(fixture.node.reportedBytes).hasValue(409_600));
        assertThat(fixture.node.reportedReads).hasValue(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 4096, 16384})
    void read_inSmallBites_givesTheBlocksBytesAndCountsOnlyThem(int bite) throws Exception {
        fixture.conf.set("terrace.client.mapped.max", "0");
        byte[] content = content(1, 700_000);
        fixture.node.put(block(1), content);
        int wanted = Math.min(650_000, bite * 100_000);
        long counted = moved(Metric.CLIENT_GRANTED_SHM_BYTES, () -> {
            ReplicaAccessor accessor = fixture.build(1, 700_000);
            byte[] got = new byte[wanted];
            ByteBuffer buffer = ByteBuffer.allocateDirect(bite);
            for (int at = 0; at < wanted; ) {
                int length = Math.min(bite, wanted - at);
                if (at % 3 == 0) {
                    assertThat(accessor.read(at, got, at, length)).isEqualTo(length);
                } else {
                    buffer.clear().limit(length);
                    assertThat(accessor.read(at, buffer)).isEqualTo(length);
                    buffer.flip().get(got, at, length);
                }
                at += length;
            }
            assertThat(Arrays.equals(got, 0, wanted, content, 0, wanted)).isTrue();
            accessor.close();
        });
        assertThat(counted).isEqualTo(wanted);
        await().untilAsserted(() -> assertThat(fixture.node.reportedBytes).hasValue(wanted));
    }

    @Test
    void close_reportsTheRestAndSaysGoodbye() throws Exception {
        fixture.conf.set("terrace.client.report.interval", "1h");
        fixture.node.put(block(1), content(1, 5000));
        fixture.build(1, 5000).read(0, new byte[4096], 0, 4096);
        LocalDataNodes.closeAll();
        await().until(() -> fixture.node.ends.contains("orderly"));
        assertThat(fixture.node.reportedBytes).hasValue(4096);
        assertThat(fixture.node.held()).isZero();
    }

    @Test
    void report_isSentEarly_whenMuchWasRead() throws Exception {
        fixture.conf.set("terrace.client.report.interval", "1h");
        fixture.conf.set("terrace.client.report.bytes", "8k");
        fixture.node.put(block(1), content(1, 10_000));
        fixture.build(1, 10_000).read(0, new byte[10_000], 0, 10_000);
        await().untilAsserted(() -> assertThat(fixture.node.reportedBytes).hasValue(10_000));
    }

    @Test
    void revoke_betweenReads_isAcknowledged_andTheReadEndsInAFreshTokenRetry() throws Exception {
        fixture.node.put(block(1), content(1, 5000));
        ReplicaAccessor accessor = fixture.build(1, 5000);
        accessor.read(0, new byte[100], 0, 100);
        fixture.node.retire(block(1));
        await().until(() -> fixture.node.files() == 0);
        long abandoned = moved(
                Metric.CLIENT_READS_ABANDONED, () -> assertThatThrownBy(() -> accessor.read(100, new byte[100], 0, 100))
                        .isInstanceOf(InvalidBlockTokenException.class));
        assertThat(abandoned).isEqualTo(1);
        assertThat(fixture.build(1, 5000)).isNull();
    }

    @Test
    void revoke_ofABlockThatCameBack_isReadOnThroughANewGrant() throws Exception {
        fixture.node.put(block(1), content(1, 5000));
        ReplicaAccessor accessor = fixture.build(1, 5000);
        accessor.read(0, new byte[100], 0, 100);
        fixture.node.retire(block(1));
        fixture.node.put(block(1), content(1, 5000));
        byte[] target = new byte[4900];
        assertThat(accessor.read(100, target, 0, 4900)).isEqualTo(4900);
        assertThat(target).isEqualTo(Arrays.copyOfRange(content(1, 5000), 100, 5000));
    }

    @Test
    void lease_isRenewedWhileItIsUsed() throws Exception {
        fixture.node.leaseMs = 300;
        fixture.node.put(block(1), content(1, 5000));
        ReplicaAccessor accessor = fixture.build(1, 5000);
        long asked = moved(Metric.CLIENT_GRANTS_ASKED, () -> {
            long endNs = System.nanoTime() + 1_200_000_000L;
            while (System.nanoTime() < endNs) {
                assertThat(accessor.read(0, new byte[100], 0, 100)).isEqualTo(100);
                Thread.sleep(5);
            }
        });
        assertThat(asked).isLessThanOrEqualTo(1);
    }

    @Test
    void lease_thatIsNotRenewed_endsTheGrant() throws Exception {
        fixture.node.leaseMs = 200;
        fixture.node.renews = false;
        fixture.node.put(block(1), content(1, 5000));
        ReplicaAccessor accessor = fixture.build(1, 5000);
        accessor.read(0, new byte[100], 0, 100);
        fixture.node.wantedToken = new byte[] {9};
        await().untilAsserted(() -> assertThatThrownBy(() -> accessor.read(0, new byte[100], 0, 100))
                .isInstanceOf(InvalidBlockTokenException.class));
        await().until(() -> fixture.node.held() == 0);
    }

    @Test
    void datanode_thatDies_endsItsGrants_andTheNextOneIsFound() throws Exception {
        fixture.node.put(block(1), content(1, 5000));
        ReplicaAccessor accessor = fixture.build(1, 5000);
        accessor.read(0, new byte[100], 0, 100);
        fixture.node.close();
        await().untilAsserted(() -> assertThatThrownBy(() -> accessor.read(0, new byte[100], 0, 100))
                .isInstanceOf(InvalidBlockTokenException.class));
        assertThat(fixture.build(1, 5000)).isNull();
        FakeDataNode next = fixture.addNode("dn-1");
        next.put(block(1), content(1, 5000));
        await().until(() -> fixture.build(1, 5000) != null);
    }

    @Test
    void interrupted_reader_failsAlone() throws Exception {
        fixture.conf.set("terrace.client.mapped.max", "0");
        fixture.node.put(block(1), content(1, 5_000_000));
        ReplicaAccessor accessor = fixture.build(1, 5_000_000);
        ReplicaAccessor other = fixture.build(1, 5_000_000);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> accessor.read(0, new byte[100], 0, 100)).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(other.read(0, new byte[100], 0, 100)).isEqualTo(100);
        byte[] expected = content(1, 5_000_000);
        for (int round = 0; round < 20; round++) {
            Thread reader = new Thread(() -> {
                try {
                    while (true) {
                        accessor.read(0, new byte[5_000_000], 0, 5_000_000);
                    }
                } catch (Exception e) {
                    // interrupted in the middle of a read, which closes the file it reads
                }
            });
            reader.start();
            Thread.sleep(2);
            reader.interrupt();
            byte[] target = new byte[5_000_000];
            assertThat(other.read(0, target, 0, target.length)).isEqualTo(target.length);
            assertThat(Arrays.equals(target, expected)).isTrue();
            reader.join();
        }
    }

    @Test
    void grants_beyondTheLimit_areFallbacks_andIdleOnesMakeRoom() throws Exception {
        fixture.conf.set("terrace.client.grants.max", "8");
        for (int id = 0; id < 30; id++) {
            fixture.node.put(block(id), content(id, 1000));
        }
        long limited = moved(Metric.CLIENT_FALLBACK_LIMIT, () -> {
            for (int id = 0; id < 30; id++) {
                fixture.build(id, 1000);
            }
        });
        assertThat(limited).isPositive();
        assertThat(fixture.node.held()).isLessThanOrEqualTo(8);
        await().until(() -> fixture.build(29, 1000) != null);
    }
}
