package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.terrace.common.BlockKey;
import io.terrace.conf.TerraceSettings;
import io.terrace.metrics.Metric;
import io.terrace.protocol.proto.DataNodeProtos.HeartbeatRequestProto;
import io.terrace.protocol.proto.DataNodeProtos.OrderKindProto;
import io.terrace.protocol.proto.DataNodeProtos.OutcomeProto;
import io.terrace.protocol.proto.DataNodeProtos.ResultProto;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInfo;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Heartbeats to a placement service and what its orders do. */
@Tag("cluster")
class PlacementOrdersTest {

    private static FakePlacement service;
    private static TerraceCluster cluster;

    @BeforeAll
    static void start() throws IOException {
        service = new FakePlacement();
        Configuration conf = TerraceCluster.configuration();
        conf.set(TerraceSettings.PLACEMENT_RPC_ADDRESS.key(), service.address());
        conf.set(TerraceSettings.DATANODE_MEMORY_SCRUB_INTERVAL.key(), "200ms");
        conf.set(TerraceSettings.DATANODE_MEMORY_SCRUB_BANDWIDTH.key(), "1g");
        cluster = TerraceCluster.start(1, conf);
    }

    @AfterAll
    static void stop() throws IOException {
        cluster.close();
        service.close();
    }

    private static ResultProto result(long moveId) {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .until(() -> service.result(moveId), Optional::isPresent)
                .orElseThrow();
    }

    private static OutcomeProto outcome(long moveId) {
        return result(moveId).getOutcome();
    }

    @Test
    void order_promoteAndDrop_isDoneAndReported() throws Exception {
        int bytes = 700_000;
        Path file = cluster.write("ordered", bytes, 1);
        BlockKey key = cluster.key(file, 0);

        ResultProto promoted = result(service.order(OrderKindProto.PROMOTE, key, bytes));
        assertThat(promoted.getOutcome()).isEqualTo(OutcomeProto.DONE);
        assertThat(promoted.getBytesMoved()).isEqualTo(bytes);
        assertThat(promoted.getEpoch()).isEqualTo(service.epoch);
        assertThat(cluster.service(0).tier().isResident(key)).isTrue();
        assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("ordered", bytes));
        Awaitility.await().until(() -> told(key, true));

