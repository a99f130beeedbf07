package io.terrace.client.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.DatanodeInfoBuilder;
import org.junit.jupiter.api.Test;

class FirstExchangeTest {
    private static final long SEED = 21;
    private static final long MB = 1 << 20;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final NodeSpeeds speeds = new NodeSpeeds();
    private final DatanodeInfo[] nodes = Stream.of("a", "b", "c")
            .map(name -> new DatanodeInfoBuilder()
                    .setIpAddr("10.0.0.1")
                    .setHostName(name)
                    .setDatanodeUuid(name)
                    .setXferPort(9866)
                    .build())
            .toArray(DatanodeInfo[]::new);
    private final StorageType[] types = {StorageType.DISK, StorageType.SSD, StorageType.NVDIMM};
    private final String[] storages = {"sa", "sb", "sc"};

    private void measured(String node, long mbPerSecond) {
        speeds.measured(node, mbPerSecond * 10 * MB, 10 * SECOND, 0);
    }

    private boolean exchange(int percent, IntSupplier random) {
        return new FirstExchange(speeds, percent, random, node -> false).exchange(nodes, types, storages, 0);
    }

    private String order() {
        return Stream.of(nodes).map(DatanodeInfo::getDatanodeUuid).reduce("", String::concat);
    }

    @Test
    void slowFirst_isExchangedWithTheFastest_inAllArrays() {
        measured("a", 6);
        measured("b", 20);
        measured("c", 27);
        assertThat(exchange(80, () -> 79)).isTrue();
        assertThat(order()).isEqualTo("cba");
        assertThat(types).containsExactly(StorageType.NVDIMM, StorageType.SSD, StorageType.DISK);
        assertThat(storages).containsExactly("sc", "sb", "sa");
    }

    @Test
    void probability_isAsSet() {
        measured("a", 6);
        measured("c", 27);
        Random random = new Random(SEED);
        int changed = 0;
        for (int i = 0; i < 10_000; i++) {
            boolean exchanged = exchange(80, () -> random.nextInt(100));
            changed += exchanged ? 1 : 0;
            if (exchanged) {
                // Back again.
                DatanodeInfo first = nodes[0];
                nodes[0] = nodes[2];
                nodes[2] = first;
            }
        }
        assertThat(changed).as("seed %d", SEED).isBetween(7_800, 8_200);
        assertThat(exchange(0, () -> 0)).isFalse();
    }

    @Test
    void littleFaster_orNotKnown_orLocal_stays() {
        measured("b", 27);
        assertThat(exchange(100, () -> 0)).as("first is not known").isFalse();
        measured("a", 21);
        assertThat(exchange(100, () -> 0)).as("little faster").isFalse();
        measured("c", 100);
        FirstExchange local = new FirstExchange(speeds, 100, () -> 0, node -> node == nodes[0]);
        assertThat(local.exchange(nodes, types, storages, 0)).as("local").isFalse();
        assertThat(order()).isEqualTo("abc");
        assertThat(exchange(100, () -> 0)).isTrue();
    }

    @Test
    void arraysOfOtherLengths_stay() {
        measured("a", 6);
        measured("c", 27);
        assertThat(new FirstExchange(speeds, 100, () -> 0, node -> false).exchange(nodes, types, new String[0], 0))
                .isFalse();
        assertThat(order()).isEqualTo("abc");
    }

    @Test
    void speeds_areForgotten_andBounded() {
        measured("a", 6);
        assertThat(speeds.of("a", NodeSpeeds.KEPT_NS - 1)).isGreaterThan(0);
        assertThat(speeds.of("a", NodeSpeeds.KEPT_NS)).isZero();
        for (int i = 0; i < NodeSpeeds.MOST_NODES; i++) {
            measured("node" + i, 1);
        }
        assertThat(speeds.of("a", 0)).isZero();
        assertThat(speeds.of("node0", 0)).isGreaterThan(0);
    }

    @Test
    void smallBlocks_sayNothing() {
        speeds.measured("a", NodeSpeeds.LEAST_BYTES - 1, SECOND, 0);
        assertThat(speeds.of("a", 0)).isZero();
        speeds.measured("a", NodeSpeeds.LEAST_BYTES, 0, 0);
        assertThat(speeds.of("a", 0)).isZero();
    }
}
