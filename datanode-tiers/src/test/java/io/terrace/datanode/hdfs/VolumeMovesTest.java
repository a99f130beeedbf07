package io.terrace.datanode.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.terrace.common.BlockKey;
import io.terrace.common.BlockVersion;
import io.terrace.common.StorageTier;
import io.terrace.common.TokenBucket;
import io.terrace.datanode.hdfs.volume.MoveStep;
import io.terrace.datanode.hdfs.volume.OpenBarrier;
import io.terrace.datanode.replica.VerifiedCopy;
import io.terrace.metrics.Metric;
import io.terrace.protocol.MoveOutcome;
import io.terrace.protocol.MoveResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.ReplicaAlreadyExistsException;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.impl.FsVolumeImpl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Moves of replicas between the volumes of one DataNode, which nothing disturbs. */
@Tag("cluster")
class VolumeMovesTest {

    private static final int BYTES = 700_003;
    private static final List<StorageTier> WALK =
            List.of(StorageTier.SSD, StorageTier.NVM, StorageTier.ARCHIVE, StorageTier.DISK);

    private static TerraceCluster cluster;
    private static TieredVolumes volumes;

    @BeforeAll
    static void start() throws IOException {
        cluster = TerraceCluster.start(1, TerraceCluster.configuration(), TieredVolumes.TYPES);
        volumes = new TieredVolumes(cluster);
    }

    @AfterAll
    static void stop() throws IOException {
        cluster.close();
    }

    @AfterEach
    void noHook() {
        volumes.mover().onStep(step -> {});
    }

    private static void isWhole(org.apache.hadoop.fs.Path file, int bytes) throws IOException {
        assertThat(cluster.read(file)).isEqualTo(TerraceCluster.contents(file.getName(), bytes));
    }

    @Test
    void walk_throughAllTiers_leavesOneCopyWhereTheNameNodeBelieves() throws Exception {
        int bytes = 2 * TerraceCluster.BLOCK_BYTES + 12_345;
        org.apache.hadoop.fs.Path file = cluster.write("walk", bytes, 1);
        long[] usedBefore = used();
        for (StorageTier tier : WALK) {
            for (int i = 0; i < 3; i++) {
                BlockVersion block = volumes.version(file, i);
                MoveResult result = volumes.move(block, tier);
                assertThat(result.outcome()).as("%s", result).isEqualTo(MoveOutcome.DONE);
                assertThat(result.bytesMoved()).isEqualTo(block.lengthBytes());
                assertThat(result.tier()).isEqualTo(tier);
                volumes.awaitOneCopy(block.key().blockId(), tier);
            }
            isWhole(file, bytes);
            volumes.awaitReported(file, tier);
        }
        volumes.assertNothingReserved();
        // All are back on disk, and each volume counts what it has.
        assertThat(used()).isEqualTo(usedBefore);
        cluster.cluster().triggerBlockReports();
        volumes.awaitReported(file, StorageTier.DISK);
        assertThat(cluster.fs().getClient().getCorruptBlocksCount()).isZero();
    }

    private static long[] used() throws IOException {
        long[] used = new long[WALK.size()];
        for (int i = 0; i < used.length; i++) {
            used[i] = volumes.volume(WALK.get(i)).getDfsUsed();
        }
        return used;
    }