        ResultProto dropped = result(service.order(OrderKindProto.DROP, key, bytes));
        assertThat(dropped.getOutcome()).isEqualTo(OutcomeProto.DONE);
        assertThat(dropped.getBytesMoved()).isEqualTo(bytes);
        assertThat(cluster.service(0).tier().isResident(key)).isFalse();
        assertThat(outcome(service.order(OrderKindProto.DROP, key, bytes))).isEqualTo(OutcomeProto.NOT_HERE);
        Awaitility.await().until(() -> told(key, false));
    }

    private static boolean told(BlockKey key, boolean resident) {
        return service.heartbeats.stream()
                .flatMap(heartbeat -> heartbeat.getResidencyList().stream())
                .filter(entry -> entry.getBlock().getBlockId() == key.blockId())
                .reduce((first, second) -> second)
                .filter(last -> last.getResident() == resident)
                .isPresent();
    }

    @Test
    void heartbeat_afterReads_carriesTheirHeat() throws Exception {
        int bytes = 400_000;
        Path file = cluster.write("heated", bytes, 1);
        BlockKey key = cluster.key(file, 0);
        for (int i = 0; i < 3; i++) {
            cluster.read(file);
        }
        Awaitility.await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
            long reads = 0;
            long read = 0;
            for (HeartbeatRequestProto heartbeat : service.heartbeats) {
                for (var heat : heartbeat.getHeatList()) {
                    if (heat.getBlock().getBlockId() == key.blockId()) {
                        reads += heat.getReads();
                        read += heat.getBytesRead();
                        assertThat(heat.getBlock().getGenerationStamp()).isEqualTo(key.generationStamp());
                    }
                }
            }
            assertThat(reads).isEqualTo(3);
            assertThat(read).isEqualTo(3L * bytes);
        });
    }

    @Test
    void order_ofCorruptReplica_isRefusedAndReported() throws Exception {
        int bytes = 600_000;
        Path file = cluster.write("corrupt", bytes, 1);
        BlockKey key = cluster.key(file, 0);
        ReplicaInfo replica = (ReplicaInfo) cluster.datanode(0).getFSDataset().getReplica(key.pool(), key.blockId());
        try (RandomAccessFile block = new RandomAccessFile(new File(replica.getBlockURI()), "rw")) {
            block.seek(300_000);
            int there = block.read();
            block.seek(300_000);
            block.write(~there);
        }
        assertThat(outcome(service.order(OrderKindProto.PROMOTE, key, bytes))).isEqualTo(OutcomeProto.CORRUPT);
        assertThat(cluster.service(0).tier().isResident(key)).isFalse();
        assertThat(cluster.figure(0, Metric.MEMORY_REPLICAS_CORRUPT)).isEqualTo(1);
        Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> cluster.located(file, 0)
                .isCorrupt());
    }

    @Test
    void copy_thatGoesBadInMemory_isFoundAndDropped() throws Exception {
        int bytes = 500_000;
        Path file = cluster.write("scrubbed", bytes, 1);
        BlockKey key = cluster.key(file, 0);
        assertThat(outcome(service.order(OrderKindProto.PROMOTE, key, bytes))).isEqualTo(OutcomeProto.DONE);
        try (Stream<java.nio.file.Path> files = Files.walk(cluster.memoryDir(0))) {
            java.nio.file.Path copy = files.filter(
                            path -> path.getFileName().toString().startsWith("blk_" + key.blockId() + "_"))
                    .findFirst()
                    .orElseThrow();
            Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rw-------"));
            try (RandomAccessFile damaged = new RandomAccessFile(copy.toFile(), "rw")) {
                damaged.seek(bytes - 1);
                int there = damaged.read();
                damaged.seek(bytes - 1);
                damaged.write(~there);
            }
        }
        cluster.awaitGone(0, key);
        assertThat(cluster.figure(0, Metric.MEMORY_SCRUB_FAILED)).isEqualTo(1);
        assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("scrubbed", bytes));
    }

    @Test
    void service_thatGoesAwayAndComesBack_findsWhatStayedInMemory() throws Exception {
        int bytes = 150_000;
        Path file = cluster.write("stays", bytes, 1);
        BlockKey key = cluster.key(file, 0);
        assertThat(outcome(service.order(OrderKindProto.PROMOTE, key, bytes))).isEqualTo(OutcomeProto.DONE);
        long failedBefore = cluster.figure(0, Metric.HEARTBEATS_FAILED);
        service.goAway();
        try {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> cluster.figure(0, Metric.HEARTBEATS_FAILED) > failedBefore + 1);
            long fromMemory = cluster.figure(0, Metric.READS_STOCK_MEMORY);
            assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("stays", bytes));
            assertThat(cluster.figure(0, Metric.READS_STOCK_MEMORY)).isEqualTo(fromMemory + 1);
        } finally {
            service.heartbeats.clear();
            service.comeBack();
        }
        Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> service.heartbeats.size() > 2);
        assertThat(outcome(service.order(OrderKindProto.DROP, key, bytes))).isEqualTo(OutcomeProto.DONE);
    }

    @Test
    void order_thatCannotBe_isRefusedByReason() throws Exception {
        int bytes = 100_000;
        Path file = cluster.write("odd", bytes, 1);
        BlockKey key = cluster.key(file, 0);
        BlockKey stale = new BlockKey(key.pool(), key.blockId(), key.generationStamp() - 1);
        assertThat(outcome(service.order(OrderKindProto.PROMOTE, stale, bytes))).isEqualTo(OutcomeProto.NOT_HERE);
        assertThat(outcome(service.order(OrderKindProto.PROMOTE, key, bytes + 1)))
                .isEqualTo(OutcomeProto.NOT_HERE);

        cluster.pin(file, 1);
        cluster.awaitResident(0, key);
        assertThat(outcome(service.order(OrderKindProto.DROP, key, bytes))).isEqualTo(OutcomeProto.PINNED);
        cluster.fs().delete(file, false);
    }

    @Test
    void orders_ofEarlierEpochOrWhileOff_areNotCarriedOut() throws Exception {
        int bytes = 200_000;
        Path file = cluster.write("off", bytes, 1);
        BlockKey key = cluster.key(file, 0);
        assertThat(outcome(service.order(OrderKindProto.PROMOTE, key, bytes))).isEqualTo(OutcomeProto.DONE);

        service.serve = false;
        cluster.awaitGone(0, key);
        assertThat(outcome(service.order(OrderKindProto.PROMOTE, key, bytes))).isEqualTo(OutcomeProto.REFUSED);
        assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents("off", bytes));
        service.serve = true;
        Awaitility.await().until(() -> cluster.service(0).tier().serves(key.pool()));

        long current = service.epoch;
        service.epoch = current + 5;
        int seen = service.heartbeats.size();
        Awaitility.await().until(() -> service.heartbeats.size() > seen + 1);
        service.epoch = current;
        long late = service.order(OrderKindProto.PROMOTE, key, bytes);
        int before = service.heartbeats.size();
        Awaitility.await().until(() -> service.heartbeats.size() > before + 3);
        assertThat(service.result(late)).isEmpty();
        assertThat(cluster.service(0).tier().isResident(key)).isFalse();
        service.epoch = current + 5;
    }
}