    @Test
    void move_whereTheReplicaIs_isDoneWithoutBytes() throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("there", BYTES, 1);
        MoveResult result = volumes.move(file, StorageTier.DISK);
        assertThat(result.outcome()).isEqualTo(MoveOutcome.DONE);
        assertThat(result.bytesMoved()).isZero();
        assertThat(result.tier()).isEqualTo(StorageTier.DISK);
    }

    @Test
    void moveOfStock_ontoItsOwnVolume_isRefused_andTheReplicaStays() throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("own", BYTES, 1);
        ExtendedBlock block = cluster.located(file, 0).getBlock();
        assertThatThrownBy(() -> volumes.dataset()
                        .moveBlockAcrossVolumes(block, volumes.dataset().getVolume(block)))
                .isInstanceOf(ReplicaAlreadyExistsException.class);
        volumes.awaitOneCopy(block.getBlockId(), StorageTier.DISK);
        isWhole(file, BYTES);
    }

    @Test
    void moveOfStock_works() throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("stock", BYTES, 1);
        ExtendedBlock block = cluster.located(file, 0).getBlock();
        volumes.dataset().moveBlockAcrossStorage(block, StorageType.ARCHIVE, null);
        volumes.awaitOneCopy(block.getBlockId(), StorageTier.ARCHIVE);
        isWhole(file, BYTES);
    }

    @Test
    void memoryCopy_outlivesTheMove() throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("memory", BYTES, 1);
        BlockKey key = cluster.key(file, 0);
        assertThat(cluster.promote(0, key, BYTES).outcome()).isEqualTo(MoveOutcome.DONE);
        assertThat(volumes.move(file, StorageTier.SSD).outcome()).isEqualTo(MoveOutcome.DONE);
        assertThat(cluster.service(0).tier().isResident(key)).isTrue();
        long before = cluster.figure(0, Metric.READS_STOCK_MEMORY);
        isWhole(file, BYTES);
        assertThat(cluster.figure(0, Metric.READS_STOCK_MEMORY)).isGreaterThan(before);
    }

    @Test
    void emptyAppendedAndPinnedReplicas_move() throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("appended", 1000, 1);
        ExtendedBlock block = cluster.located(file, 0).getBlock();
        Path data = cluster.cluster().getBlockFile(0, block).toPath();
        Files.setAttribute(data, "unix:mode", (int) Files.getAttribute(data, "unix:mode") | 01000);
        assertThat(volumes.move(file, StorageTier.SSD).outcome()).isEqualTo(MoveOutcome.DONE);
        data = cluster.cluster().getBlockFile(0, block).toPath();
        assertThat((int) Files.getAttribute(data, "unix:mode") & 01000).isNotZero();
        for (int i = 0; i < 3; i++) {
            try (FSDataOutputStream out = cluster.fs().append(file)) {
                out.write(i);
            }
            assertThat(volumes.move(file, i % 2 == 0 ? StorageTier.NVM : StorageTier.SSD)
                            .outcome())
                    .isEqualTo(MoveOutcome.DONE);
        }
        byte[] expected = Arrays.copyOf(TerraceCluster.contents("appended", 1000), 1003);
        expected[1001] = 1;
        expected[1002] = 2;
        assertThat(cluster.read(file)).isEqualTo(expected);
    }

    @Test
    void lateOpener_ofTheOldPlace_findsTheFilesStillThere() throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("late", BYTES, 1);
        BlockVersion block = volumes.version(file, 0);
        Path old = cluster.cluster()
                .getBlockFile(0, cluster.located(file, 0).getBlock())
                .toPath();
        OpenBarrier barrier = volumes.mover().barrier();
        CompletableFuture<Void> published = new CompletableFuture<>();
        volumes.mover().onStep(step -> {
            if (step == MoveStep.PUBLISHED) {
                published.complete(null);
            }
        });
        int opening = barrier.enter(block.key().blockId());
        CompletableFuture<MoveResult> result;
        try {
            result = CompletableFuture.supplyAsync(() -> volumes.move(block, StorageTier.SSD));
            published.get(20, TimeUnit.SECONDS);
            assertThat(old).exists();
        } finally {
            barrier.leave(opening);
        }
        assertThat(result.get(20, TimeUnit.SECONDS).outcome()).isEqualTo(MoveOutcome.DONE);
        assertThat(old).doesNotExist();
    }

    @Test
    void corruptSource_isReported_andStays() throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("corrupt", BYTES, 1);
        BlockVersion block = volumes.version(file, 0);
        Path data = cluster.cluster()
                .getBlockFile(0, cluster.located(file, 0).getBlock())
                .toPath();
        byte[] bytes = Files.readAllBytes(data);
        bytes[600_000] ^= 1;
        Files.write(data, bytes);
        MoveResult result = volumes.move(block, StorageTier.SSD);
        assertThat(result.outcome()).isEqualTo(MoveOutcome.CORRUPT);
        assertThat(result.tier()).isEqualTo(StorageTier.DISK);
        volumes.awaitOneCopy(block.key().blockId(), StorageTier.DISK);
        volumes.assertNothingReserved();
        await().until(() -> cluster.located(file, 0).isCorrupt());
        cluster.fs().delete(file, false);
    }

    @Test
    void fullTarget_leavesNothing() throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("full", BYTES, 1);
        BlockVersion block = volumes.version(file, 0);
        FsVolumeImpl ssd = volumes.volume(StorageTier.SSD);
        // By stock's policy there is room for the data, but not for data and meta file.
        ssd.setCapacityForTesting(ssd.getDfsUsed() + BYTES + 10);
        try {
            MoveResult result = volumes.move(block, StorageTier.SSD);
            assertThat(result.outcome()).as("%s", result).isEqualTo(MoveOutcome.NO_ROOM);
            ssd.setCapacityForTesting(ssd.getDfsUsed() + 10);
            result = volumes.move(block, StorageTier.SSD);
            assertThat(result.outcome()).as("%s", result).isEqualTo(MoveOutcome.NO_ROOM);
        } finally {
            ssd.setCapacityForTesting(-1);
        }
        volumes.awaitOneCopy(block.key().blockId(), StorageTier.DISK);
        volumes.assertNothingReserved();
        assertThat(volumes.move(block, StorageTier.SSD).outcome()).isEqualTo(MoveOutcome.DONE);
    }

    @Test
    void moveThatIsNoLongerWanted_endsAndLeavesNothing() throws Exception {
        org.apache.hadoop.fs.Path file = cluster.write("unwanted", BYTES, 1);
        BlockVersion block = volumes.version(file, 0);
        int[] asked = {0};
        MoveResult result = volumes.mover()
                .move(block, StorageTier.SSD, new VerifiedCopy(TokenBucket.ofSystem(0)), () -> ++asked[0] < 3);
        assertThat(result.outcome()).isEqualTo(MoveOutcome.REFUSED);
        volumes.awaitOneCopy(block.key().blockId(), StorageTier.DISK);
        volumes.assertNothingReserved();
    }

    @Test
    void whatMayNotMove_isRefusedWithTheReason() throws Exception {
        org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path("/open");
        try (FSDataOutputStream out = cluster.fs().create(file, (short) 1)) {
            out.write(TerraceCluster.contents("open", 1000));
            out.hflush();
            BlockVersion open = new BlockVersion(cluster.key(file, 0), 1000);
            refused(volumes.move(open, StorageTier.SSD), "open");
        }
        BlockVersion block = volumes.version(file, 0);
        refused(volumes.move(block, StorageTier.MEMORY), "memory is no volume");
        BlockKey key = block.key();
        BlockVersion striped = new BlockVersion(new BlockKey(key.pool(), Long.MIN_VALUE + 16, 1), 1000);
        refused(volumes.move(striped, StorageTier.SSD), "erasure-coded");
        assertThat(volumes.move(new BlockVersion(key, 999), StorageTier.SSD).outcome())
                .isEqualTo(MoveOutcome.NOT_HERE);
        BlockKey other = new BlockKey(key.pool(), key.blockId(), key.generationStamp() + 1);
        assertThat(volumes.move(new BlockVersion(other, 1000), StorageTier.SSD).outcome())
                .isEqualTo(MoveOutcome.NOT_HERE);
        BlockKey unknown = new BlockKey(key.pool(), key.blockId() + 1_000_000, key.generationStamp());
        MoveResult notHere = volumes.move(new BlockVersion(unknown, 1000), StorageTier.SSD);
        assertThat(notHere.outcome()).isEqualTo(MoveOutcome.NOT_HERE);
        assertThat(notHere.tier()).isNull();
    }

    private static void refused(MoveResult result, String reason) {
        assertThat(result.outcome()).as("%s", result).isEqualTo(MoveOutcome.REFUSED);
        assertThat(result.message()).contains(reason);
    }
}
